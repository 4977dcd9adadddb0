"""What is counted while rows go by, and the figures that come of it."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any, Final

from pytest_trace.cli.triads.baseline import Difference
from pytest_trace.cli.triads.judging import TRACE_SCORES, TraceRow
from pytest_trace.cli.triads.rows import SCORES, ScoredRow
from pytest_trace.measures.movement import Movement

MOVES: Final = tuple(each.name for each in fields(Movement))


def _values() -> array[float]:
    return array("d")


@dataclass(slots=True)
class Tally:
    """The values of one score, eight bytes each, and why others have none."""

    values: array[float] = field(default_factory=_values)
    undefined: Counter[str] = field(default_factory=Counter)
    low: int = 0

    @property
    def mean(self) -> float | None:
        """Exactly rounded, so that no order of adding shows in it."""
        return math.fsum(self.values) / len(self.values) if self.values else None

    def to_json(self) -> dict[str, Any]:
        """Mean and counts as JSON values."""
        return {
            "mean": self.mean,
            "defined": len(self.values),
            "undefined": dict(sorted(self.undefined.items())),
        }


@dataclass(slots=True)
class Comparison:
    """A configuration beside the baseline, over the query ids that both have."""

    baseline: str
    common: int = 0
    only_here: int = 0
    only_in_baseline: int = 0
    other_query: int = 0
    deltas: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in SCORES})
    moves: Counter[str] = field(default_factory=Counter)
    judged: int = 0

    def add(self, difference: Difference | None) -> None:
        """Count the row that differs so; None for a query that the baseline does not have."""
        if difference is None:
            self.only_here += 1
            return
        self.common += 1
        self.other_query += not difference.is_same_query
        for name, delta in zip(SCORES, difference.deltas, strict=True):
            if delta is not None:
                self.deltas[name].values.append(delta)
        if difference.movement is not None:
            self.judged += 1
            for name in MOVES:
                self.moves[name] += len(getattr(difference.movement, name))

    def to_json(self) -> dict[str, Any]:
        """Counts, mean differences and movements as JSON values."""
        return {
            "baseline": self.baseline,
            "common": self.common,
            "only_here": self.only_here,
            "only_in_baseline": self.only_in_baseline,
            "other_query": self.other_query,
            "delta": {
                name: {"mean": tally.mean, "rows": len(tally.values)}
                for name, tally in self.deltas.items()
            },
            "movement": {"rows": self.judged, **{name: self.moves[name] for name in MOVES}},
        }


@dataclass(slots=True)
class Totals:
    """Everything that is counted of one configuration."""

    name: str
    file: str
    rows: int = 0
    scores: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in SCORES})
    complete: Tally = field(default_factory=Tally)
    flags: Counter[str] = field(default_factory=Counter)
    trace: dict[str, Tally] | None = None
    bad_rows: list[str] = field(default_factory=list)
    comparison: Comparison | None = None

    def add(self, row: ScoredRow) -> None:
        """Count a row."""
        self.rows += 1
        self.flags.update(row.flags)
        for name, value in zip(SCORES, row.scores, strict=True):
            tally = self.scores[name]
            if value is None:
                tally.undefined[row.undefined.get(name, "no_part_is_defined")] += 1
            else:
                tally.values.append(value)
            tally.low += name in row.low
        if not row.undefined and row.scores[-1] is not None:
            self.complete.values.append(row.scores[-1])

    def add_trace(self, row: TraceRow) -> None:
        """Count what a judge made of a row."""
        if self.trace is None:
            self.trace = {name: Tally() for name in TRACE_SCORES}
        for name, tally in self.trace.items():
            value = row.scores.get(name)
            if value is None:
                tally.undefined[row.reason or "undefined"] += 1
            else:
                tally.values.append(value)

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON values."""
        data: dict[str, Any] = {
            "file": self.file,
            "rows": self.rows,
            "scores": {
                name: tally.to_json() | {"low": tally.low} for name, tally in self.scores.items()
            },
            "triad_of_complete_rows": {
                "mean": self.complete.mean,
                "rows": len(self.complete.values),
            },
            "flags": dict(sorted(self.flags.items())),
            "bad_rows": list(self.bad_rows),
        }
        if self.trace is not None:
            data["trace"] = {name: tally.to_json() for name, tally in self.trace.items()}
        if self.comparison is not None:
            data["against_baseline"] = self.comparison.to_json()
        return data
