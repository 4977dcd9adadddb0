"""An order is carried out: rows are scored, results written, and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_trace.cli.terminal import progress_bar
from pytest_trace.cli.triads.baseline import Baseline
from pytest_trace.cli.triads.judging import NOT_JUDGED, TraceColumns
from pytest_trace.cli.triads.pooled import Workers
from pytest_trace.cli.triads.report import Report
from pytest_trace.cli.triads.rows import Scoring
from pytest_trace.cli.triads.running import Configuration, Run
from pytest_trace.cli.triads.writing import LOW, METRICS, REPORT, ROWS, pretty, result_files
from pytest_trace.judges import judge_name
from pytest_trace.store.run_state import RunTotals

LEXICAL: Final = "lexical"
"""The deterministic evaluator."""


class Order(NamedTuple):
    """What is wanted."""

    configurations: Sequence[Configuration]
    qrels: Path | None
    baseline: str | None
    scoring: Scoring
    evaluator: str
    skips_bad_rows: bool
    processes: int
    concurrency: int
    cache: Path | None
    output: Path


class Done(NamedTuple):
    """What came of it. `judging` is None where nobody was asked to judge."""

    report: Report
    notices: Sequence[str]
    judging: Judging | None


class Judging(NamedTuple):
    """How judging went: on how many rows, on how many the judge could not decide."""

    judge: str
    judged: int
    failed: int
    first_fault: str | None
    totals: RunTotals


def carry_out(order: Order) -> Done:
    """Score the rows and write the results.

    Raises `InvalidCase` naming what is wrong with a row or file, and `BrokenProcessPool` where a
    process that scored rows was killed.
    """
    notices: list[str] = []
    with _columns(order, notices) as columns:
        report = _written(order, columns)
        return Done(report, notices, None if columns is None else _judging(columns))


def _judging(columns: TraceColumns) -> Judging:
    counts = columns.outcomes
    name = judge_name(columns.judge)
    return Judging(name, counts[None], counts[NOT_JUDGED], columns.first_fault, columns.totals())


@contextmanager
def _columns(order: Order, notices: list[str]) -> Iterator[TraceColumns | None]:
    if order.evaluator == LEXICAL:
        yield None
        return
    columns = TraceColumns(
        order.evaluator,
        cache=order.cache,
        fields=order.scoring.fields,
        top_k=order.scoring.top_k,
        concurrency=order.concurrency,
        say=notices.append,
    )
    try:
        yield columns
    finally:
        columns.close()


def _written(order: Order, columns: TraceColumns | None) -> Report:
    baseline = None
    if order.baseline is not None:
        baseline = Baseline(order.baseline, order.scoring.top_k)
    with (
        result_files(order.output) as files,
        Workers(order.processes, order.scoring) as workers,
        progress_bar() as progress,
    ):
        task = progress.add_task("scoring", total=None)
        run = Run(
            workers=workers,
            columns=columns,
            baseline=baseline,
            skips_bad_rows=order.skips_bad_rows,
            advance=lambda count: progress.advance(task, count),
        )
        totals = list(run.all_of(order.configurations, files[ROWS], files[LOW]))
        report = Report(_settings(order, columns), totals)
        files[METRICS].write(pretty(report.to_json()))
        files[REPORT].writelines(f"{line}\n" for line in report.markdown())
    return report


def _settings(order: Order, columns: TraceColumns | None) -> dict[str, Any]:
    scoring = order.scoring
    settings: dict[str, Any] = {
        "evaluator": LEXICAL,
        "normalisation": scoring.normalisation,
        "baseline": order.baseline,
        "context_top_k": scoring.top_k,
        "low_score": scoring.low,
        "qrels": None if order.qrels is None else order.qrels.name,
        "fields": dict(scoring.fields.given),
        "on_bad_row": "skip" if order.skips_bad_rows else "fail",
    }
    if columns is not None:
        judge = columns.judge
        settings["judge"] = {
            "name": judge_name(judge),
            "version": judge.version,
            "sentencizer": columns.sentencizer,
        }
    return settings
