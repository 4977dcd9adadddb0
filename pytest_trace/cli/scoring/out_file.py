"""The file that is written: whole lines are added at its end, and nothing else is done to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_trace.cli.scoring.rows import read_row

_BLOCK: Final = 1 << 16


class WrittenRow(NamedTuple):
    """A row that is there already: its line, and what stands in it."""

    text: str
    data: dict[str, Any]

    @property
    def line(self) -> int:
        """The line of its case in the input."""
        line: int = self.data["line"]
        return line

    @property
    def is_fault(self) -> bool:
        """Whether the judge could not decide."""
        return "error" in self.data


class OutFile:
    """A file of rows to add to. A line that a killed process left torn is cut off first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("ab", buffering=0)
        try:
            self._size = _whole_size(path)
            self._cut()
        except BaseException:
            self._file.close()
            raise

    def append(self, text: str) -> None:
        """Add a line. Raises `OSError` that names the file; it holds whole lines all the same."""
        data = memoryview(text.encode("ascii") + b"\n")
        end = self._size + len(data)
        try:
            while data:
                data = data[self._file.write(data) :]
            self._size = end
        except OSError as error:
            self._cut()
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        except BaseException:
            self._cut()
            raise

    def close(self) -> None:
        """Bring everything to the disk."""
        with self._file:
            os.fsync(self._file.fileno())

    def _cut(self) -> None:
        if self._file.tell() != self._size or self.path.stat().st_size != self._size:
            self._file.truncate(self._size)


def written_rows(path: Path, *, begin: int = 0) -> Iterator[WrittenRow]:
    """The rows that a file has, from the row `begin` on; none where there is no file.

    Raises `InvalidCase` naming the first line that is no row. A torn last line is none of them.
    """
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        for number, line in islice(enumerate(file, 1), begin, None):
            if line.endswith("\n"):
                yield WrittenRow(line[:-1], read_row(line, f"{path}:{number}"))


def _whole_size(path: Path) -> int:
    """How many bytes of a file are whole lines."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while size:
            start = max(0, size - _BLOCK)
            file.seek(start)
            found = file.read(size - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            size = start
    return 0
