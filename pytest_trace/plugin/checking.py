"""Whether what was set can be used; loaded only where something was set."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_trace.plugin.settings import Options, Setting

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def require_consistent(options: Options) -> None:
    """Raise `pytest.UsageError` for settings that contradict each other."""
    if options.formula == "labeling" and options.length != "sentence":
        raise pytest.UsageError(
            "rag_formula=labeling counts keys and cannot weigh them: "
            f"rag_length is {options.length!r}; use rag_length=sentence"
        )
    if options.offline and (options.refresh or options.record):
        raise pytest.UsageError(
            "--rag-offline never calls a judge; "
            f"--rag-{'refresh' if options.refresh else 'record'} needs to"
        )
    require_votes(options.votes, options.temperature, options.sources.get("votes", "rag_votes"))


def require_votes(votes: object, temperature: float, source: str) -> int:
    """`votes` if it can decide; raises `pytest.UsageError` naming what is in the way."""
    if isinstance(votes, bool) or not isinstance(votes, int) or votes < 1 or votes % 2 == 0:
        raise pytest.UsageError(f"{source} is {votes!r}; expected an odd number from 1 on")
    if votes > 1 and temperature == 0.0:
        raise pytest.UsageError(
            f"{source} is {votes}, but rag_temperature is 0: "
            "a judge would only repeat itself; set rag_temperature, such as 0.7"
        )
    return votes


def checked(setting: Setting, value: Any, source: str) -> Any:
    """The value of a setting; raises `pytest.UsageError` naming where it was set."""
    if setting.kind == "flag":
        return _checked_flag(value, source)
    if setting.kind == "list":
        items = value.split(",") if isinstance(value, str) else value
        return tuple(item.strip() for item in items if item.strip())
    if setting.kind in {"int", "float"}:
        return _checked_number(setting, value, source)
    if setting.choices and value not in setting.choices:
        raise pytest.UsageError(
            f"{source} is {value!r}; expected one of {', '.join(setting.choices)}"
        )
    if not value.strip():
        raise pytest.UsageError(f"{source} is blank; leave it out or give a value")
    return value


def _checked_flag(value: Any, source: str) -> bool:
    if isinstance(value, bool):
        return value
    if value.lower() in _TRUE + _FALSE:
        return value.lower() in _TRUE
    raise pytest.UsageError(f"{source} is {value!r}; expected one of {', '.join(_TRUE + _FALSE)}")


def _checked_number(setting: Setting, value: Any, source: str) -> float:
    kind = "a whole number" if setting.kind == "int" else "a number"
    try:
        number = int(value) if setting.kind == "int" else float(value)
    except ValueError:
        raise pytest.UsageError(f"{source} is {value!r}; expected {kind}") from None
    if not setting.least <= number <= setting.most:  # NaN is in no range
        limit = f"from {setting.least:g}" + (
            f" to {setting.most:g}" if setting.most < float("inf") else " on"
        )
        raise pytest.UsageError(f"{source} is {value!r}; expected {kind} {limit}")
    return number
