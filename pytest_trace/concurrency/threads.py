"""Threads that run what would block an event loop, a bounded number of them at once."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

T = TypeVar("T")

AT_ONCE: Final = 32
"""So many calls are under way in the shared threads; further ones wait their turn."""


class Threads:
    """Runs functions in their order, at most `most` at once, each in a copy of its context.

    A thread ends when nothing is left to run. They are daemons: no exit waits for a judge that
    hangs.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: deque[_Job] = deque()
        self._running = 0

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run `function` when its turn comes; a future that is cancelled before never runs."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.append(_Job(future, function, copy_context()))
            if self._running < self._most:
                threading.Thread(target=self._work, name="rag-call", daemon=True).start()
                self._running += 1
        return future

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run()
            del job  # its error holds prompts and connections

    def _next(self) -> _Job | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._running -= 1
            return None


@dataclass(frozen=True, slots=True)
class _Job:
    future: Future[Any]
    function: Callable[[], Any]
    context: Context

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self.context.run(self.function))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
            self.future.set_exception(error)
        finally:
            del self


_shared = Threads(AT_ONCE)


def shared_threads() -> Threads:
    """Those of this process: whatever is awaited in it shares their number."""
    return _shared


def _start_anew() -> None:
    """A forked child has none of its parent's threads."""
    global _shared  # noqa: PLW0603 - one for a process, like the process itself
    _shared = Threads(AT_ONCE)


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_start_anew)
