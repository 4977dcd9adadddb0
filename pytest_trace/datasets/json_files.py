"""Rows in JSON: an object a line, or a list of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_trace.datasets.files import Row, opened_text, text_lines
from pytest_trace.errors import InvalidCase

_LISTS: Final = (("results", "results"), ("testCases",), ("testRunData", "testCases"))
"""Where promptfoo and DeepEval keep their rows."""


def json_object(text: str, where: str) -> dict[str, Any]:
    """The object in a line; raises `InvalidCase` that says where and what is wrong."""
    try:
        data = json.loads(text.strip())
    except json.JSONDecodeError as error:
        raise InvalidCase(f"{where} is no JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise InvalidCase(f"{where} is no JSON: it is nested too deeply") from error
    except ValueError as error:
        raise InvalidCase(f"{where} is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise InvalidCase(f"{where} is a {type(data).__name__}; expected a JSON object")
    return data


def read_jsonl_rows(path: Path) -> Iterator[Row | InvalidCase]:
    """The rows of a file with an object a line; blank lines are skipped."""
    for number, line in text_lines(path, "cases"):
        where = f"{path.name}:{number}"
        try:
            data = json_object(line, where)
        except InvalidCase as error:
            yield error
        else:
            yield Row(data, number, where)


def read_json_rows(path: Path) -> Iterator[Row | InvalidCase]:
    """The rows of a JSON list, or of promptfoo's and DeepEval's results.

    A file with an object a line may have this name as well.
    """
    with opened_text(path, "cases") as file:
        text = file.read()
    try:
        items = _listed(json.loads(text), path)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and text.lstrip().startswith("{"):
            yield from read_jsonl_rows(path)
            return
        at = f"line {error.lineno}, column {error.colno}"
        raise InvalidCase(f"{path.name} is no JSON: {error.msg} at {at}") from error
    except RecursionError as error:
        raise InvalidCase(f"{path.name} is no JSON: it is nested too deeply") from error
    for number, data in enumerate(items, 1):
        where = f"{path.name}, row {number}"
        if isinstance(data, dict):
            yield Row(data, number, where)
        else:
            yield InvalidCase(f"{where} is a {type(data).__name__}; expected a JSON object")


def _listed(data: Any, path: Path) -> list[Any]:
    if isinstance(data, list):
        return data
    for names in _LISTS:
        found = data
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, list):
            return found
    came = f"an object with {', '.join(data)}" if isinstance(data, dict) else type(data).__name__
    raise InvalidCase(
        f"{path.name} is {came}; expected a list of objects, one a case, "
        "or the results of promptfoo or DeepEval"
    )
