"""All that one calibration found, and how it is told: as lines or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from pytest_trace.cli.calibration.files import report_json
from pytest_trace.cli.calibration.judging import Judged, NotJudged, SetRun
from pytest_trace.cli.calibration.report import Report
from pytest_trace.cli.calibration.tables import tables, warnings
from pytest_trace.judges import Judge, judge_name
from pytest_trace.report.screen import Screen, plural
from pytest_trace.report.summary import usage_lines
from pytest_trace.store.run_state import RunTotals

_MOST_ROWS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was asked for, what came, and what it took.

    `sources` counts where verdicts came from, and is empty for a judge that is free.
    """

    judge: Judge
    marks: str
    rows: int
    left_out: int
    runs: Sequence[SetRun]
    report: Report
    sources: Mapping[str, int]
    totals: RunTotals

    @property
    def judged(self) -> list[Judged]:
        """Every row that was judged."""
        return [item for run in self.runs for item in run.judged]

    @property
    def faults(self) -> list[NotJudged]:
        """Every row on which the judge could not decide."""
        return [item for run in self.runs for item in run.faults]

    @property
    def seconds(self) -> float:
        """How long judging took."""
        return sum(run.seconds for run in self.runs)

    @property
    def done(self) -> int:
        """How many rows the judge was asked about."""
        return len(self.judged) + len(self.faults)

    @property
    def progress(self) -> str:
        """How far it came."""
        return f"stopped: {self.done:,} of {plural(self.rows, 'trace')} judged"


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Everything as JSON values."""
    return {
        "judge": judge_name(outcome.judge),
        "version": outcome.judge.version,
        "marks": outcome.marks,
        "rows": outcome.rows,
        "judged": len(outcome.judged),
        "left_out": outcome.left_out,
        "seconds": outcome.seconds,
        "sources": dict(outcome.sources),
        "usage": asdict(outcome.totals) if outcome.totals.calls else None,
        "warnings": list(warnings(outcome.report)),
        **report_json(outcome.report),
    }


def outcome_lines(outcome: Outcome, screen: Screen) -> Iterator[str]:
    """Everything as lines."""
    for text in _heading(outcome):
        yield from _folded(text, screen)
    if outcome.report.sets:
        yield from tables(outcome.report, screen)
    for title, texts in (
        ("Beware", list(warnings(outcome.report))),
        ("Not judged, and in no figure", list(_fault_texts(outcome.faults))),
    ):
        if texts:
            yield ""
            yield title
            for text in texts:
                yield from _folded(f"- {text}", screen)
    if usage := usage_lines(outcome.totals, screen):
        yield from ("", *(line.text for line in usage))


def _heading(outcome: Outcome) -> Iterator[str]:
    of = f"{plural(outcome.done, 'trace')} of {plural(len(outcome.report.sets), 'set')}"
    line = f"{judge_name(outcome.judge)}, version {outcome.judge.version}: {of}"
    if outcome.seconds:
        line += f" in {outcome.seconds:.1f} s, {outcome.done / outcome.seconds:,.0f} a second"
    yield line
    if outcome.report.is_interrupted:
        yield outcome.progress
    if outcome.sources:
        came = (f"{count:,} from the {source}" for source, count in sorted(outcome.sources.items()))
        yield f"verdicts: {', '.join(came)}"
    if outcome.left_out:
        yield f"{plural(outcome.left_out, 'row')} without a response or a label left out"


def _fault_texts(faults: Sequence[NotJudged]) -> Iterator[str]:
    """What kept the judge from deciding, each once, with the rows that met it."""
    rows: dict[str, list[str]] = {}
    for fault in faults:
        rows.setdefault(fault.message, []).append(f"{fault.labels.set} {fault.labels.id}")
    for message, names in rows.items():
        more = f" and {len(names) - _MOST_ROWS:,} more" if len(names) > _MOST_ROWS else ""
        said = "; ".join(line.strip() for line in message.splitlines())
        yield f"{', '.join(names[:_MOST_ROWS])}{more}: {said}"


def _folded(text: str, screen: Screen) -> Iterator[str]:
    return (line.text for line in screen.folded(text))
