"""All that came of one run, and how it is told: as lines or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from pytest_trace.cli.scoring.predictions import Survey
from pytest_trace.cli.scoring.run import Progress
from pytest_trace.judges import Judge, judge_name
from pytest_trace.report.screen import Screen, plural
from pytest_trace.report.summary import usage_lines
from pytest_trace.store.run_state import RunTotals


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a run, whole or not."""

    judge: Judge
    survey: Survey
    progress: Progress
    totals: RunTotals
    seconds: float

    @property
    def is_whole(self) -> bool:
        """Whether every row is written."""
        return self.progress.summary.rows == self.survey.count


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Everything as JSON values."""
    progress = outcome.progress
    return {
        "judge": judge_name(outcome.judge),
        "judge_version": outcome.judge.version,
        "input_rows": outcome.survey.count,
        "skipped_rows": outcome.survey.skipped,
        **progress.summary.to_json(),
        "is_whole": outcome.is_whole,
        "this_run": {
            "rows": progress.worked,
            "seconds": outcome.seconds,
            "rows_per_second": progress.worked / outcome.seconds if outcome.seconds else None,
            "sources": dict(progress.sources),
            "usage": asdict(outcome.totals) if outcome.totals.calls else None,
        },
    }


def outcome_lines(outcome: Outcome, screen: Screen) -> Iterator[str]:
    """Everything as lines."""
    for text in _heading(outcome):
        yield from (line.text for line in screen.folded(text))
    yield from outcome.progress.summary.lines(screen)
    if usage := usage_lines(outcome.totals, screen):
        yield from ("", *(line.text for line in usage))


def _heading(outcome: Outcome) -> Iterator[str]:
    progress = outcome.progress
    line = f"{judge_name(outcome.judge)}, version {outcome.judge.version}: "
    line += f"{plural(progress.worked, 'row')} in {outcome.seconds:.1f} s"
    if outcome.seconds and progress.worked:
        line += f", {progress.worked / outcome.seconds:,.0f} a second"
    yield line
    if progress.already:
        yield f"{plural(progress.already, 'row')} of {outcome.survey.count:,} were there already"
    if progress.sources:
        came = (
            f"{count:,} from the {source}" for source, count in sorted(progress.sources.items())
        )
        yield f"verdicts: {', '.join(came)}"
    if outcome.survey.skipped:
        yield f"{plural(outcome.survey.skipped, 'row')} of the input skipped"
