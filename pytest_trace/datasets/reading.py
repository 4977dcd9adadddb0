"""Reading cases from files: one at a time or all, with what to do about a row that is wrong."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from pytest_trace.datasets.case_rows import CaseRow
from pytest_trace.datasets.cases import Case
from pytest_trace.datasets.files import Row
from pytest_trace.datasets.forms import read_rows
from pytest_trace.datasets.shapes import PARTS, Shape, known_shape, named_shape
from pytest_trace.errors import InvalidCase, SkippedRows, UnknownName

OnBadRow = Literal["fail", "skip"]
_NO_FIELDS: Final[Mapping[str, str]] = MappingProxyType({})
_MOST_NAMED: Final = 20


def read_cases(
    path: str | os.PathLike[str],
    *,
    shape: str | None = None,
    fields: Mapping[str, str] = _NO_FIELDS,
    on_bad_row: OnBadRow = "fail",
    on_skipped: Callable[[InvalidCase], Any] | None = None,
) -> list[Case]:
    """Every case of a file; as `iter_cases`."""
    return list(
        iter_cases(path, shape=shape, fields=fields, on_bad_row=on_bad_row, on_skipped=on_skipped)
    )


def iter_cases(
    path: str | os.PathLike[str],
    *,
    shape: str | None = None,
    fields: Mapping[str, str] = _NO_FIELDS,
    on_bad_row: OnBadRow = "fail",
    on_skipped: Callable[[InvalidCase], Any] | None = None,
) -> Iterator[Case]:
    """The cases of a file, one at a time: memory does not grow with it, but for a JSON list.

    By its name the file is `.jsonl`, `.json`, `.csv`, `.tsv` (each may have `.gz` behind it) or
    `.parquet`, or it is a folder that `save_to_disk` of Hugging Face's datasets wrote.
    The shape of a row is known by its fields, unless `shape` says it: `own`, `predictions`,
    `ragas`, `deepeval`, `trulens`, `promptfoo`. `fields` says which field holds a part of the case
    in place of the shape's: `{"question": "prompt", "documents": "vars.chunks"}`.

    Raises `InvalidCase` naming the file that cannot be read or has no case, or line and field of
    the first row that is wrong. With `on_bad_row="skip"` such rows are left out: each goes to
    `on_skipped`, or else a `SkippedRows` warning counts and names them at the end. Raises
    `UnknownName` for a shape or a part that there is not, `MissingExtra` without pyarrow.
    """
    chosen = None if shape is None else named_shape(shape)
    if on_bad_row not in get_args(OnBadRow):
        raise UnknownName(f"on_bad_row is {on_bad_row!r}; known: {', '.join(get_args(OnBadRow))}")
    file, said = Path(path), _known_parts(fields)
    rows = (_case_or_fault(row, file.name, chosen, said) for row in read_rows(file))
    return _good_ones(rows, file, on_bad_row, on_skipped)


def _known_parts(fields: Any) -> dict[str, str]:
    if not isinstance(fields, Mapping):
        came = type(fields).__name__
        raise TypeError(f"fields is a {came}; expected a dict such as {{'question': 'prompt'}}")
    if unknown := [part for part in fields if part not in {*PARTS, "reference"}]:
        raise UnknownName(
            f"a case has no part {', '.join(map(repr, unknown))}; known: {', '.join(PARTS)}"
        )
    return {"references" if part == "reference" else part: fields[part] for part in fields}


def _case_or_fault(
    row: Row | InvalidCase, name: str, shape: Shape | None, fields: Mapping[str, str]
) -> Case | InvalidCase:
    if isinstance(row, InvalidCase):
        return row
    try:
        return CaseRow(row, shape or _told_shape(row, fields), fields).case(name)
    except InvalidCase as error:
        return error


def _told_shape(row: Row, fields: Mapping[str, str]) -> Shape:
    """The shape that the fields tell which are not said to hold something."""
    said = {name.partition(".")[0] for name in fields.values()}
    try:
        return known_shape([name for name in row.data if name not in said], is_own=bool(fields))
    except ValueError as error:
        raise InvalidCase(f"{row.where} {error}") from error


def _good_ones(
    rows: Iterator[Case | InvalidCase],
    path: Path,
    on_bad_row: OnBadRow,
    on_skipped: Callable[[InvalidCase], Any] | None,
) -> Iterator[Case]:
    count, skipped = 0, Skipped()
    for row in rows:
        if isinstance(row, Case):
            count += 1
            yield row
        elif on_bad_row == "fail":
            raise row
        else:
            skipped.add(row)
            if on_skipped is not None:
                on_skipped(row)
    if skipped.count and on_skipped is None:
        warnings.warn(skipped.warning(path, count), stacklevel=2)
    if not count:
        wrong = f" that can be read: all {skipped.count:,} rows are wrong" if skipped.count else ""
        raise InvalidCase(f"{path} holds no case{wrong}; expected {_expected(path)}")


class Skipped:
    """Rows that are left out because they are wrong; of many only the first are named."""

    def __init__(self) -> None:
        self.count = 0
        self._named: list[str] = []

    def add(self, error: InvalidCase) -> None:
        """Count a row that is wrong."""
        self.count += 1
        if self.count <= _MOST_NAMED:
            self._named.append(str(error))

    def warning(self, path: Path, read: int) -> SkippedRows:
        """What to tell when `read` other rows of the file could be read."""
        more = self.count - len(self._named)
        rows = f"{self.count:,} of {self.count + read:,} rows"
        lines = [f"{path.name}: left out {rows}, which cannot be read:", *self._named]
        return SkippedRows("\n  ".join([*lines, *([f"and {more:,} more"] if more else [])]))


def _expected(path: Path) -> str:
    is_lines = path.name.removesuffix(".gz").endswith(".jsonl")
    return "one JSON object a line" if is_lines else "one row a case"
