"""Files of rows in the forms that there are: each row as it came."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_trace.datasets.files import Row, numbered
from pytest_trace.errors import InvalidCase

FORMS: Final = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
"""The names of files that are read; those of text may have `.gz` behind them."""


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
