"""The options of `rag-trace score` that no other command has.

Those of language models have the environment variables of the pytest options, so that both ask
alike: only then what one has stored serves the other.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Formula(StrEnum):
    """How scores are computed, as choices of an option."""

    TRACE = "trace"
    RAGBENCH = "ragbench"
    LABELING = "labeling"


class Length(StrEnum):
    """What a sentence weighs, as choices of an option."""

    SENTENCE = "sentence"
    TOKEN = "token"  # noqa: S105 - a unit of text
    CHARACTER = "character"


class BadRow(StrEnum):
    """What becomes of a row that cannot be judged, as choices of an option."""

    FAIL = "fail"
    SKIP = "skip"


_ROWS = "Which rows"
_WHO = "Who works"
_LLM = "Language models"
_BATCH = "Groq's Batch API"

PredictionsFile = Annotated[
    Path, typer.Argument(metavar="PREDICTIONS", help="A file of rows to judge, such as JSONL.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the rows go, as JSONL.")]
SummaryFile = Annotated[
    Path | None, typer.Option("--summary", metavar="FILE", help="Write the summary, as JSON.")
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="OURS=THEIRS",
        help="Which field of a row holds what: question=prompt.",
        rich_help_panel=_ROWS,
    ),
]
ShapeName = Annotated[
    str | None,
    typer.Option(
        "--shape",
        metavar="NAME",
        help="The shape of the rows, where their fields do not tell: ragas, deepeval, …",
        rich_help_panel=_ROWS,
    ),
]
Config = Annotated[
    list[str] | None,
    typer.Option(
        "--config",
        metavar="NAME=VALUE",
        help="How the documents were retrieved: chunk_size=512.",
        rich_help_panel=_ROWS,
    ),
]
OnBadRow = Annotated[
    BadRow,
    typer.Option(
        "--on-bad-row", help="What becomes of a row that is wrong.", rich_help_panel=_ROWS
    ),
]
RetryErrors = Annotated[
    bool,
    typer.Option(
        "--retry-errors",
        help="Ask again about rows on which the judge could not decide.",
        rich_help_panel=_ROWS,
    ),
]
FormulaOption = Annotated[Formula, typer.Option("--formula", help="How scores are computed.")]
LengthOption = Annotated[Length, typer.Option("--length", help="What a sentence weighs in scores.")]
MetadataKeys = Annotated[
    str,
    typer.Option(
        "--metadata-keys", metavar="KEY,KEY", help="Metadata of documents that is evidence too."
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        "--processes",
        min=1,
        max=1024,
        help="Processes that work at once; the cores, for a judge that is free.",
        rich_help_panel=_WHO,
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        min=1,
        max=256,
        help="Rows that are asked about at once; 8, for a judge that asks a server.",
        rich_help_panel=_WHO,
    ),
]
Executor = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="dask://HOST:PORT",
        help="A Dask cluster that works.",
        rich_help_panel=_WHO,
    ),
]
Votes = Annotated[
    int,
    typer.Option(
        "--votes",
        min=1,
        help="How often the judge is asked; the majority decides.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_VOTES",
    ),
]
MaxCalls = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        min=0,
        help="Stop asking after so many calls.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_MAX_CALLS",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        min=0,
        help="Stop asking when it has cost so many US dollars.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_MAX_COST",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="The server of the model.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_BASE_URL",
    ),
]
KeyVariable = Annotated[
    str | None,
    typer.Option(
        "--key-variable",
        metavar="NAME",
        help="The variable that holds the key.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_KEY_VARIABLE",
    ),
]
Temperature = Annotated[
    float,
    typer.Option(
        "--temperature",
        min=0,
        max=2,
        help="The sampling temperature.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_TEMPERATURE",
    ),
]
ReasoningEffort = Annotated[
    str | None,
    typer.Option(
        "--reasoning-effort",
        metavar="low|medium|high",
        help="How long a reasoning model thinks.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_REASONING_EFFORT",
    ),
]
TimeoutSeconds = Annotated[
    float,
    typer.Option(
        "--timeout-seconds",
        min=0.001,
        help="The longest that one row may take, retries included.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_TIMEOUT_SECONDS",
    ),
]
MaxWaitSeconds = Annotated[
    float,
    typer.Option(
        "--max-wait-seconds",
        min=0,
        help="The longest retry-after that is waited for.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_MAX_WAIT_SECONDS",
    ),
]
ContextTokens = Annotated[
    int | None,
    typer.Option(
        "--context-tokens",
        min=1000,
        help="The window of a model that is not known.",
        rich_help_panel=_LLM,
        envvar="PYTEST_RAG_CONTEXT_TOKENS",
    ),
]
Batch = Annotated[
    bool,
    typer.Option(
        "--batch",
        help="Ask by batches: half the price, within a day.",
        rich_help_panel=_BATCH,
    ),
]
BatchWindow = Annotated[
    str,
    typer.Option(
        "--batch-window",
        metavar="24h|7d",
        help="The time that a batch may take.",
        rich_help_panel=_BATCH,
    ),
]
PollSeconds = Annotated[
    float,
    typer.Option(
        "--poll-seconds",
        min=0.01,
        help="How long to wait before a batch is looked at again.",
        rich_help_panel=_BATCH,
    ),
]
