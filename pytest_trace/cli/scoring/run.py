"""One run: what is written already is kept, the rest is worked on and added in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from pytest_trace.cli.ordering import in_order
from pytest_trace.cli.scoring.out_file import OutFile, written_rows
from pytest_trace.cli.scoring.plan import Plan, cases_to_ask
from pytest_trace.cli.scoring.rows import Row, read_row
from pytest_trace.cli.scoring.scorer import Part
from pytest_trace.cli.scoring.summary import Summary
from pytest_trace.cli.scoring.workers import Workers
from pytest_trace.datasets.cases import Case
from pytest_trace.errors import RagTraceError
from pytest_trace.report.screen import plural

_MOST_IN_A_ROW: Final = 20
"""So many rows in a row that a judge cannot be asked about, and it is not asked any more."""


class StoppedError(RagTraceError):
    """It has no use to go on; what is written stays, and the same command goes on from there."""


@dataclass(slots=True)
class Progress:
    """What a run has done so far, wherever it is stopped."""

    summary: Summary = field(default_factory=Summary)
    already: int = 0
    """Rows that stood in the file before, up to the case in line `last_line`."""
    last_line: int = 0
    worked: int = 0
    """Rows of this run."""
    sources: Counter[str] = field(default_factory=Counter)
    notices: dict[str, None] = field(default_factory=dict)


def read_written(plan: Plan) -> Progress:
    """What earlier runs have done; raises `InvalidCase` naming a line that is no row."""
    progress = Progress()
    for row in written_rows(plan.path):
        progress.summary.add(row.data)
        progress.last_line = row.line
    progress.already = progress.summary.rows
    return progress


def work(
    plan: Plan,
    cases: Iterable[Case],
    workers: Workers,
    progress: Progress,
    advance: Callable[[int], None],
) -> None:
    """Work on what is left of `cases` and write it; `advance` is told of each row.

    Raises `StoppedError` or `WorkersLostError` where it has no use to go on, `OSError` where
    nothing can be written, and KeyboardInterrupt; `progress` says how far it came.
    """
    with closing(OutFile(plan.path)) as out:
        left = cases_to_ask(cases, plan.kept(progress.already), progress.last_line)
        parts = in_order(
            workers.score,
            _parts(left, workers.part_cases),
            width=workers.width,
            window=workers.window,
        )
        with closing(parts):
            merged = plan.merged(progress.already, _fresh(parts, progress))
            for row in _while_asked(merged):
                out.append(row.text)
                progress.summary.add(read_row(row.text, str(plan.path)))
                progress.worked += not row.is_kept
                advance(1)


def _parts(cases: Iterator[Case], size: int) -> Iterator[tuple[Case, ...]]:
    while part := tuple(islice(cases, size)):
        yield part


def _fresh(parts: Iterable[Part], progress: Progress) -> Iterator[Row]:
    """The rows of this run."""
    for part in parts:
        progress.sources.update(part.sources)
        progress.notices.update(dict.fromkeys(part.notices))
        yield from (row for row in part.rows if row is not None)


def _while_asked(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows up to where asking has no use any more.

    Faults that are the judge's and not the row's are held back until another row follows: where
    none does they are not written, so that the same command asks about them again.
    """
    held: list[Row] = []
    for row in rows:
        if row.reach == "run":
            raise StoppedError(_message(row))
        if row.reach == "judge":
            held.append(row)
            if len(held) == _MOST_IN_A_ROW:
                raise StoppedError(f"{plural(len(held), 'row')} one after another: {_message(row)}")
            continue
        yield from held
        held.clear()
        yield row
    yield from held


def _message(row: Row) -> str:
    error = read_row(row.text, "a row")["error"]
    return "; ".join([error["message"], *error["details"]])
