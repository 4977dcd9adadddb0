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
from typing import Any, Literal

import pytest

from pytest_trace.plugin.settings import SETTINGS, Options, Setting

_INI_TYPES: dict[str, Literal["string", "args", "bool", "int", "float"]] = {
    "text": "string",
    "list": "args",
    "flag": "bool",
    "int": "int",
    "float": "float",
}


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
    """The settings of this run; raises `pytest.UsageError` naming the one that is wrong.

    Where nothing is set, nothing has to be checked: what checks is not even loaded.
    """
    given = {setting.name: _given(config, setting) for setting in SETTINGS}
    values = {setting.name: _default(setting) for setting in SETTINGS}
    sources = {name: found[1] for name, found in given.items() if found is not None}
    if sources:
        from pytest_trace.plugin.checking import checked, require_consistent

        for setting in SETTINGS:
            if (found := given[setting.name]) is not None:
                values[setting.name] = checked(setting, *found)
        options = Options(sources, values)
        require_consistent(options)
        return options
    return Options(sources, values)


def _given(config: pytest.Config, setting: Setting) -> tuple[Any, str] | None:
    """What was set and where: on the command line, in the environment, in the ini file."""
    if (value := config.getoption(setting.ini)) is not None:
        return value, setting.flag
    if value := os.environ.get(setting.variable):
        return value, setting.variable
    try:
        value = config.getini(setting.ini)
    except (TypeError, ValueError) as error:  # [tool.pytest] is strict about types
        raise pytest.UsageError(f"{setting.ini}: {error}") from error
    return None if value is None else (value, setting.ini)


def _default(setting: Setting) -> Any:
    if setting.kind == "flag":
        return False
    return () if setting.kind == "list" else setting.default
