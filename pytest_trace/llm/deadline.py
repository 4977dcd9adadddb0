"""A moment after which nothing is waited for."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TypeVar

from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

T = TypeVar("T")


class Deadline:
    """The end of so many seconds from now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then, never negative."""
        return max(0.0, self._end - time.monotonic())

    def require_time(self) -> None:
        """Raise `TimeoutError` once it has passed."""
        if self.left <= 0:
            raise TimeoutError

    def run(self, function: Callable[[], T]) -> T:
        """The result of `function`; raises `TimeoutError` if it takes longer, and leaves it behind.

        The read timeouts of HTTP clients begin anew with each byte, in headers too, so that only
        another thread can stop waiting for them. It is a daemon: no exit waits for it.
        """
        self.require_time()
        future: Future[T] = Future()
        thread = threading.Thread(
            target=_fulfil, args=(future, function), name="rag-judge-call", daemon=True
        )
        thread.start()
        try:
            return future.result(timeout=self.left)
        finally:
            del future  # its error holds this frame

    async def arun(self, function: Callable[[], Awaitable[T]]) -> T:
        """`run` for an awaited function, which is cancelled if it takes longer."""
        self.require_time()
        async with asyncio.timeout(self.left):
            return await function()


def _fulfil(future: Future[T], function: Callable[[], T]) -> None:
    try:
        future.set_result(function())
    except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
        future.set_exception(error)
    finally:
        del future, function
