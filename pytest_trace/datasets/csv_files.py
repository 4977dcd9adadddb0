"""Rows of a table in text: the first line names the fields."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pytest_trace.datasets.files import Row, opened_text
from pytest_trace.errors import InvalidCase

_LONGEST_CELL = min(sys.maxsize, 2**31 - 1)  # a C long, which Windows has at 32 bits


def read_csv_rows(path: Path, *, delimiter: str) -> Iterator[Row | InvalidCase]:
    """The rows of a table; each stands at the line where it begins."""
    with opened_text(path, "cases", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        names: list[str] | None = None
        line = 1
        while (cells := _next(reader, f"{path.name}:{line}")) is not None:
            if isinstance(cells, InvalidCase):
                yield cells
            elif names is None:
                names = _head(cells, path, delimiter) if cells else None
            elif cells:
                yield _row(cells, names, line, f"{path.name}:{line}")
            line = reader.line_num + 1


def _next(reader: Iterator[list[str]], where: str) -> list[str] | InvalidCase | None:
    """The cells of the next row, or what is wrong with them; None where there is no more.

    The longest cell that `csv` takes is a setting of the whole process, and too short for pages.
    """
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(reader, None)
    except csv.Error as error:
        return InvalidCase(f"{where} is no row of a table: {error}")
    finally:
        csv.field_size_limit(before)


def _head(cells: list[str], path: Path, delimiter: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise InvalidCase(f"{path.name} has more than one column {', '.join(map(repr, doubles))}")
    if len(names) == 1 and any(other in names[0] for other in ";\t,"):
        raise InvalidCase(
            f"{path.name} has one column, {names[0]!r}; expected the names of the fields "
            f"with {delimiter!r} between them"
        )
    return names


def _row(cells: list[str], names: list[str], line: int, where: str) -> Row | InvalidCase:
    if len(cells) != len(names):
        return InvalidCase(f"{where} has {len(cells)} cells; expected {len(names)}, as the head")
    return Row(dict(zip(names, cells, strict=True)), line, where, has_text_cells=True)
