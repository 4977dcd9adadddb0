"""`rag-trace calibrate`: how far a judge agrees with labels."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pytest_trace.cli.calibration.choosing import Chosen, choose
from pytest_trace.cli.calibration.judging import Asker, SetRun, judge_set
from pytest_trace.cli.calibration.outcome import Outcome, outcome_json, outcome_lines
from pytest_trace.cli.calibration.report import Report, summarise
from pytest_trace.cli.calibration.writing import Files
from pytest_trace.errors import InvalidCase, MissingExtra, UnknownName
from pytest_trace.report.screen import Screen

_INTERRUPTED: Final = 130


class Marks(StrEnum):
    """The mark policies, as choices of an option."""

    DEFAULT = "default"
    STRICT = "strict"
    RAGBENCH = "ragbench"


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
Spec = Annotated[str, typer.Option("--judge", metavar="SPEC", help="Who judges.")]
Policy = Annotated[Marks, typer.Option("--marks", help="Which marks support a sentence.")]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, help="Judge a sample of so many rows of each set.")
]
Concurrency = Annotated[
    int, typer.Option("--concurrency", min=1, max=256, help="Traces that are judged at once.")
]
CacheDir = Annotated[Path, typer.Option("--cache-dir", help="The folder of the cache.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the cache.")]
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
    with _faults_of_use():
        order.files.require_writable()
        raise typer.Exit(_carry_out(order))


@contextmanager
def _faults_of_use() -> Iterator[None]:
    """What cannot be read, made or written is one line and exit code 2."""
    try:
        yield
    except (InvalidCase, MissingExtra, UnknownName) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    except OSError as error:
        if error.filename is None:  # a closed pipe: typer knows what to do
            raise
        typer.echo(f"{error.filename}: {error.strerror}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("stopped, with nothing to show", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def _carry_out(order: Order) -> int:
    """Judge, print and write; the exit code."""
    notices: list[str] = []
    chosen = _chosen(order)
    with _modules_from_here():
        asker = Asker(order.judge, cache=order.cache, marks=order.marks.value, say=notices.append)
        with closing(asker):
            outcome = _measured(order, chosen, asker)
    for notice in notices:
        typer.echo(notice, err=True)
    if order.is_json:
        typer.echo(json.dumps(outcome_json(outcome), indent=2))
    else:
        for line in outcome_lines(outcome, _screen()):
            typer.echo(line)
    for line in order.files.write(outcome):
        typer.echo(line, err=True)
    if outcome.report.is_interrupted:
        typer.echo(outcome.progress, err=True)
        return _INTERRUPTED
    return 0 if outcome.judged or not outcome.faults else 1


@contextmanager
def _modules_from_here() -> Iterator[None]:
    """A judge `package.module:factory` may stand in the working directory."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)


def _chosen(order: Order) -> Chosen:
    with _progress() as progress:
        progress.add_task("reading labels", total=None)
        return choose(order.labels, order.limit)


def _measured(order: Order, chosen: Chosen, asker: Asker) -> Outcome:
    with _progress() as progress:
        runs = _judged(chosen, asker, order.concurrency, progress)
        report = _reported(runs, order, progress)
    return Outcome(
        judge=asker.judge,
        marks=order.marks.value,
        rows=chosen.count,
        left_out=chosen.left_out,
        runs=runs,
        report=report,
        sources=asker.sources,
        totals=asker.totals(),
    )


def _progress() -> Progress:
    """On stderr, and only where somebody watches."""
    is_watched = sys.stderr.isatty()
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, quiet=not is_watched),  # a line even if disabled: rich 13
        transient=True,
        disable=not is_watched,
    )


def _judged(chosen: Chosen, asker: Asker, concurrency: int, progress: Progress) -> list[SetRun]:
    """The sets one after another; the rest is left where somebody stops it."""
    task = progress.add_task("judging", total=chosen.count)
    runs: list[SetRun] = []
    for name, rows in chosen.sets.items():
        progress.update(task, description=f"judging {name}")
        run = judge_set(
            name,
            rows,
            asker.outcome,
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


def _screen() -> Screen:
    columns = max(80, shutil.get_terminal_size().columns)
    return Screen(columns, sys.stdout.encoding or "utf-8")
