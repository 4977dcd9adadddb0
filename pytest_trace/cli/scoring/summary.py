"""What all rows say together: sums that are kept while they pass, whatever their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_trace.cli.layout import table
from pytest_trace.evaluation_config import METADATA_KEY, EvaluationConfig, describe_mix
from pytest_trace.explain import format_score
from pytest_trace.report.means import SCORES
from pytest_trace.report.screen import Screen, plural

_HEADS: Final = ("R", "T", "C", "A", "support")
_MOST_CONFIGS: Final = 1000  # more are told as so many
_MOST_MESSAGES: Final = 10
_MOST_IDS: Final = 5


@dataclass(slots=True)
class _Fault:
    """Rows that met the same fault: the first of them, and how many."""

    ids: list[str] = field(default_factory=list)
    count: int = 0


class Summary:
    """Means, counts and faults of the rows so far; `add` takes them in the order of the file."""

    def __init__(self) -> None:
        self.rows = 0
        self.faults = 0
        self._hallucinated = 0
        self._refused = 0
        self._sums = dict.fromkeys(SCORES, 0.0)
        self._counts = dict.fromkeys(SCORES, 0)
        self._configs = Counter[EvaluationConfig | None]()
        self._by_message: dict[str, _Fault] = {}
        self._other_faults = 0

    def add(self, data: Mapping[str, Any]) -> None:
        """Count a row, as it was read."""
        self.rows += 1
        if "error" in data:
            self.faults += 1
            self._add_fault(data)
            return
        config = data.get(METADATA_KEY)
        self._count_config(None if config is None else EvaluationConfig.from_json(config))
        scores = data["scores"]
        self._hallucinated += not scores["adherence"]
        self._refused += data["refused"]
        for name in SCORES:
            if scores[name] is not None:
                self._sums[name] += scores[name]
                self._counts[name] += 1

    def _count_config(self, config: EvaluationConfig | None) -> None:
        if config in self._configs or len(self._configs) < _MOST_CONFIGS:
            self._configs[config] += 1

    def _add_fault(self, data: Mapping[str, Any]) -> None:
        error = data["error"]
        message = "; ".join([error["message"], *error["details"]])
        if message not in self._by_message and len(self._by_message) == _MOST_MESSAGES:
            self._other_faults += 1
            return
        fault = self._by_message.setdefault(message, _Fault())
        fault.count += 1
        if len(fault.ids) < _MOST_IDS:
            fault.ids.append(data["id"])

    @property
    def judged(self) -> int:
        """Rows that have scores."""
        return self.rows - self.faults

    @property
    def hallucinated_share(self) -> float | None:
        """The share of judged rows with a sentence that nothing supports."""
        return self._hallucinated / self.judged if self.judged else None

    @property
    def mix(self) -> str | None:
        """How judged rows differ in their configurations of retrieval; None where they do not."""
        return describe_mix(self._configs)

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "rows": self.rows,
            "judged": self.judged,
            "errors": self.faults,
            "hallucinated": self._hallucinated,
            "hallucinated_share": self.hallucinated_share,
            "refused": self._refused,
            "means": {name: self._mean(name) for name in SCORES},
            "rows_with_that_score": dict(self._counts),
            "mixed_configurations": self.mix,
            "error_messages": [
                {"message": message, "rows": fault.count, "ids": fault.ids}
                for message, fault in self._by_message.items()
            ],
        }

    def lines(self, screen: Screen) -> Iterator[str]:
        """The table of means, the counts, and the faults."""
        if self.judged:
            yield ""
            yield from table("Means", ("", *_HEADS), self._table_rows(screen), screen)
            yield ""
            share = f"{self.hallucinated_share or 0.0:.1%}".replace("%", " %")
            yield (
                f"hallucinated: {self._hallucinated:,} of {plural(self.judged, 'judged row')}, "
                f"{share}; refusals: {self._refused:,}"
            )
            if self.mix:
                yield from (line.text for line in screen.folded(f"Beware: over {self.mix}"))
        if self.faults:
            yield ""
            faults = plural(self.faults, "row")
            yield f"Not judged, and in no mean: {faults}; --retry-errors asks again"
            for text in self._fault_texts():
                yield from (line.text for line in screen.folded(f"- {text}"))

    def _table_rows(self, screen: Screen) -> list[tuple[str, ...]]:
        means = (_shown(self._mean(name), screen) for name in SCORES)
        return [
            ("mean", *means),
            ("rows with that score", *(f"{self._counts[name]:,}" for name in SCORES)),
        ]

    def _fault_texts(self) -> Iterator[str]:
        for message, fault in self._by_message.items():
            more = fault.count - len(fault.ids)
            others = f" and {more:,} more" if more else ""
            yield f"{', '.join(fault.ids)}{others}: {message}"
        if self._other_faults:
            yield f"and {plural(self._other_faults, 'row')} with other messages"

    def _mean(self, name: str) -> float | None:
        return self._sums[name] / self._counts[name] if self._counts[name] else None


def _shown(score: float | None, screen: Screen) -> str:
    return screen.undefined if score is None else format_score(score)
