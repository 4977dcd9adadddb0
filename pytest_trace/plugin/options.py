"""Where settings are read, and which of several wins.

For the judge of an assertion, the order of precedence is, highest first:

1. the call's own argument                        `evaluation.evaluate`
2. the marker `rag(judge=…)` nearest to the test  `plugin.current`
3. a `rag_judge` fixture that the user overrides  `plugin.current`
4. the command line                               `--rag-judge`
5. the environment                                `PYTEST_RAG_JUDGE`
6. the ini file                                   `rag_judge`
7. the default

The votes of a marker come before 4 likewise. Everything else that can be set follows 4 to 7.
"""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple

import pytest

from pytest_trace.plugin.settings import SETTINGS, Setting

_INI_TYPES: dict[str, Literal["string", "args", "bool", "int", "float"]] = {
    "text": "string",
    "list": "args",
    "flag": "bool",
    "int": "int",
    "float": "float",
}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class Options(NamedTuple):
    """The settings of one run; `sources` says where those were set that were set."""

    sources: dict[str, str]
    judge: str
    marks: Any
    formula: Any
    length: Any
    sentencizer: str
    metadata_keys: tuple[str, ...]
    table: Any
    record: bool
    offline: bool
    no_cache: bool
    refresh: bool
    cache_dir: str
    missing_judge: str
    votes: int
    max_calls: int | None
    max_cost: float | None
    temperature: float
    timeout_seconds: float
    max_wait_seconds: float
    base_url: str | None
    key_variable: str | None
    reasoning_effort: str | None
    context_tokens: int | None


def add_options(parser: pytest.Parser) -> None:
    """Declare every setting on the command line and for the ini file."""
    group = parser.getgroup("rag", "RAG tests (pytest-rag-trace)")
    for setting in SETTINGS:
        if setting.kind == "flag":
            group.addoption(
                setting.flag,
                dest=setting.ini,
                action="store_const",
                const="true",
                help=setting.help,
            )
        else:
            group.addoption(
                setting.flag,
                dest=setting.ini,
                metavar=setting.metavar or "|".join(setting.choices),
                help=f"{setting.help} (default: {setting.default or 'none'})",
            )
        parser.addini(
            setting.ini,
            type=_INI_TYPES[setting.kind],
            default=None,
            help=f"{setting.help}; like {setting.flag}",
        )


def read_options(config: pytest.Config) -> Options:
    """The settings of this run; raises `pytest.UsageError` naming the one that is wrong."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for setting in SETTINGS:
        values[setting.name], source = _read(config, setting)
        if source is not None:
            sources[setting.name] = source
    options = Options(sources=sources, **values)
    _require_consistent(options)
    return options


def _require_consistent(options: Options) -> None:
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


def _read(config: pytest.Config, setting: Setting) -> tuple[Any, str | None]:
    """The value of a setting and where it was found: command line, environment, ini, default."""
    if (value := config.getoption(setting.ini)) is not None:
        return _checked(setting, value, setting.flag), setting.flag
    if value := os.environ.get(setting.variable):
        return _checked(setting, value, setting.variable), setting.variable
    try:
        value = config.getini(setting.ini)
    except (TypeError, ValueError) as error:  # [tool.pytest] is strict about types
        raise pytest.UsageError(f"{setting.ini}: {error}") from error
    if value is not None:
        return _checked(setting, value, setting.ini), setting.ini
    if setting.kind == "flag":
        return False, None
    return () if setting.kind == "list" else setting.default, None


def _checked(setting: Setting, value: Any, source: str) -> Any:
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
