"""Carrying out an order: survey the input, go on where an earlier run ended, work, tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from time import perf_counter

import typer

from pytest_trace.cli.asking import modules_from_here
from pytest_trace.cli.scoring.choosing import staff_for, state_folder
from pytest_trace.cli.scoring.order import BatchOrder, Order, run_of
from pytest_trace.cli.scoring.outcome import Outcome, outcome_json, outcome_lines
from pytest_trace.cli.scoring.plan import Plan, cases_to_ask
from pytest_trace.cli.scoring.predictions import Survey
from pytest_trace.cli.scoring.progress import meter
from pytest_trace.cli.scoring.run import StoppedError, read_written, work
from pytest_trace.cli.scoring.run_file import begin_or_go_on, held_alone, write_json
from pytest_trace.cli.scoring.scorer import Scorer
from pytest_trace.cli.scoring.workers import WorkersLostError
from pytest_trace.cli.terminal import INTERRUPTED, screen
from pytest_trace.datasets.cases import Case
from pytest_trace.errors import InvalidCase
from pytest_trace.report.screen import plural

_MOST_TOLD = 10


def carry_out(order: Order) -> int:
    """The exit code: 0, 1 with rows that could not be judged or where it had to stop, 2, 130."""
    order.require_possible()
    with modules_from_here(), state_folder(order) as setup:
        order = replace(order, setup=setup)
        with closing(Scorer(setup)) as scorer:
            survey = _surveyed(order)
            with held_alone(order.out):
                begin_or_go_on(order.out, run_of(order, scorer, survey))
                return _Run(order, scorer, survey).carry_out()


def _surveyed(order: Order) -> Survey:
    told = 0

    def skip(fault: InvalidCase) -> None:
        nonlocal told
        told += 1
        if told <= _MOST_TOLD:
            _say(f"skipped: {fault}")

    with meter("reading", total=None, done=0, say=_say) as shown:
        survey = order.predictions.survey(skip=skip, advance=lambda: shown.advance(1))
    if told > _MOST_TOLD:
        _say(f"skipped: {plural(told - _MOST_TOLD, 'further row')}")
    return survey


class _Run:
    """A run over a surveyed file; what it has done holds wherever it is stopped."""

    def __init__(self, order: Order, scorer: Scorer, survey: Survey) -> None:
        self._order = order
        self._scorer = scorer
        self._survey = survey
        self._plan = Plan(order.out, retry_errors=order.retry_errors)
        self._progress = read_written(self._plan)
        self._usage = scorer.state.totals

    def carry_out(self) -> int:
        """Work, then tell; the exit code."""
        begun = perf_counter()
        code, why = self._worked()
        outcome = Outcome(
            judge=self._scorer.judge,
            survey=self._survey,
            progress=self._progress,
            totals=self._usage(),
            seconds=perf_counter() - begun,
        )
        self._tell(outcome)
        if why:
            _say(f"{why}: {self._how_far()}")
            return code
        return 1 if self._progress.summary.faults else 0

    def _worked(self) -> tuple[int, str]:
        """Exit code and reason where it had to stop; none where every row is written."""
        try:
            self._work()
        except KeyboardInterrupt:
            return INTERRUPTED, "stopped"
        except (StoppedError, WorkersLostError) as error:
            return 1, f"stopped: {error}"
        except OSError as error:
            if error.filename != str(self._plan.path):
                raise
            return 2, f"{error.filename}: {error.strerror}"
        return 0, ""

    def _work(self) -> None:
        if self._progress.already < self._survey.count:
            if self._order.batch is None:
                self._score(self._scorer, self._order.predictions.cases())
            else:
                self._score_by_batches(self._order.batch)
        if self._progress.summary.rows != self._survey.count:
            raise StoppedError(f"{self._order.predictions.path} has changed while it was read")
        self._plan.finish()

    def _score_by_batches(self, batch: BatchOrder) -> None:
        from pytest_trace.cli.scoring.batch import BatchRun

        run = BatchRun(self._order, batch, self._left, _say)
        self._usage = run.scorer.state.totals
        with closing(run.scorer):
            run.carry_out()
            self._score(run.scorer, run.at_hand(self._order.predictions.cases()))
        sources = self._progress.sources
        stored = sources.pop("cache", 0) + sources.pop("memo", 0) - run.brought
        sources.update({"batch": run.brought} | ({"cache": stored} if stored > 0 else {}))
        run.finish()

    def _left(self) -> Iterator[Case]:
        progress = self._progress
        kept = self._plan.kept(progress.already)
        return cases_to_ask(self._order.predictions.cases(), kept, progress.last_line)

    def _score(self, scorer: Scorer, cases: Iterable[Case]) -> None:
        progress, count = self._progress, self._survey.count
        left = count - progress.already
        with (
            meter("scoring", total=count, done=progress.already, say=_say) as shown,
            staff_for(self._order, scorer, left) as staff,
        ):
            self._usage = staff.totals
            work(self._plan, cases, staff.workers, progress, shown.advance)

    def _tell(self, outcome: Outcome) -> None:
        for notice in self._progress.notices:
            _say(notice)
        for line in outcome_lines(outcome, screen()):
            typer.echo(line)
        if self._order.summary is not None:
            write_json(self._order.summary, outcome_json(outcome))
            _say(f"wrote the summary to {self._order.summary}")

    def _how_far(self) -> str:
        rows, plan = self._progress.summary.rows, self._plan
        return (
            f"{rows:,} of {plural(self._survey.count, 'row')} stand in {plan.path}; the same "
            "command goes on from there"
        )


def _say(text: str) -> None:
    typer.echo(text, err=True)
