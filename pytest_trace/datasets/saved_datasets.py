"""Datasets of Hugging Face on disk: the folders that `save_to_disk` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_trace.datasets.files import Row, numbered, opened_text
from pytest_trace.errors import InvalidCase

_STATE: Final = "state.json"
_SPLITS: Final = "dataset_dict.json"


def read_dataset_rows(path: Path) -> Iterator[Row]:
    """The rows of a saved dataset, or of the only split of a saved `DatasetDict`.

    Raises `InvalidCase` for a folder of another kind, and for one of several splits, which it
    names: rows to learn from and rows to measure on must not be mixed by accident.
    """
    if not (path / _STATE).is_file():
        return read_dataset_rows(path / _only_split(path))
    return numbered(_rows(path), path)


def _only_split(path: Path) -> str:
    if not (path / _SPLITS).is_file():
        raise InvalidCase(
            f"{path} is no dataset: it has no {_STATE}; expected a folder that datasets' "
            "save_to_disk wrote"
        )
    splits: list[str] = _read(path / _SPLITS).get("splits") or []
    if len(splits) != 1:
        named = ", ".join(str(path / split) for split in splits) or "none"
        raise InvalidCase(f"{path} has {len(splits)} splits; name one of them: {named}")
    return splits[0]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    from pytest_trace.datasets.arrow import read_stream

    state = _read(path / _STATE)
    if state.get("_indices_data_files"):
        raise InvalidCase(
            f"{path} was saved by an old version of datasets with a selection beside its rows; "
            "load it and save it again"
        )
    for file in state.get("_data_files") or []:
        yield from read_stream(path / file["filename"])


def _read(path: Path) -> dict[str, Any]:
    with opened_text(path, "dataset") as file:
        text = file.read()
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InvalidCase(f"{path} is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise InvalidCase(f"{path} is a {type(data).__name__}; expected a JSON object")
    return data
