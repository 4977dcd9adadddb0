"""A call that is made in a thread for somebody who may give it up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import TypeVar

from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

T = TypeVar("T")

_here = threading.local()


class GivenUp(BaseException):
    """Nobody waits for this call any more: what it does unwinds, and lets go of what it holds.

    No Exception: nothing takes it for a fault of a judge.
    """


class Call:
    """One call. Whatever waits in its thread by `result_of` and `pause` ends when it is given up.

    What runs is not interrupted: a judge that was asked there may answer in peace.
    """

    def __init__(self) -> None:
        self._given_up = threading.Event()
        self._waking: threading.Event | None = None

    def run(self, function: Callable[[], T]) -> T:
        """What `function` returns, as this call, in this thread."""
        before = getattr(_here, "call", None)
        _here.call = self
        try:
            return function()
        finally:
            _here.call = before

    def give_up(self) -> None:
        """End what waits, now or later, with `GivenUp`."""
        self._given_up.set()
        if (waking := self._waking) is not None:
            waking.set()

    def wait_for(self, future: Future[T]) -> None:
        """Wait until `future` has its result; raises `GivenUp`."""
        waking = self._waking = threading.Event()
        future.add_done_callback(lambda _: waking.set())
        self.require_wanted()
        waking.wait()
        self.require_wanted()

    def pause(self, seconds: float) -> None:
        """Sleep; raises `GivenUp`."""
        self._given_up.wait(seconds)
        self.require_wanted()

    def require_wanted(self) -> None:
        """Raise `GivenUp` if it was given up."""
        if self._given_up.is_set():
            raise GivenUp


def is_awaited() -> bool:
    """Whether what runs in this thread is awaited, by somebody who may give it up."""
    return getattr(_here, "call", None) is not None


def require_wanted() -> None:
    """Raise `GivenUp` if the call of this thread was given up."""
    call: Call | None = getattr(_here, "call", None)
    if call is not None:
        call.require_wanted()


def wait_for(future: Future[T]) -> None:
    """Wait until another thread has fulfilled or cancelled a future.

    Raises `GivenUp` as soon as the call of this thread is given up; the future is left alone.
    """
    call: Call | None = getattr(_here, "call", None)
    if call is None:
        with suppress(CancelledError):
            future.exception()
    else:
        call.wait_for(future)


def result_of(future: Future[T]) -> T:
    """The result of a future that another thread fulfils.

    Raises what the future has been given, as if it were raised here, and `GivenUp` where the call
    of this thread was given up.
    """
    try:
        wait_for(future)
        if (error := future.exception()) is not None:
            raise error
        return future.result()
    finally:
        error = None
        del future  # its error holds this frame


def pause(seconds: float) -> None:
    """Sleep; raises `GivenUp` as soon as the call of this thread is given up."""
    call: Call | None = getattr(_here, "call", None)
    if call is None:
        time.sleep(seconds)
    else:
        call.pause(seconds)
