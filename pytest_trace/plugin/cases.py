"""The marker `rag_cases`: a test is run once for each row of a cases file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_trace.datasets.cases import Case
from pytest_trace.datasets.reading import Skipped, read_cases
from pytest_trace.errors import InvalidCase, MissingExtra, SkippedRows, UnknownName

_ARGUMENT = "rag_case"
_OPTIONS = ("shape", "fields", "on_bad_row")


def parametrize_cases(metafunc: pytest.Metafunc) -> None:
    """Parametrize the argument `rag_case` with the rows of the marker's file."""
    name = metafunc.definition.name
    path, options = _asked_for(metafunc, name)
    if _ARGUMENT not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(
            f"{name} is marked rag_cases({path.name!r}), but does not take the argument {_ARGUMENT}"
        )
    skipped = Skipped()
    try:
        cases = read_cases(path, **options, on_skipped=skipped.add)
    except (InvalidCase, MissingExtra, UnknownName, TypeError) as error:
        raise pytest.Collector.CollectError(f"{name}: {error}") from error
    if skipped.count:
        _warn(metafunc, skipped.warning(path, len(cases)))
    metafunc.parametrize(_ARGUMENT, cases, ids=unique_ids(cases))


def _warn(metafunc: pytest.Metafunc, warning: SkippedRows) -> None:
    try:
        metafunc.definition.warn(warning)
    except SkippedRows as error:  # where warnings are errors
        raise pytest.Collector.CollectError(f"{metafunc.definition.name}: {error}") from error


def _asked_for(metafunc: pytest.Metafunc, name: str) -> tuple[Path, dict[str, Any]]:
    """The marker's path, which is relative to the test file, and its options."""
    marker = metafunc.definition.get_closest_marker("rag_cases")
    if marker is None or len(marker.args) != 1 or not {*marker.kwargs} <= {*_OPTIONS}:
        raise pytest.Collector.CollectError(
            f'{name}: rag_cases takes one path, as in rag_cases("c.jsonl"), '
            f"and may take {', '.join(_OPTIONS)}"
        )
    return Path(metafunc.definition.path).parent / str(marker.args[0]), dict(marker.kwargs)


def unique_ids(cases: Sequence[Case]) -> list[str]:
    """The ids of `cases`, with the line number added to one that stands there already."""
    ids: dict[str, None] = {}
    for case in cases:
        name = case.id
        while name in ids:
            name = f"{name}-line{case.line}"
        ids[name] = None
    return list(ids)
