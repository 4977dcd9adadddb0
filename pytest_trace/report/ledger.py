"""Every evaluation of a run, as scores and keys: the texts are not kept."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_trace.evaluation import Evaluation
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.metrics import TraceScores


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One evaluated trace of one test."""

    nodeid: str
    judge: str
    scores: TraceScores
    is_refusal: bool
    relevant: tuple[str, ...]
    utilized: tuple[str, ...]
    unsupported: tuple[str, ...]
    notes: int = 0
    agreement: float | None = None
    config: EvaluationConfig | None = None

    @classmethod
    def of(cls, nodeid: str, evaluation: Evaluation) -> Row:
        """What is kept of `evaluation`."""
        return cls(
            nodeid=nodeid,
            judge=sys.intern(evaluation.judge),
            scores=evaluation.scores,
            is_refusal=evaluation.refused,
            notes=len(evaluation.notes),
            agreement=evaluation.verdict.agreement,
            config=evaluation.evaluation_config,
            relevant=_interned(sorted(evaluation.verdict.relevant)),
            utilized=_interned(sorted(evaluation.verdict.utilized)),
            unsupported=_interned(item.key for item in evaluation.support if not item.is_supported),
        )


@dataclass(frozen=True, slots=True)
class JudgeFault:
    """A test that met a judge that could not decide, and the judge's first line."""

    nodeid: str
    message: str


class Ledger:
    """The rows of a run, where its verdicts came from, the faults of its judges, and notices.

    A test that is run again replaces its rows: the last attempt counts.
    """

    def __init__(self) -> None:
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._faults: dict[str, JudgeFault] = {}
        self.sources: dict[str, Counter[str]] = {}
        """By judge, how many verdicts came from where: judge, memo, recording, cache; or failed."""
        self.skipped_without_key: set[str] = set()
        self.notices: dict[str, None] = {}

    def add(self, nodeid: str, evaluations: Iterable[Evaluation]) -> tuple[Row, ...]:
        """Take the evaluations of one run of a test, in the order they were made."""
        rows = tuple(Row.of(nodeid, evaluation) for evaluation in evaluations)
        self._rows[nodeid] = rows
        return rows

    def add_sources(self, sources: Mapping[str, Mapping[str, int]]) -> None:
        """Count where verdicts came from, by judge."""
        for judge, counts in sources.items():
            self.sources.setdefault(judge, Counter()).update(counts)

    def add_notices(self, notices: Iterable[str]) -> None:
        """Keep what has to be said once, however many processes say it."""
        self.notices |= dict.fromkeys(notices)

    def add_fault(self, nodeid: str, message: str) -> None:
        """Take note of a test whose judge could not decide."""
        self._faults[nodeid] = JudgeFault(nodeid, message)

    def forget_fault(self, nodeid: str) -> None:
        """The test was run again, and this time its judge decided."""
        self._faults.pop(nodeid, None)

    @property
    def rows(self) -> list[Row]:
        """Every row, in the order in which the tests ended."""
        return [row for rows in self._rows.values() for row in rows]

    @property
    def faults(self) -> list[JudgeFault]:
        """Every fault of a judge."""
        return list(self._faults.values())

    def __bool__(self) -> bool:
        return bool(self._rows or self._faults or self.skipped_without_key)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)


def _interned(keys: Iterable[str]) -> tuple[str, ...]:
    """Keys are few and stand in every row: one string each is enough for the whole run."""
    return tuple(sys.intern(key) for key in keys)
