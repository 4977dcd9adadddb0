"""The columns of a judge: TRACe scores beside the deterministic ones, and never mixed with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_trace.cli.asking import Asker
from pytest_trace.cli.ordering import in_order
from pytest_trace.cli.triads.rows import ScoredRow
from pytest_trace.datasets.prediction_fields import Fields
from pytest_trace.datasets.predictions import Prediction, RawLine, parse_prediction
from pytest_trace.errors import InvalidTrace, JudgeError
from pytest_trace.evaluation import Settings, evaluate_with
from pytest_trace.judges import make_judge
from pytest_trace.sentences import make_sentencizer
from pytest_trace.store.run_state import RunState, RunTotals
from pytest_trace.trace import Document, Trace

TRACE_SCORES: Final = ("relevance", "utilization", "completeness", "adherence", "support")
EMPTY: Final = "empty_generation"
NOT_JUDGED: Final = "not_judged"
NO_TRACE: Final = "no_trace"
_MOST_REMEMBERED: Final = 1000

GoodRow = tuple[RawLine, ScoredRow]


@dataclass(frozen=True, slots=True)
class TraceRow:
    """The TRACe scores of a row; where there are none, why."""

    scores: Mapping[str, float | None] = field(default_factory=dict)
    reason: str | None = None
    message: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The scores as JSON values; a row without any has the reason."""
        data: dict[str, Any] = {name: self.scores.get(name) for name in TRACE_SCORES}
        if self.reason is not None:
            data["reason"] = self.reason
        if self.message is not None:
            data["message"] = self.message
        return data


class TraceColumns:
    """A judge that gives each row its TRACe scores, `concurrency` rows at once.

    `say` is told once of a cache that cannot be used.
    """

    def __init__(
        self,
        spec: str,
        *,
        cache: Path | None,
        fields: Fields,
        top_k: int | None,
        concurrency: int,
        say: Callable[[str], None],
    ) -> None:
        self._state = RunState(None, say=say)
        self.judge = make_judge(spec, state=lambda: self._state)
        self._settings = Settings(judge=self.judge, sentencizer=make_sentencizer())
        self._asker = Asker(self.judge, cache=cache, say=say, most_remembered=_MOST_REMEMBERED)
        self._fields = fields
        self._top_k = top_k
        self._concurrency = concurrency
        self.outcomes = Counter[str | None]()
        self.first_fault: str | None = None

    @property
    def sentencizer(self) -> str:
        """By which rules sentences are split."""
        return self._settings.sentencizer.version

    def of(self, rows: Iterable[GoodRow]) -> Iterator[tuple[ScoredRow, TraceRow]]:
        """Each row with its scores, in order."""
        for row, judged in in_order(self._judged, rows, width=self._concurrency):
            self.outcomes[judged.reason] += 1
            if judged.reason == NOT_JUDGED and self.first_fault is None:
                self.first_fault = judged.message
            yield row, judged

    def totals(self) -> RunTotals:
        """What the calls took."""
        return self._state.totals()

    def close(self) -> None:
        """Close the cache."""
        self._asker.close()

    def _judged(self, good: GoodRow) -> tuple[ScoredRow, TraceRow]:
        line, scored = good
        row = parse_prediction(line, self._fields)
        if not row.generation.strip():
            return scored, TraceRow(reason=EMPTY)
        try:
            scores = evaluate_with(self._trace(row), self._settings, self._asker.ask).scores
        except InvalidTrace as error:
            return scored, TraceRow(reason=NO_TRACE, message=str(error))
        except JudgeError as error:
            return scored, TraceRow(reason=NOT_JUDGED, message=str(error))
        return scored, TraceRow({name: getattr(scores, name) for name in TRACE_SCORES})

    def _trace(self, row: Prediction) -> Trace:
        shown = row.passages[: self._top_k]
        documents = [Document(each.text, id=each.id, title=each.title) for each in shown]
        return Trace(row.query, documents, row.generation)
