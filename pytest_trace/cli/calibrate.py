"""`rag-trace calibrate`: how far a judge agrees with labels."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pytest_trace.cli.calibration.choosing import Chosen, choose
from pytest_trace.cli.calibration.files import (
    disagreements,
    report_json,
    threshold_json,
    write_jsonl,
)
from pytest_trace.cli.calibration.judging import Asker, SetRun, judge_set
from pytest_trace.cli.calibration.report import Report, summarise
from pytest_trace.cli.calibration.tables import tables, warnings
from pytest_trace.cli.calibration.telling import fault_lines, heading, plot_of
from pytest_trace.errors import InvalidCase, MissingExtra, UnknownName
from pytest_trace.report.screen import Screen, plural
from pytest_trace.report.summary import usage_lines

_INTERRUPTED: Final = 130
_COLUMNS: Final = 80


class Marks(StrEnum):
    """The mark policies, as choices of an option."""

    DEFAULT = "default"
    STRICT = "strict"
    RAGBENCH = "ragbench"


class Order(NamedTuple):
    """The options."""

    judge: str
    marks: Marks
    concurrency: int
    cache: Path | None
    max_false_alarms: float
    resamples: int
    is_json: bool
    disagreements: Path | None
    plot: Path | None
    threshold: Path | None


def calibrate(
    labels: Annotated[
        list[Path],
        typer.Argument(help="RAGBench Parquet, JSONL or JSONL.gz files, or folders with them."),
    ],
    judge: Annotated[str, typer.Option(metavar="SPEC", help="Who judges.")] = "lexical",
    marks: Annotated[Marks, typer.Option(help="The mark policy of decisions.")] = Marks.DEFAULT,
    limit: Annotated[
        int | None, typer.Option(min=1, help="A sample of so many rows of each set.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, max=256, help="How many traces are judged at once.")
    ] = 1,
    cache_dir: Annotated[Path, typer.Option(help="The folder of the cache.")] = Path(".rag_cache"),
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ask anew.")] = False,  # noqa: FBT002
    max_false_alarms: Annotated[
        float, typer.Option(min=0, max=1, help="The share that a threshold may cost.")
    ] = 0.05,
    resamples: Annotated[int, typer.Option(min=0, help="Draws for the intervals.")] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,  # noqa: FBT002
    disagreements: Annotated[
        Path | None, typer.Option(help="Write the cases a person should read, as JSONL.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a reliability plot, as SVG.")] = None,
    write_threshold: Annotated[
        Path | None, typer.Option(help="Write the threshold, as JSON.")
    ] = None,
) -> None:
    """Measure how far a judge agrees with labels."""
    order = Order(
        judge, marks, concurrency, None if no_cache else cache_dir, max_false_alarms, resamples,
        as_json, disagreements, plot, write_threshold,
    )  # fmt: skip
    with _faults_of_use():
        _require_folders(order)
        code = _calibrate(order, lambda: choose(labels, limit))
    if code:
        raise typer.Exit(code)


@contextmanager
def _faults_of_use() -> Iterator[None]:
    """What cannot be read or made is one line and exit code 2; Ctrl-C is 130."""
    try:
        yield
    except (InvalidCase, MissingExtra, UnknownName) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        typer.echo("stopped before there was anything to show", err=True)
        raise typer.Exit(_INTERRUPTED) from None


def _require_folders(order: Order) -> None:
    """Judging may take long: that a file cannot be written is said before."""
    for path in (order.disagreements, order.plot, order.threshold):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise InvalidCase(f"{path} cannot be written: its folder must exist, and it be none")


def _calibrate(order: Order, read: Callable[[], Chosen]) -> int:
    notices: list[str] = []
    chosen = read()
    with _judges_from_here():
        asker = Asker(order.judge, cache=order.cache, marks=order.marks.value, say=notices.append)
        with _progress() as progress:
            runs = _judged(chosen, asker, order.concurrency, progress)
            report = _report(runs, order, progress)
        asker.close()
    shown = _json if order.is_json else _text
    shown(order, chosen, asker, report)
    if not order.is_json:
        _write_files(order, asker, runs, report)
    else:
        _write_files(order, asker, runs, report, is_quiet=True)
    return 0


@contextmanager
def _judges_from_here() -> Iterator[None]:
    """A judge `package.module:factory` may stand in the working directory."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)
