"""`rag-trace calibrate`: how far a judge agrees with labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.progress import Progress

from pytest_trace.cli.asking import modules_from_here
from pytest_trace.cli.calibration.choosing import Chosen, choose
from pytest_trace.cli.calibration.judging import Judging, SetRun, judge_set
from pytest_trace.cli.calibration.outcome import Outcome, outcome_json, outcome_lines
from pytest_trace.cli.calibration.report import Report, summarise
from pytest_trace.cli.calibration.writing import Files
from pytest_trace.cli.options import CacheDir, Concurrency, Marks, NoCache, Policy, Spec
from pytest_trace.cli.terminal import INTERRUPTED, faults_of_use, progress_bar, screen


class Order(NamedTuple):
    """What is wanted."""

    labels: Sequence[Path]
    judge: str
    marks: Marks
    limit: int | None
    concurrency: int
    cache: Path | None
    max_false_alarms: float
    resamples: int
    is_json: bool
    files: Files


Labels = Annotated[
    list[Path],
    typer.Argument(help="RAGBench Parquet, JSONL and JSONL.gz files, or folders with such."),
]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, help="Judge a sample of so many rows of each set.")
]
FalseAlarms = Annotated[
    float,
    typer.Option(
        "--max-false-alarms", min=0, max=1, help="The false alarms that a threshold may cost."
    ),
]
Resamples = Annotated[
    int, typer.Option("--resamples", min=0, help="Draws for the intervals; 0: no intervals.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON in place of tables.")]
Cases = Annotated[
    Path | None,
    typer.Option("--disagreements", metavar="FILE", help="Write the cases to read, as JSONL."),
]
Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Write a reliability plot, as SVG.")
]
Threshold = Annotated[
    Path | None,
    typer.Option("--write-threshold", metavar="FILE", help="Write a threshold, as JSON."),
]


def calibrate(  # noqa: PLR0917 - typer reads the options from the signature
    labels: Labels,
    judge: Spec = "lexical",
    marks: Policy = Marks.DEFAULT,
    limit: Limit = None,
    concurrency: Concurrency = 1,
    cache_dir: CacheDir = Path(".rag_cache"),
    no_cache: NoCache = False,  # noqa: FBT002
    max_false_alarms: FalseAlarms = 0.05,
    resamples: Resamples = 1000,
    as_json: Json = False,  # noqa: FBT002
    disagreements: Cases = None,
    plot: Plot = None,
    write_threshold: Threshold = None,
) -> None:
    """Measure how far a judge agrees with labels; Ctrl-C stops with what is done."""
    order = Order(
        labels=labels,
        judge=judge,
        marks=marks,
        limit=limit,
        concurrency=concurrency,
        cache=None if no_cache else cache_dir,
        max_false_alarms=max_false_alarms,
        resamples=resamples,
        is_json=as_json,
        files=Files(disagreements, plot, write_threshold),
    )
    with faults_of_use():
        order.files.require_writable()
        raise typer.Exit(_carry_out(order))


def _carry_out(order: Order) -> int:
    """Judge, print and write; the exit code."""
    notices: list[str] = []
    chosen = _chosen(order)
    with modules_from_here():
        judging = Judging(
            order.judge, cache=order.cache, marks=order.marks.value, say=notices.append
        )
        with closing(judging):
            outcome = _measured(order, chosen, judging)
    for notice in notices:
        typer.echo(notice, err=True)
    if order.is_json:
        typer.echo(json.dumps(outcome_json(outcome), indent=2))
    else:
        for line in outcome_lines(outcome, screen()):
            typer.echo(line)
    for line in order.files.write(outcome):
        typer.echo(line, err=True)
    if outcome.report.is_interrupted:
        typer.echo(outcome.progress, err=True)
        return INTERRUPTED
    return 0 if outcome.judged or not outcome.faults else 1


def _chosen(order: Order) -> Chosen:
    with progress_bar() as progress:
        progress.add_task("reading labels", total=None)
        return choose(order.labels, order.limit)


def _measured(order: Order, chosen: Chosen, judging: Judging) -> Outcome:
    with progress_bar() as progress:
        runs = _judged(chosen, judging, order.concurrency, progress)
        report = _reported(runs, order, progress)
    return Outcome(
        judge=judging.judge,
        marks=order.marks.value,
        rows=chosen.count,
        left_out=chosen.left_out,
        runs=runs,
        report=report,
        sources=judging.take_sources(),
        totals=judging.totals(),
    )


def _judged(chosen: Chosen, judging: Judging, concurrency: int, progress: Progress) -> list[SetRun]:
    """The sets one after another; the rest is left where somebody stops it."""
    task = progress.add_task("judging", total=chosen.count)
    runs: list[SetRun] = []
    for name, rows in chosen.sets.items():
        progress.update(task, description=f"judging {name}")
        run = judge_set(
            name,
            rows,
            judging.outcome,
            concurrency=concurrency,
            advance=lambda: progress.advance(task),
        )
        runs.append(run)
        if run.is_interrupted:
            break
    return runs


def _reported(runs: Sequence[SetRun], order: Order, progress: Progress) -> Report:
    task = progress.add_task("intervals", total=len(runs))
    return summarise(
        runs,
        max_false_alarms=order.max_false_alarms,
        resamples=order.resamples,
        advance=lambda: progress.advance(task),
    )
