"""Awaiting what another thread does, on asyncio and on trio."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from pytest_trace.concurrency.calls import Call, result_of
from pytest_trace.concurrency.threads import Threads
from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

T = TypeVar("T")


class Begun(Generic[T]):
    """A function that runs in one of `threads` when its turn comes."""

    def __init__(self, function: Callable[[], T], threads: Threads) -> None:
        self._call = Call()
        self._future = threads.submit(partial(self._call.run, function))

    async def result(self) -> T:
        """What the function returns or raises. Who is cancelled is free at once, and gives up."""
        try:
            return await awaited(self._future)
        except BaseException:
            self.give_up()
            raise
        finally:
            del self  # its error holds this frame

    def give_up(self) -> None:
        """Nobody waits for it: it does not begin, or ends where it waits itself."""
        self._call.give_up()
        self._future.cancel()


async def awaited(future: Future[T]) -> T:
    """The result of a future that another thread fulfils; it is cancelled with who awaits it."""
    event, wake = _event()
    future.add_done_callback(lambda _: wake())
    try:
        await event.wait()
        return result_of(future)
    finally:
        future.cancel()  # where it is done that changes nothing
        del future  # its error holds this frame


def _event() -> tuple[Any, Callable[[], None]]:
    """An event of the loop that runs here, and what sets it from another thread."""
    if (trio := sys.modules.get("trio")) is not None:
        with suppress(RuntimeError):  # trio is loaded, and does not run here
            token = trio.lowlevel.current_trio_token()
            event = trio.Event()
            return event, partial(_set, token.run_sync_soon, event)
    import asyncio

    loop = asyncio.get_running_loop()
    happened = asyncio.Event()
    return happened, partial(_set, loop.call_soon_threadsafe, happened)


def _set(soon: Callable[[Callable[[], None]], object], event: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
        soon(event.set)
