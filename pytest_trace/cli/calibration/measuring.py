"""What is measured on a set: functions from how often each row counts to named figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from pytest_trace.cli.calibration.judging import Judged
from pytest_trace.datasets.labels import LabeledTrace
from pytest_trace.measures.agreement import (
    Confusion,
    Confusions,
    Ranking,
    Weights,
    brier,
    rmse,
    rmse_of_mean,
    weighted_mean,
)
from pytest_trace.measures.reliability import calibration_error, equal_mass_bins

Measured = Mapping[str, float | None]
Measure = Callable[[Weights | None], Measured]

SCORES: Final = ("relevance", "utilization", "completeness")
_KINDS: Final = {"relevance": "relevant", "utilization": "utilized"}
_NOTHING: Final = Confusion()


def measures_of(judged: Sequence[Judged], max_false_alarms: float) -> list[Measure]:
    """All but those of thresholds and peers."""
    return [
        response_measure(judged, max_false_alarms),
        *(sentence_measure(judged, name) for name in _KINDS),
        *(score_measure(judged, name) for name in SCORES),
        calibration_measure(judged),
    ]


def response_measure(judged: Sequence[Judged], max_false_alarms: float) -> Measure:
    """Finding hallucinated responses: by rank, and by the judge's own decision.

    Where only one label occurs, nothing can be found or confused: what remains is its own rate.
    """
    known = _known(judged)
    ranking = hallucination_ranking(known, [-item.score for _, item in known])
    confusions = Confusions(flag_confusions(judged, [item.is_flagged for item in judged]))

    def measure(weights: Weights | None) -> Measured:
        total = confusions.total(weights)
        has_both = total.recall is not None and total.false_alarms is not None
        return {
            "hallucinated": total.prevalence,
            "auroc": ranking.auroc(weights),
            "recall_at": ranking.recall_at(max_false_alarms, weights),
            "balanced_accuracy": total.balanced_accuracy,
            "kappa": total.kappa if has_both else None,
            "precision": total.precision if has_both else None,
            "recall": total.recall,
            "f1": total.f1 if has_both else None,
            "false_alarms": total.false_alarms,
        }

    return measure


def hallucination_ranking(known: Sequence[tuple[int, Judged]], doubts: Sequence[float]) -> Ranking:
    """Rows by how much doubt there is of each; positive is what is labelled hallucinated."""
    labels = [not item.labels.is_supported for _, item in known]
    return Ranking(doubts, labels, [number for number, _ in known])


def flag_confusions(judged: Sequence[Judged], flags: Iterable[bool]) -> list[Confusion]:
    """For each row its flag against its label; nothing for a row without a label."""
    return [
        _NOTHING
        if item.labels.is_supported is None
        else Confusion.of([flag], [not item.labels.is_supported])
        for item, flag in zip(judged, flags, strict=True)
    ]


def _known(judged: Sequence[Judged]) -> list[tuple[int, Judged]]:
    """The rows that are labelled supported or not, with their numbers."""
    return [each for each in enumerate(judged) if each[1].labels.is_supported is not None]


def sentence_measure(judged: Sequence[Judged], name: str) -> Measure:
    """Relevant or utilized document sentences: by rank and by decision, over all of the set."""
    kind = _KINDS[name]
    known = [
        (number, item)
        for number, item in enumerate(judged)
        if getattr(item.labels, kind) is not None
        and getattr(item.evaluation.scores, name) is not None
    ]
    ranking = _sentence_ranking(known, kind)
    cells = [_NOTHING] * len(judged)
    for number, item in known:
        decided = getattr(item.evaluation.verdict, kind)
        keys = [sentence.key for sentence in item.labels.sentences.counted]
        labels = getattr(item.labels, kind)
        cells[number] = Confusion.of([k in decided for k in keys], [k in labels for k in keys])
    confusions = Confusions(cells)
    return lambda weights: {
        f"{name}_auroc": ranking.auroc(weights),
        f"{name}_f1": confusions.total(weights).f1,
    }


def _sentence_ranking(known: Iterable[tuple[int, Judged]], kind: str) -> Ranking:
    """By probability; a judge that gives none is ranked by what it decided."""
    known = list(known)
    by_probability = [each for each in known if _probabilities(each[1], kind) is not None]
    scores, labels, groups = [], [], []
    for number, item in by_probability or known:
        decided = getattr(item.evaluation.verdict, kind)
        given = _probabilities(item, kind) or {}
        for sentence in item.labels.sentences.counted:
            scores.append(given.get(sentence.key, float(sentence.key in decided)))
            labels.append(sentence.key in getattr(item.labels, kind))
            groups.append(number)
    return Ranking(scores, labels, groups)


def _probabilities(item: Judged, kind: str) -> Mapping[str, float] | None:
    given: Mapping[str, float] | None = getattr(item.evaluation.verdict, f"{kind}_probability")
    return given


def score_measure(judged: Sequence[Judged], name: str) -> Measure:
    """The RMSE of a score, and that of predicting its mean on the same rows."""
    pairs = [
        (number, ours, label)
        for number, item in enumerate(judged)
        if (ours := getattr(item.evaluation.scores, name)) is not None
        and (label := labelled_score(item.labels, name)) is not None
    ]
    ours = [pair[1] for pair in pairs]
    labels = [pair[2] for pair in pairs]

    def measure(weights: Weights | None) -> Measured:
        own = weights and [weights[number] for number, _, _ in pairs]
        return {
            f"{name}_rmse": rmse(ours, labels, own),
            f"{name}_rmse_of_mean": rmse_of_mean(labels, own),
        }

    return measure


def labelled_score(labels: LabeledTrace, name: str) -> float | None:
    """A TRACe score by the labels: |R|/|S|, |U|/|S| or |R∩U|/|R|; None where undefined."""
    counted = frozenset(sentence.key for sentence in labels.sentences.counted)
    relevant, utilized = labels.relevant, labels.utilized
    if name == "completeness":
        if relevant is None or utilized is None or not relevant & counted:
            return None
        return len(relevant & utilized & counted) / len(relevant & counted)
    keys = relevant if name == "relevance" else utilized
    return len(keys & counted) / len(counted) if keys is not None and counted else None


def calibration_measure(judged: Sequence[Judged]) -> Measure:
    """Whether the probability of support is one."""
    known, probabilities, outcomes = probabilities_of(judged)

    def measure(weights: Weights | None) -> Measured:
        own = weights and [weights[number] for number in known]
        share = weighted_mean(outcomes, own)
        bins = equal_mass_bins(probabilities, outcomes, own)
        return {
            "brier": brier(probabilities, outcomes, own),
            "brier_of_share": None if share is None else share * (1 - share),
            "calibration_error": calibration_error(bins),
        }

    return measure


def probabilities_of(judged: Sequence[Judged]) -> tuple[list[int], list[float], list[float]]:
    """Of the rows with label and probability: number, probability, and 1.0 if it is supported."""
    known = [
        (number, item.probability, float(bool(item.labels.is_supported)))
        for number, item in _known(judged)
        if item.probability is not None
    ]
    return [each[0] for each in known], [each[1] for each in known], [each[2] for each in known]


def flag_measure(judged: Sequence[Judged], flags: Sequence[bool], name: str) -> Measure:
    """Recall and false alarms of flags that were chosen elsewhere."""
    confusions = Confusions(flag_confusions(judged, flags))

    def measure(weights: Weights | None) -> Measured:
        total = confusions.total(weights)
        return {f"{name}_recall": total.recall, f"{name}_false_alarms": total.false_alarms}

    return measure
