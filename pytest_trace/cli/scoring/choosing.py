"""Which workers a run has: chosen by what is wanted, by the judge and by how much is to do."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pytest_trace.cli.scoring.order import Order
from pytest_trace.cli.scoring.run import StoppedError
from pytest_trace.cli.scoring.scorer import Scorer, Setup
from pytest_trace.cli.scoring.workers import PART_CASES, Here, Processes, Workers, usable_cores
from pytest_trace.judges import Judge
from pytest_trace.judges.base import is_free
from pytest_trace.store.run_state import RunTotals

_CASES_FOR_A_PROCESS: Final = 500  # it takes as long to start as it takes to judge some hundreds
_CALLS_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class Staff:
    """Who works, and what they have taken of servers so far."""

    workers: Workers
    totals: Callable[[], RunTotals]


@contextmanager
def staff_for(order: Order, scorer: Scorer, count: int) -> Iterator[Staff]:
    """Who works on `count` cases; let go at the end, at once where an exception ends it."""
    if order.executor is not None:
        with _of_a_cluster(order, order.executor, scorer) as staff:
            yield staff
        return
    processes = _processes(order, scorer.judge, count)
    if processes == 1:
        with _let_go(Here(scorer, _concurrency(order, scorer.judge))) as workers:
            yield Staff(workers, scorer.state.totals)
        return
    part_cases = _part_cases(scorer.judge)
    with _let_go(Processes(order.setup, processes, part_cases=part_cases)) as workers:
        yield Staff(workers, scorer.state.totals)


@contextmanager
def state_folder(order: Order) -> Iterator[Setup]:
    """The setup of a run whose processes count their calls together."""
    if order.processes in {None, 1}:
        yield order.setup
        return
    folder = Path(tempfile.mkdtemp(prefix="rag-trace-"))
    try:
        yield replace(order.setup, state=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _of_a_cluster(order: Order, executor: str, scorer: Scorer) -> Iterator[Staff]:
    """A free judge scores on the cluster; any other is only called there, and stored here."""
    from pytest_trace.cli.scoring.dask import Cluster, DaskWorkers, RemoteJudge

    there = replace(order.setup, cache=None, state=None, identity=scorer.identity)
    cluster = Cluster(executor)
    try:
        if is_free(scorer.judge):
            workers = DaskWorkers(cluster, there, part_cases=PART_CASES)
            yield Staff(workers, scorer.state.totals)
        else:
            remote = RemoteJudge(cluster, there)
            with closing(Scorer(order.setup, judge=scorer.judge, call=remote.call)) as here:
                yield Staff(Here(here, cluster.width), remote.totals)
    finally:
        cluster.close()


@contextmanager
def _let_go(workers: Here | Processes) -> Iterator[Workers]:
    is_stopped = True
    try:
        yield workers
        is_stopped = False
    except StoppedError:
        is_stopped = False  # calls that are under way are paid for: what they bring is stored
        raise
    finally:
        workers.close(is_stopped=is_stopped)


def _processes(order: Order, judge: Judge, count: int) -> int:
    if order.processes is not None:
        return order.processes
    if not is_free(judge) or order.concurrency is not None or order.batch is not None:
        return 1
    return max(1, min(usable_cores(), count // _CASES_FOR_A_PROCESS))


def _concurrency(order: Order, judge: Judge) -> int:
    """A judge that asks a server waits most of the time; any other may not be safe for threads."""
    if order.concurrency is not None:
        return order.concurrency
    waits = getattr(judge, "is_metered", False) and order.batch is None
    return _CALLS_AT_ONCE if waits else 1


def _part_cases(judge: Judge) -> int:
    return PART_CASES if is_free(judge) else 1
