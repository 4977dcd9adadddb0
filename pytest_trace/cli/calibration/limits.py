"""A threshold of the probability that keeps false alarms rare, and what it does on other rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_trace.cli.calibration.judging import Judged, SetRun
from pytest_trace.measures.thresholds import Scored, cluster_folds, flags_of_folds, threshold

FOLDED: Final = "folds"
LEFT_OUT: Final = "left_out_set"

Flags = Mapping[str, Sequence[bool]]
"""For each set, which of its rows are flagged."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold: a response whose probability is below it is called hallucinated.

    `flags` says, by how it was tested, what thresholds that were chosen on other rows flag:
    `FOLDED`, on other clusters of all the sets, and `LEFT_OUT`, on the other sets.
    """

    value: float | None
    max_false_alarms: float
    flags: Mapping[str, Flags]


def choose_limit(runs: Sequence[SetRun], max_false_alarms: float) -> Limit:
    """The threshold by all rows that are labelled supported."""
    judged = [(run.name, item) for run in runs for item in run.judged]
    cases = [_scored(name, item) for name, item in judged if item.labels.is_supported is not None]
    value = threshold(cases, max_false_alarms)
    tests: dict[str, Sequence[Hashable]] = {FOLDED: cluster_folds(cases)}
    if len({case.set for case in cases}) > 1:
        tests[LEFT_OUT] = [case.set for case in cases]
    flags: dict[str, Flags] = {}
    for name, folds in tests.items():
        if (found := flags_of_folds(cases, folds, max_false_alarms)) is not None:
            flags[name] = _by_set(judged, found)
    return Limit(value, max_false_alarms, flags)


def _scored(name: str, item: Judged) -> Scored:
    return Scored(item.score, bool(item.labels.is_supported), name, item.labels.cluster)


def _by_set(judged: Sequence[tuple[str, Judged]], flags: Sequence[bool]) -> Flags:
    """The flags of all rows; one without a label has none, and counts nowhere."""
    following = iter(flags)
    by_set: dict[str, list[bool]] = {}
    for name, item in judged:
        is_known = item.labels.is_supported is not None
        by_set.setdefault(name, []).append(is_known and next(following))
    return by_set
