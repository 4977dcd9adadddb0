"""Files of rows: each row as it came, and where it stands."""

from __future__ import annotations

import errno
import gzip
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from pytest_trace.errors import InvalidCase

FORMS: Final = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
"""The names of files that are read; those of text may have `.gz` behind them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its fields, its line (its number in files without lines), and both for messages.

    In a table of texts a list is a text as well.
    """

    data: Mapping[str, Any]
    number: int
    where: str
    has_text_cells: bool = False


def read_rows(path: Path) -> Iterator[Row | InvalidCase]:
    """Each row of a file, or what is wrong with it; what is no file of rows is raised.

    Everything but a JSON list is read a few rows at a time.
    """
    if path.is_dir():
        from pytest_trace.datasets.saved_datasets import read_dataset_rows

        return read_dataset_rows(path)
    form = Path(path.name.removesuffix(".gz")).suffix.lower()
    if form == ".jsonl":
        from pytest_trace.datasets.json_files import read_jsonl_rows

        return read_jsonl_rows(path)
    if form == ".json":
        from pytest_trace.datasets.json_files import read_json_rows

        return read_json_rows(path)
    if form in {".csv", ".tsv"}:
        from pytest_trace.datasets.csv_files import read_csv_rows

        return read_csv_rows(path, delimiter="\t" if form == ".tsv" else ",")
    if form == ".parquet":
        from pytest_trace.datasets.arrow import read_parquet

        return numbered(read_parquet(path), path)
    if not path.exists():
        raise InvalidCase(f"cannot read the cases in {path}: {os.strerror(errno.ENOENT)}")
    raise InvalidCase(
        f"{path} is no file of cases by its name; expected {', '.join(FORMS)}, "
        "or a folder that datasets' save_to_disk wrote"
    )


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
