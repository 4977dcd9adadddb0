"""`rag-trace triad`: the RAG triad of generation runs, without a judge or beside one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pytest_trace.cli.asking import modules_from_here
from pytest_trace.cli.options import CacheDir, Concurrency, NoCache
from pytest_trace.cli.terminal import faults_of_use, screen
from pytest_trace.cli.triads.carrying import LEXICAL, Done, Judging, Order, carry_out
from pytest_trace.cli.triads.rows import Relevant, Scoring
from pytest_trace.cli.triads.running import Configuration
from pytest_trace.cli.triads.writing import LOW, METRICS, REPORT, ROWS
from pytest_trace.datasets.prediction_fields import Fields
from pytest_trace.datasets.qrels import read_qrels, relevant_to
from pytest_trace.errors import UnknownName
from pytest_trace.judges.registry import require_known
from pytest_trace.report.screen import plural
from pytest_trace.report.summary import usage_lines


class Spelling(StrEnum):
    """The normalisations of answers, as choices of an option."""

    SQUAD = "squad"
    MULTILINGUAL = "multilingual"


class BadRows(StrEnum):
    """What is done about a line that cannot be scored."""

    FAIL = "fail"
    SKIP = "skip"


Named = Annotated[
    list[str],
    typer.Option("--predictions", metavar="NAME=FILE", help="A generation run, JSONL, by a name."),
]
MoreNamed = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME=FILE]...", help="Further generation runs.")
]
QrelsFile = Annotated[
    Path | None,
    typer.Option("--qrels", metavar="TSV", help="Judgements: query_id 0 passage_id relevance."),
]
BaselineName = Annotated[
    str | None,
    typer.Option("--baseline-config", metavar="NAME", help="The others are compared with it."),
]
TopK = Annotated[
    int | None,
    typer.Option(
        "--context-top-k", min=1, metavar="K", help="The generator was shown the first K."
    ),
]
Evaluator = Annotated[
    str,
    typer.Option("--evaluator", metavar="lexical|JUDGE_SPEC", help="A judge adds TRACe columns."),
]
LowScore = Annotated[
    float, typer.Option("--low-score", min=0, max=1, help="A score below this is low.")
]
FieldNames = Annotated[
    list[str] | None,
    typer.Option("--field", metavar="OURS=THEIRS", help="Under which name rows have a field."),
]
OutputDir = Annotated[Path, typer.Option("--output-dir", metavar="DIR", help="Where results go.")]
Processes = Annotated[
    int | None, typer.Option("--processes", min=1, help="Processes that score; one for each core.")
]
SpellingOf = Annotated[
    Spelling, typer.Option("--normalisation", help="How answers are spelled before comparing.")
]
OnBadRow = Annotated[BadRows, typer.Option("--on-bad-row", help="Stop at it, or count it.")]


def triad(  # noqa: PLR0917 - typer reads the options from the signature
    predictions: Named,
    output_dir: OutputDir,
    more: MoreNamed = None,
    qrels: QrelsFile = None,
    baseline_config: BaselineName = None,
    context_top_k: TopK = None,
    evaluator: Evaluator = LEXICAL,
    low_score: LowScore = 0.5,
    field: FieldNames = None,
    normalisation: SpellingOf = Spelling.SQUAD,
    on_bad_row: OnBadRow = BadRows.FAIL,
    processes: Processes = None,
    concurrency: Concurrency = 1,
    cache_dir: CacheDir = Path(".rag_cache"),
    no_cache: NoCache = False,  # noqa: FBT002
) -> None:
    """Score generation runs: context relevance, groundedness, answer relevance and their mean."""
    if low_score != low_score:  # noqa: PLR0124 - NaN passes any range
        raise typer.BadParameter("nan is no number from 0 to 1", param_hint="--low-score")
    with faults_of_use(), modules_from_here():
        configurations = _configurations([*predictions, *(more or [])])
        _require_baseline(baseline_config, configurations)
        _require_evaluator(evaluator)
        scoring = Scoring(
            fields=Fields.parse(field or []),
            relevant=None if qrels is None else _relevant(qrels),
            top_k=context_top_k,
            normalisation=normalisation.value,
            low=low_score,
        )
        order = Order(
            configurations=configurations,
            qrels=qrels,
            baseline=baseline_config,
            scoring=scoring,
            evaluator=evaluator,
            skips_bad_rows=on_bad_row is BadRows.SKIP,
            processes=processes or _cores(),
            concurrency=concurrency,
            cache=None if no_cache else cache_dir,
            output=output_dir,
        )
        try:
            done = carry_out(order)
        except BrokenProcessPool as error:
            typer.echo("a process that scored rows was killed; try --processes 1", err=True)
            raise typer.Exit(1) from error
        raise typer.Exit(_told(done, output_dir))


def _configurations(named: Sequence[str]) -> list[Configuration]:
    found: dict[str, Configuration] = {}
    for text in named:
        name, _, file = text.partition("=")
        if not name or not file:
            raise UnknownName(f"the predictions {text!r} are no NAME=FILE, as in bm25=run.jsonl")
        if name in found:
            raise UnknownName(f"two predictions are named {name!r}; give each a name of its own")
        found[name] = Configuration(name, Path(file))
    return list(found.values())


def _require_baseline(name: str | None, configurations: Sequence[Configuration]) -> None:
    names = [each.name for each in configurations]
    if name is not None and name not in names:
        raise UnknownName(f"unknown baseline {name!r}; the predictions are {', '.join(names)}")


def _require_evaluator(spec: str) -> None:
    """Deterministic and model-graded numbers never mix: a name stands for one of them, or none."""
    if spec == LEXICAL:
        return
    try:
        require_known(spec)
    except UnknownName as error:
        raise UnknownName(
            f"unsupported evaluator {spec!r}. Supported: {LEXICAL}, the deterministic one; any "
            f"judge, whose TRACe scores stand in columns of their own. {error}"
        ) from error


def _relevant(path: Path) -> Relevant:
    qrels = read_qrels(path)
    return {query: relevant_to(query, qrels) or frozenset() for query in qrels}


def _cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _told(done: Done, folder: Path) -> int:
    """What was found goes to stdout, what was written and what went wrong to stderr."""
    for line in done.report.screen_lines(screen()):
        typer.echo(line)
    for notice in done.notices:
        typer.echo(notice, err=True)
    skipped = sum(len(each.bad_rows) for each in done.report.totals)
    if skipped:
        typer.echo(f"{plural(skipped, 'line')} skipped; {METRICS} lists them", err=True)
    typer.echo(f"wrote {METRICS}, {ROWS}, {LOW} and {REPORT} to {folder}", err=True)
    return 0 if done.judging is None else _told_of_judging(done.judging)


def _told_of_judging(judging: Judging) -> int:
    for line in usage_lines(judging.totals, screen()):
        typer.echo(line.text, err=True)
    if judging.failed:
        rows = plural(judging.failed, "row")
        typer.echo(f"{judging.judge} could not decide on {rows}; {ROWS} has the reasons", err=True)
        typer.echo(f"the first: {judging.first_fault}", err=True)
    return 1 if judging.failed and not judging.judged else 0
