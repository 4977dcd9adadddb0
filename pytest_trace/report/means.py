"""Means of scores, and whether what they are the mean of compares at all."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_trace.errors import MixedResults
from pytest_trace.evaluation import Evaluation
from pytest_trace.evaluation_config import describe_mix

SCORES: Final = ("relevance", "utilization", "completeness", "adherence", "support")
_KINDS: Final[Mapping[str, Callable[[Evaluation], str]]] = {
    "judges": lambda row: f"{row.judge} {row.judge_version}",
    "formulas": lambda row: row.formula,
    "lengths": lambda row: row.length,
    "marks": lambda row: row.marks,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScores:
    """The mean of each score over the traces that have it; None where no trace has.

    `traces` is their number, `counts` over how many of them each mean is: an undefined score
    counts in none. `adherence` is the share of traces that are adherent.
    """

    relevance: float | None
    utilization: float | None
    completeness: float | None
    adherence: float | None
    support: float | None
    traces: int
    counts: Mapping[str, int] = field(hash=False)

    def to_json(self) -> dict[str, Any]:
        """The means, and how many traces each covers, as JSON values."""
        means = {name: getattr(self, name) for name in SCORES}
        return {**means, "traces": self.traces, "counts": dict(self.counts)}


def mean_scores(evaluations: Iterable[Evaluation]) -> MeanScores:
    """The means of evaluations, as those of `evaluate_many`.

    A `MixedResults` warning says so where the evaluations are of different configurations of
    retrieval, or where their scores do not compare: other judges, formulas, lengths or marks.
    """
    rows = list(evaluations)
    for mix in _mixes(rows):
        warnings.warn(MixedResults(f"the means are over {mix}"), stacklevel=2)
    found = {name: mean([getattr(row.scores, name) for row in rows]) for name in SCORES}
    return MeanScores(
        **{name: value for name, (value, _) in found.items()},
        traces=len(rows),
        counts={name: count for name, (_, count) in found.items()},
    )


def mean(values: Iterable[float | None]) -> tuple[float | None, int]:
    """The mean of the values that are defined, and how many these are."""
    defined = [value for value in values if value is not None]
    return (math.fsum(defined) / len(defined) if defined else None), len(defined)


def _mixes(rows: Sequence[Evaluation]) -> list[str]:
    mixes = [describe_mix(row.evaluation_config for row in rows)]
    for what, values in _KINDS.items():
        counts = Counter(values(row) for row in rows)
        if len(counts) > 1:
            told = ", ".join(f"{name} ({count:,})" for name, count in counts.most_common())
            mixes.append(f"different {what}, whose scores do not compare: {told}")
    return [mix for mix in mixes if mix is not None]
