"""How far decisions and probabilities agree with labels: pure arithmetic on sequences.

Whatever is undefined, such as the recall where nothing is positive, is None and never 0. Every
measure takes `weights`, how often each observation counts: a bootstrap draws those (`bootstrap`).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from operator import add, mul
from typing import Final

Weights = Sequence[int]
"""How often each observation, or each group of observations, counts."""

_TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of decisions against labels; "positive" is what is looked for: a hallucination."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0

    @classmethod
    def of(cls, decided: Iterable[bool], labelled: Iterable[bool]) -> Confusion:
        """The counts of decisions and labels, pair by pair."""
        cells = [(bool(yes), bool(label)) for yes, label in zip(decided, labelled, strict=True)]
        return cls(*map(cells.count, [(True, True), (True, False), (False, True), (False, False)]))

    @property
    def prevalence(self) -> float | None:
        """P / (P + N): the share that is labelled positive. None without a case."""
        positives = self.true_positives + self.false_negatives
        return _ratio(positives, positives + self.false_positives + self.true_negatives)

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP): of what was called positive, the share that is. None if nothing was."""
        return _ratio(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """TP / (TP + FN): of what is positive, the share that was found. None if nothing is."""
        return _ratio(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def false_alarms(self) -> float | None:
        """FP / (FP + TN): of what is negative, the share called positive. None if nothing is."""
        return _ratio(self.false_positives, self.false_positives + self.true_negatives)

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN), the harmonic mean of precision and recall.

        0 where something is positive and none of it was found; None where nothing is positive and
        nothing was called so (van Rijsbergen, Information Retrieval, 1979, chapter 7).
        """
        twice = 2 * self.true_positives
        return _ratio(twice, twice + self.false_positives + self.false_negatives)

    @property
    def balanced_accuracy(self) -> float | None:
        """(TP/P + TN/N) / 2: recall of both classes, .5 for any guess that ignores the case.

        None unless both classes occur (Brodersen et al., ICPR 2010).
        """
        recall, false_alarms = self.recall, self.false_alarms
        if recall is None or false_alarms is None:
            return None
        return (recall + 1 - false_alarms) / 2

    @property
    def kappa(self) -> float | None:
        """(p_o - p_e) / (1 - p_e), agreement beyond what these margins give by chance.

        None where chance alone agrees always (Cohen, Educational and Psychological Measurement
        20(1), 1960).
        """
        tp, fp = self.true_positives, self.false_positives
        fn, tn = self.false_negatives, self.true_negatives
        total = tp + fp + fn + tn
        by_chance = (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)
        return _ratio((tp + tn) * total - by_chance, total * total - by_chance)


class Confusions:
    """The confusions of several groups, summed under weights."""

    def __init__(self, groups: Iterable[Confusion]) -> None:
        cells = [
            (each.true_positives, each.false_positives, each.false_negatives, each.true_negatives)
            for each in groups
        ]
        self._columns = list(zip(*cells, strict=True))

    def total(self, weights: Weights | None = None) -> Confusion:
        """The sum of all groups, each as often as `weights` says."""
        return Confusion(*(sum(map(mul, column, weights or repeat(1))) for column in self._columns))


class Ranking:
    """Scores and labels, sorted once, so that many weightings are fast.

    `groups` gives for each observation the index of its weight; without them each has its own.
    """

    def __init__(
        self,
        scores: Sequence[float],
        is_positive: Sequence[bool],
        groups: Sequence[int] | None = None,
    ) -> None:
        groups = range(len(scores)) if groups is None else groups
        observed = list(zip(scores, is_positive, groups, strict=True))
        negative = sorted((score, group) for score, label, group in observed if not label)
        values = [score for score, _ in negative]
        positive = [(score, group) for score, label, group in observed if label]
        self._negative_groups = [group for _, group in negative]
        self._positive_groups = [group for _, group in positive]
        self._below = [bisect_left(values, score) for score, _ in positive]
        self._up_to = [bisect_right(values, score) for score, _ in positive]
        self._group_count = max(groups, default=-1) + 1

    def auroc(self, weights: Weights | None = None) -> float | None:
        """See `auroc`."""
        ranked, ours = self._ranked(weights)
        rank = ranked.__getitem__
        twice = sum(map(mul, ours, map(add, map(rank, self._below), map(rank, self._up_to))))
        return _ratio(twice, 2 * sum(ours) * ranked[-1])

    def recall_at(self, max_false_alarms: float, weights: Weights | None = None) -> float | None:
        """The highest recall at which no more than that share of the negatives is a false alarm.

        It is a point of the ROC curve, by a threshold that knows these very cases. None unless
        both classes occur.
        """
        ranked, ours = self._ranked(weights)
        total = ranked[-1]
        if not total:
            return None
        least = total * (1 - max_false_alarms) - _TOLERANCE
        found = (
            own for own, below in zip(ours, self._below, strict=True) if ranked[below] >= least
        )
        return _ratio(sum(found), sum(ours))

    def _ranked(self, weights: Weights | None) -> tuple[list[int], list[int]]:
        """How much weight so many of the lowest negatives have, and the positives' weights."""
        weights = [1] * self._group_count if weights is None else weights
        ranked = [0, *accumulate(map(weights.__getitem__, self._negative_groups))]
        return ranked, list(map(weights.__getitem__, self._positive_groups))


def auroc(scores: Sequence[float], is_positive: Sequence[bool]) -> float | None:
    """How often a positive scores above a negative, ties counted half: U / (P N).

    None unless both occur (Mann and Whitney 1947; Hanley and McNeil, Radiology 143(1), 1982).
    """
    return Ranking(scores, is_positive).auroc()


def rmse(
    predicted: Sequence[float], labelled: Sequence[float], weights: Weights | None = None
) -> float | None:
    """√(Σ (predicted - labelled)² / n), as RAGBench reports it (arXiv 2407.11005); None for n = 0.

    Of probabilities and labels of 0 and 1 its square is the Brier score.
    """
    squared = brier(predicted, labelled, weights)
    return None if squared is None else math.sqrt(squared)


def rmse_of_mean(labelled: Sequence[float], weights: Weights | None = None) -> float | None:
    """The RMSE of predicting the mean label for every case: what a judge has to be below.

    It is the standard deviation of the labels, √(Σ (y - ȳ)² / n); None for n = 0.
    """
    mean = weighted_mean(labelled, weights)
    if mean is None:
        return None
    return rmse([mean] * len(labelled), labelled, weights)


def brier(
    probabilities: Sequence[float], outcomes: Sequence[float], weights: Weights | None = None
) -> float | None:
    """Σ (probability - outcome)² / n, 0 at best; None for n = 0 (Brier 1950).

    Predicting the share s of the outcomes for every case gives s (1 - s).
    """
    differences = [p - y for p, y in zip(probabilities, outcomes, strict=True)]
    return weighted_mean([each * each for each in differences], weights)


def weighted_mean(values: Sequence[float], weights: Weights | None = None) -> float | None:
    """Σ w v / Σ w; None where no weight is left."""
    weights = [1] * len(values) if weights is None else weights
    return _ratio(math.fsum(map(mul, values, weights)), sum(weights))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
