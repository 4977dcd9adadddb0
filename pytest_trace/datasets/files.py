"""A row of a file and where it stands; text files, and what goes wrong with them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pytest_trace.errors import InvalidCase


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its fields, its line (its number in files without lines), and both for messages.

    In a table of texts a list is a text as well.
    """

    data: Mapping[str, Any]
    number: int
    where: str
    has_text_cells: bool = False


def numbered(rows: Iterator[Mapping[str, Any]], path: Path) -> Iterator[Row]:
    """Rows of a file without lines."""
    for number, data in enumerate(rows, 1):
        yield Row(data, number, f"{path.name}, row {number}")


@contextmanager
def opened_text(path: Path, what: str, *, newline: str | None = None) -> Iterator[TextIO]:
    """A file of UTF-8, which may be compressed; what cannot be read is an `InvalidCase`."""
    opener = gzip.open if path.name.endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline=newline) as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidCase(f"cannot read the {what} in {path}: {reason}") from error
    except UnicodeDecodeError as error:
        raise InvalidCase(f"{path.name} is not UTF-8: {error}") from error


def text_lines(path: Path, what: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    with opened_text(path, what) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line
