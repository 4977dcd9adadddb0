"""Calls that run beside the tests: so many at once, each in a thread that no exit waits for."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, Generic, TypeVar

from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

T = TypeVar("T")

_POLL_SECONDS: Final = 0.2
_MOST_WAITING: Final = 8
"""So many jobs for each thread, and whoever brings another waits until one is done."""


@dataclass(eq=False)
class Job(Generic[T]):
    """A call, and what comes of it: `run` returns what it has to tell and never raises."""

    key: Hashable
    run: Callable[[], T]
    future: Future[T] = field(default_factory=Future)
    begun: float | None = None
    """When its thread took it, by the monotonic clock."""


class Pool(Generic[T]):
    """Runs jobs in the order they come, at most `size` at once.

    Of jobs with the same key only one runs at a time: the others ask for what it will have
    stored, and would hold threads while they wait. A job that takes longer than `limit_seconds`
    gets the result of `give_up`, and a new thread stands in for the one that hangs.
    """

    def __init__(self, size: int, limit_seconds: float, give_up: Callable[[float], T]) -> None:
        self._size = size
        self._limit_seconds = limit_seconds
        self._give_up = give_up
        self._changed = threading.Condition()
        self._later: Callable[[], bool] | None = None
        self._ready: deque[Job[T]] = deque()
        self._waiting: dict[Hashable, deque[Job[T]]] = {}
        self._active: set[Job[Any]] = set()
        self._threads = 0
        self._idle = 0
        self._is_closed = False

    def submit(self, key: Hashable, run: Callable[[], T]) -> Future[T]:
        """Run `run` as soon as a thread is free; waits while far too many are ahead of it."""
        job = Job(key, run)
        while self._is_full():
            self._wait_for_change()
        with self._changed:
            if key in self._waiting:
                self._waiting[key].append(job)
            else:
                self._waiting[key] = deque()
                self._put(job)
        return job.future

    def work_ahead(self, step: Callable[[], bool]) -> None:
        """Have idle threads call `step`, which never raises, until it returns False."""
        with self._changed:
            self._later = step
            while self._threads < self._size:
                self._start_thread()

    def wait(self, future: Future[T]) -> T:
        """The result of a job, at the latest when its time is over."""
        while not future.done():
            self._wait_for_change()
        return future.result()

    def close(self) -> None:
        """Take no more jobs up, and leave those behind that run: all are cancelled."""
        with self._changed:
            self._is_closed = True
            for job in chain(self._active, self._ready, *self._waiting.values()):
                job.future.cancel()
            self._active.clear()
            self._ready.clear()
            self._waiting.clear()
            self._changed.notify_all()

    def _is_full(self) -> bool:
        with self._changed:
            return len(self._ready) >= self._size * _MOST_WAITING and not self._is_closed

    def _wait_for_change(self) -> None:
        with self._changed:
            self._changed.wait(_POLL_SECONDS)
        self._expire()

    def _put(self, job: Job[T]) -> None:
        self._ready.append(job)
        if len(self._ready) > self._idle and self._threads < self._size:
            self._start_thread()
        self._changed.notify_all()

    def _start_thread(self) -> None:
        self._threads += 1
        threading.Thread(target=self._work, name="rag-verdict", daemon=True).start()

    def _work(self) -> None:
        while (job := self._taken()) is not None:
            result = job.run()
            if not self._finish(job, result):
                return  # another thread stands in for this one

    def _taken(self) -> Job[Any] | None:
        with self._changed:
            self._idle += 1
            while not (self._ready or self._later or self._is_closed):
                self._changed.wait()
            self._idle -= 1
            if self._is_closed:
                return None
            job = self._ready.popleft() if self._ready else Job(None, self._step)
            job.begun = time.monotonic()
            self._active.add(job)
            return job

    def _step(self) -> None:
        if (later := self._later) is not None and not later():
            self._later = None

    def _finish(self, job: Job[Any], result: Any) -> bool:
        """Give a job its result, unless it was given up before; whether it was not."""
        with self._changed:
            if job not in self._active:
                return False
            self._active.remove(job)
            self._release(job.key)
            job.future.set_result(result)
            self._changed.notify_all()
            return True

    def _release(self, key: Hashable) -> None:
        """The next of the jobs with this key may run; without one the key is forgotten."""
        waiting = self._waiting.get(key)
        if waiting:
            self._ready.appendleft(waiting.popleft())
        else:
            self._waiting.pop(key, None)

    def _expire(self) -> None:
        now = time.monotonic()
        with self._changed:
            for job in [*self._active]:
                if job.begun is not None and now - job.begun > self._limit_seconds:
                    self._active.remove(job)
                    self._release(job.key)
                    job.future.set_result(self._give_up(self._limit_seconds))
                    self._threads -= 1
                    if self._ready:
                        self._start_thread()
                    self._changed.notify_all()
