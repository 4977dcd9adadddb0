"""`rag-trace score`: the scores of every row of a file, however large it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from pytest_trace.cli.options import CacheDir, Marks, NoCache, Policy, Spec
from pytest_trace.cli.scoring import options as o
from pytest_trace.cli.scoring.order import BatchOrder, Order
from pytest_trace.cli.scoring.predictions import Predictions
from pytest_trace.cli.scoring.scorer import Setup
from pytest_trace.cli.terminal import faults_of_use
from pytest_trace.errors import UnknownName
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.store.run_state import RunLimits


def score(  # noqa: PLR0917 - typer reads the options from the signature
    predictions: o.PredictionsFile,
    out: o.Out,
    judge: Spec = "lexical",
    summary: o.SummaryFile = None,
    shape: o.ShapeName = None,
    field: o.Fields = None,
    config: o.Config = None,
    on_bad_row: o.OnBadRow = o.BadRow.FAIL,
    retry_errors: o.RetryErrors = False,  # noqa: FBT002
    marks: Policy = Marks.DEFAULT,
    formula: o.FormulaOption = o.Formula.TRACE,
    length: o.LengthOption = o.Length.SENTENCE,
    metadata_keys: o.MetadataKeys = "",
    cache_dir: CacheDir = Path(".rag_cache"),
    no_cache: NoCache = False,  # noqa: FBT002
    processes: o.Processes = None,
    concurrency: o.Concurrency = None,
    executor: o.Executor = None,
    votes: o.Votes = 1,
    max_calls: o.MaxCalls = None,
    max_cost: o.MaxCost = None,
    base_url: o.BaseUrl = None,
    key_variable: o.KeyVariable = None,
    temperature: o.Temperature = 0.0,
    reasoning_effort: o.ReasoningEffort = None,
    timeout_seconds: o.TimeoutSeconds = 120.0,
    max_wait_seconds: o.MaxWaitSeconds = 90.0,
    context_tokens: o.ContextTokens = None,
    batch: o.Batch = False,  # noqa: FBT002
    batch_window: o.BatchWindow = "24h",
    poll_seconds: o.PollSeconds = 30.0,
) -> None:
    """Score every row of a file, of any size; Ctrl-C or a kill, and the same command goes on."""
    from pytest_trace.cli.scoring.command import carry_out

    with faults_of_use():
        declared = EvaluationConfig.parse(config) if config else None
        order = Order(
            predictions=Predictions(
                path=predictions,
                shape=shape,
                fields=_fields(field or ()),
                on_bad_row=on_bad_row.value,
                config=declared,
            ),
            setup=Setup(
                judge=judge,
                llm=LlmSettings(
                    key_variable=key_variable,
                    base_url=base_url,
                    temperature=temperature,
                    reasoning_effort=reasoning_effort,
                    timeout_seconds=timeout_seconds,
                    max_wait_seconds=max_wait_seconds,
                    context_tokens=context_tokens,
                ),
                marks=marks.value,
                formula=formula.value,
                length=length.value,
                metadata_keys=tuple(filter(None, map(str.strip, metadata_keys.split(",")))),
                config=declared,
                votes=votes,
                cache=None if no_cache else cache_dir.absolute(),
                limits=RunLimits(max_calls=max_calls, max_cost=max_cost, prefix="--"),
            ),
            out=out,
            processes=processes,
            concurrency=concurrency,
            executor=executor,
            batch=BatchOrder(window=batch_window, poll_seconds=poll_seconds) if batch else None,
            retry_errors=retry_errors,
            summary=summary,
        )
        raise typer.Exit(carry_out(order))


def _fields(given: Sequence[str]) -> dict[str, str]:
    fields = {}
    for text in given:
        ours, separator, theirs = text.partition("=")
        if not (separator and ours.strip() and theirs.strip()):
            raise UnknownName(f"--field is {text!r}; expected OURS=THEIRS, such as question=prompt")
        fields[ours.strip()] = theirs.strip()
    return fields
