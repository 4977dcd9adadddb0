"""The models of document sentences that `fit_lexical.py` fits: relevance and utilization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from lexical_models import Array, Linear, fit, fit_beside, supported_share
from lexical_rows import Answer, Row
from sklearn.metrics import f1_score

NEARLY = 0.01


@dataclass(frozen=True)
class Sentences:
    """The counted document sentences of all rows that have labels of one kind."""

    rows: Sequence[Row]
    asked: Array
    labels: Array
    sets: Array

    @classmethod
    def of(cls, rows: Sequence[Row], kind: str) -> Sentences:
        kept = [row for row in rows if getattr(row, kind) is not None]
        return cls(
            rows=kept,
            asked=np.array([each for row in kept for each in row.asked]),
            labels=np.array([each for row in kept for each in getattr(row, kind)]),
            sets=np.array([row.set for row in kept for _ in row.asked]),
        )

    def by_row(self, values: Sequence[object]) -> Array:
        """A value of each row for its sentences."""
        return np.repeat(np.array(values), [len(row.asked) for row in self.rows])


@dataclass(frozen=True)
class Taken:
    """What responses take of document sentences, and how far each tells what is relevant."""

    features: Array
    trust: Array

    @classmethod
    def of(cls, data: Sentences, support: Linear, answers: Sequence[Answer]) -> Taken:
        trust = [supported_share(one, support) * one.on_topic for one in answers]
        features = np.array([each for one in answers for each in one.taken])
        return cls(features, data.by_row(trust))


@dataclass(frozen=True)
class RelevanceModel:
    """By the question, and what a response adds; `support` is the model of its claims."""

    question: Linear
    answer: Linear
    support: Linear

    @classmethod
    def fitted(cls, data: Sentences, chosen: Array, support: Linear) -> RelevanceModel:
        labels, sets = data.labels[chosen], data.sets[chosen]
        taken = Taken.of(data, support, [row.answer for row in data.rows])
        question = fit(data.asked[chosen], labels, sets)
        known = question(data.asked[chosen])
        answer = fit_beside(taken.features[chosen], labels, sets, known, taken.trust[chosen])
        return cls(question, answer, support)

    def __call__(self, data: Sentences, answers: Sequence[Answer]) -> Array:
        taken = Taken.of(data, self.support, answers)
        return self.question(data.asked) + taken.trust * self.answer(taken.features)


def in_place(data: Sentences, name: str) -> tuple[Sequence[Answer], Array]:
    """Responses in place of the rows' own, and which sentences have one."""
    none = [Answer(taken=[(0.0,) * len(each) for each in row.answer.taken]) for row in data.rows]
    if name == "refusal":
        return none, np.ones(len(data.labels), bool)
    answers = [row.stand_ins.get(name, empty) for row, empty in zip(data.rows, none, strict=True)]
    return answers, data.by_row([name in row.stand_ins for row in data.rows])


def probability(log_odds: Array) -> Array:
    return 1 / (1 + np.exp(-log_odds))


def best_threshold(
    log_odds: Array, data: Sentences, low: float | None = None, trust: Array | float = 1.0
) -> float:
    """The highest probability whose mean F1 over the sets is nearly the best there is.

    With `low`, the threshold without trust, it is that for full trust, and what is between is on
    the line between both.
    """
    values = probability(log_odds)
    grid = np.arange(0.1, 0.9, 0.01)
    sets = [data.sets == name for name in np.unique(data.sets)]
    means = []
    for limit in grid:
        limits = limit if low is None else low + trust * (limit - low)
        is_found = values >= limits
        means.append(np.mean([f1_score(data.labels[s], is_found[s]) for s in sets]))
    return round(float(grid[np.array(means) >= max(means) - NEARLY].max()), 2)


def used_by_label(data: Sentences) -> Mapping[str, Array]:
    """Which sentences to look at alone: where the response, by its labels, went wrong."""
    unsupported = data.by_row([row.is_unsupported is True for row in data.rows])
    left = np.array(
        [not each for row in data.rows for each in (row.utilized or [True] * len(row.asked))]
    )
    return {"unsupported responses": unsupported, "sentences not utilized": left}
