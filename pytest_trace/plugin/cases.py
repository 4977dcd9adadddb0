"""The marker `rag_cases`: a test is run once for each row of a cases file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_trace.datasets.cases import Case, read_cases
from pytest_trace.errors import InvalidCase

_ARGUMENT = "rag_case"


def parametrize_cases(metafunc: pytest.Metafunc) -> None:
    """Parametrize the argument `rag_case` with the rows of the marker's file."""
    name = metafunc.definition.name
    path = _path(metafunc, name)
    if _ARGUMENT not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(
            f"{name} is marked rag_cases({path.name!r}), but does not take the argument {_ARGUMENT}"
        )
    try:
        cases = read_cases(path)
    except InvalidCase as error:
        raise pytest.Collector.CollectError(f"{name}: {error}") from error
    metafunc.parametrize(_ARGUMENT, cases, ids=unique_ids(cases))


def _path(metafunc: pytest.Metafunc, name: str) -> Path:
    marker = metafunc.definition.get_closest_marker("rag_cases")
    if marker is None or len(marker.args) != 1 or marker.kwargs:
        raise pytest.Collector.CollectError(
            f'{name}: rag_cases takes one path: rag_cases("c.jsonl")'
        )
    return Path(metafunc.definition.path).parent / str(marker.args[0])


def unique_ids(cases: Sequence[Case]) -> list[str]:
    """The ids of `cases`, with the line number added to one that stands there already."""
    ids: dict[str, None] = {}
    for case in cases:
        name = case.id
        while name in ids:
            name = f"{name}-line{case.line}"
        ids[name] = None
    return list(ids)
