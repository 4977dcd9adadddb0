"""Who works on the cases: this process with one thread or several, or processes beside it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Final, Protocol

from pytest_trace.cli.scoring.scorer import Part, Scorer, Setup, score_part, to_send
from pytest_trace.datasets.cases import Case
from pytest_trace.errors import RagTraceError

PART_CASES: Final = 16
"""Cases that a worker is sent at once: enough that sending them costs little."""

_QUEUED_FOR_EACH: Final = 2  # parts: one in hand, one that waits
_WINDOW: Final = 16  # cases for each thread: one that takes long holds few others up


class WorkersLostError(RagTraceError):
    """Who worked on the cases is gone; what is written stays."""


class Workers(Protocol):
    """Works on parts of `part_cases` cases, at most `width` at once.

    `window` parts may be under way or done while the first of them is not.
    """

    part_cases: int
    width: int
    window: int

    def score(self, cases: Sequence[Case]) -> Part:
        """What comes of some cases; called by several threads. Raises `WorkersLostError`."""
        ...

    def close(self, *, is_stopped: bool) -> None:
        """Let them go; where they are stopped, at once and whatever they do."""
        ...


class Here:
    """Threads of this process."""

    part_cases = 1

    def __init__(self, scorer: Scorer, concurrency: int) -> None:
        self._scorer = scorer
        self.width = concurrency
        self.window = _WINDOW * concurrency

    def score(self, cases: Sequence[Case]) -> Part:
        return self._scorer.part(cases)

    def close(self, *, is_stopped: bool) -> None:
        """Nothing is held; threads that wait for a server are left behind."""


class Processes:
    """Processes beside this one."""

    def __init__(self, setup: Setup, count: int, *, part_cases: int = PART_CASES) -> None:
        self.part_cases = part_cases
        self.width = _QUEUED_FOR_EACH * count
        self.window = 2 * self.width
        self._setup = setup
        before = set(multiprocessing.active_children())
        # A fork would copy locks that threads of ours hold.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(count, mp_context=context, initializer=_leave_ctrl_c)
        with _ctrl_c_held_back():
            for _ in range(count):  # each starts one process
                self._pool.submit(_do_nothing)
        self._started = set(multiprocessing.active_children()) - before

    def score(self, cases: Sequence[Case]) -> Part:
        try:
            return self._pool.submit(score_part, self._setup, to_send(cases)).result()
        except BrokenProcessPool:
            raise WorkersLostError(
                "a worker process ended before its work did: it was killed, or memory ran out; "
                "use fewer with --processes"
            ) from None

    def close(self, *, is_stopped: bool) -> None:
        self._pool.shutdown(wait=not is_stopped, cancel_futures=True)
        if is_stopped:
            for process in self._started:
                process.kill()


def usable_cores() -> int:
    """How many processes of ours can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """What is started meanwhile never hears Ctrl-C, which goes to all processes of a terminal."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: only the initializer helps
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave_ctrl_c() -> None:
    """It is for the process that hands out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _do_nothing() -> None:
    """What starts a process."""
