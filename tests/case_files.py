"""Files of cases for tests, in every form that is read."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

Rows = Iterable[Mapping[str, Any]]
FORMS = ("jsonl", "jsonl.gz", "json", "csv", "csv.gz", "tsv", "parquet", "dataset")


def write_cases(folder: Path, form: str, rows: Rows) -> Path:
    """A file of that form, or a saved dataset, with these rows."""
    rows = list(rows)
    if form == "dataset":
        return save_dataset(folder / "cases", [rows])
    path = folder / f"cases.{form}"
    if form == "parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
        return path
    opened = gzip.open if form.endswith(".gz") else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        if form.startswith("jsonl"):
            file.writelines(json.dumps(row) + "\n" for row in rows)
        elif form == "json":
            json.dump(rows, file)
        else:
            writer = csv.writer(file, delimiter="\t" if form == "tsv" else ",")
            writer.writerow(rows[0])
            writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return path


def _cell(value: object) -> object:
    """Lists as Python prints them, as the writers of tables do."""
    return "" if value is None else str(value)


def save_dataset(folder: Path, shards: Iterable[Rows]) -> Path:
    """What `datasets.Dataset.save_to_disk` writes, a file for each shard."""
    folder.mkdir(parents=True)
    tables = [pa.Table.from_pylist(list(rows)) for rows in shards]
    names = [f"data-{number:05}-of-{len(tables):05}.arrow" for number in range(len(tables))]
    for name, table in zip(names, tables, strict=True):
        with pa.ipc.new_stream(str(folder / name), table.schema) as stream:
            stream.write_table(table, max_chunksize=1000)
    state = {"_data_files": [{"filename": name} for name in names], "_fingerprint": "0"}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    (folder / "dataset_info.json").write_text("{}", encoding="utf-8")
    return folder


def save_splits(folder: Path, splits: Mapping[str, Rows]) -> Path:
    """What `datasets.DatasetDict.save_to_disk` writes."""
    for name, rows in splits.items():
        save_dataset(folder / name, [rows])
    text = json.dumps({"splits": list(splits)})
    (folder / "dataset_dict.json").write_text(text, encoding="utf-8")
    return folder
