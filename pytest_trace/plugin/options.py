"""What the user can set, and which setting wins.

For the judge of an assertion, the order of precedence is, highest first:

1. the call's own argument                        `evaluation.evaluate`
2. the marker `rag(judge=…)` nearest to the test  `plugin.current`
3. a `rag_judge` fixture that the user overrides  `plugin.current`
4. the command line                               `--rag-judge`
5. the environment                                `PYTEST_RAG_JUDGE`
6. the ini file                                   `rag_judge`
7. the default

Everything else that can be set follows 4 to 7.
"""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple

import pytest


class Setting(NamedTuple):
    """One setting: `--rag-NAME`, `PYTEST_RAG_NAME` and `rag_name`."""

    name: str
    default: str
    help: str
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    is_list: bool = False

    @property
    def flag(self) -> str:
        """The command line option."""
        return f"--rag-{self.name.replace('_', '-')}"

    @property
    def ini(self) -> str:
        """The ini setting, and the attribute of `config.option`."""
        return f"rag_{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"PYTEST_RAG_{self.name.upper()}"


SETTINGS = (
    Setting(
        "judge",
        "lexical",
        "who judges: lexical (embedded: no key, no network) or package.module:factory",
        metavar="SPEC",
    ),
    Setting(
        "marks",
        "default",
        "how a sentence may be supported without a document sentence: default (marks are checked), "
        "strict (never) or ragbench (as marked)",
        choices=("default", "strict", "ragbench"),
    ),
    Setting(
        "formula",
        "trace",
        "how the scores are computed: trace, ragbench (completeness is 1.0 where nothing is "
        "relevant) or labeling (key counts)",
        choices=("trace", "ragbench", "labeling"),
    ),
    Setting(
        "length",
        "sentence",
        "what a sentence weighs in the scores: 1 (sentence), its words (token) or its characters",
        choices=("sentence", "token", "character"),
    ),
    Setting("sentencizer", "default", "what splits texts into sentences: default", metavar="NAME"),
    Setting(
        "metadata_keys",
        "",
        "metadata of documents that is evidence too, such as date,author",
        metavar="KEY,KEY",
        is_list=True,
    ),
    Setting(
        "table",
        "auto",
        "the score table: all rows, the 20 worst, none, or auto (all of up to 50, else worst)",
        choices=("auto", "all", "worst", "none"),
    ),
)


class Options(NamedTuple):
    """The settings of one run; `sources` says where those were set that were set."""

    judge: str
    marks: Any
    formula: Any
    length: Any
    sentencizer: str
    metadata_keys: tuple[str, ...]
    table: Any
    sources: dict[str, str]


def add_options(parser: pytest.Parser) -> None:
    """Declare every setting on the command line and for the ini file."""
    group = parser.getgroup("rag", "RAG tests (pytest-rag-trace)")
    for setting in SETTINGS:
        group.addoption(
            setting.flag,
            dest=setting.ini,
            metavar=setting.metavar or "|".join(setting.choices),
            help=f"{setting.help} (default: {setting.default or 'none'})",
        )
        kind: Literal["args", "string"] = "args" if setting.is_list else "string"
        parser.addini(
            setting.ini,
            type=kind,
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
    if values["formula"] == "labeling" and values["length"] != "sentence":
        raise pytest.UsageError(
            "rag_formula=labeling counts keys and cannot weigh them: "
            f"rag_length is {values['length']!r}; use rag_length=sentence"
        )
    return Options(sources=sources, **values)


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
    return _checked(setting, setting.default, "default"), None


def _checked(setting: Setting, value: Any, source: str) -> Any:
    if setting.is_list:
        items = value.split(",") if isinstance(value, str) else value
        return tuple(item.strip() for item in items if item.strip())
    if setting.choices and value not in setting.choices:
        raise pytest.UsageError(
            f"{source} is {value!r}; expected one of {', '.join(setting.choices)}"
        )
    if not value.strip():
        raise pytest.UsageError(f"{source} is blank; leave it out or give a value")
    return value
