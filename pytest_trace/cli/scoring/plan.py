"""What is written already, and which cases are left."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_trace.cli.scoring.out_file import WrittenRow, written_rows
from pytest_trace.cli.scoring.paths import retry_path
from pytest_trace.cli.scoring.rows import Row
from pytest_trace.datasets.cases import Case


class Plan:
    """Rows are added to `path`, which is `out`.

    Where faults are asked about again it is another file, which takes the place of `out` when it
    is whole; until then nothing of `out` is touched, and that file, too, can be gone on with.
    """

    def __init__(self, out: Path, *, retry_errors: bool) -> None:
        self.faults = sum(row.is_fault for row in written_rows(out)) if retry_errors else 0
        self.path = retry_path(out) if self.faults else out
        self._out = out

    def kept(self, begin: int) -> Iterator[WrittenRow]:
        """The rows of `out`, from the row `begin` on, that are gone through again."""
        return written_rows(self._out, begin=begin) if self.faults else iter(())

    def merged(self, begin: int, fresh: Iterator[Row]) -> Iterator[Row]:
        """All rows to add: kept ones as they are, and new ones in place of faults and behind."""
        for row in self.kept(begin):
            yield next(fresh) if row.is_fault else Row(row.text, is_kept=True)
        yield from fresh

    def finish(self) -> None:
        """Every row stands in `path`."""
        if self.faults:
            os.replace(self.path, self._out)  # noqa: PTH105 - an atomic end


def cases_to_ask(
    cases: Iterable[Case], kept: Iterator[WrittenRow], after_line: int
) -> Iterator[Case]:
    """The cases behind a line that no kept row answers, in their order."""
    answered = next(kept, None)
    for case in cases:
        if case.line <= after_line:
            continue
        if answered is not None and answered.line == case.line:
            is_fault, answered = answered.is_fault, next(kept, None)
            if not is_fault:
                continue
        yield case
