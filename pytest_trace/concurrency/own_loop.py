"""The event loop of this package: whatever must be awaited to judge runs on it, whoever asks.

Tests come with loops of their own, often one for each, and sync tests with none. The client of a
server belongs to one loop, so it lives on this one, as long as the process does.
"""

from __future__ import annotations

import asyncio
import atexit
import itertools
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar, cast

from pytest_trace.concurrency.awaiting import awaited
from pytest_trace.concurrency.calls import require_wanted, result_of
from pytest_trace.concurrency.threads import AT_ONCE, Threads
from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

T = TypeVar("T")

Begin = Callable[[], Coroutine[Any, Any, T]]
"""A function that makes the coroutine to run."""

_LAST_SECONDS: Final = 1.0


def run(begin: Begin[T]) -> T:
    """What the coroutine returns or raises; it is cancelled when who waits here is interrupted.

    Raises `RuntimeError` on the loop itself, where waiting would never end. Nothing is begun in a
    call that was given up.
    """
    loop = own_loop()
    if loop.is_here:
        raise RuntimeError("it waits on the loop that would have to run it; await it there")
    require_wanted()
    future = loop.submit(begin)
    try:
        return result_of(future).unwrap()
    except BaseException:
        future.cancel()
        raise
    finally:
        del future  # its error holds this frame


async def arun(begin: Begin[T]) -> T:
    """`run`, for whoever awaits it, on any loop of asyncio or trio."""
    loop = own_loop()
    if loop.is_here:
        return await begin()
    return (await awaited(loop.submit(begin))).unwrap()


def own_loop() -> OwnLoop:
    """The loop of this process; started when it is first needed."""
    global _running  # noqa: PLW0603 - one for a process, like the process itself
    with _lock:
        if _running is None:
            _running = OwnLoop()
            atexit.register(_running.close)
        return _running


class OwnLoop:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._closing: dict[int, Callable[[], Coroutine[Any, Any, None]]] = {}
        self._numbers = itertools.count()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.SelectorEventLoop()
        self._loop.set_default_executor(_Daemons())
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="rag-judges", daemon=True
        )
        self._thread.start()

    @property
    def is_here(self) -> bool:
        """Whether the thread that asks is that of the loop."""
        return threading.current_thread() is self._thread

    def submit(self, begin: Begin[T]) -> Future[Outcome[T]]:
        """Run a coroutine, in a copy of the context that is current here."""
        return asyncio.run_coroutine_threadsafe(_outcome(begin), self._loop)

    def close_with(self, owner: object, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `close` on the loop when `owner` is gone, or the process ends."""
        number = next(self._numbers)
        self._closing[number] = close
        weakref.finalize(owner, self._owner_is_gone, number).atexit = False

    def close(self) -> None:
        """Run what is to be closed, end every task, and the loop; a second is all there is."""
        if self._process != os.getpid():  # the thread is that of the parent
            return
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(_LAST_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_LAST_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def _owner_is_gone(self, number: int) -> None:
        """From a finalizer, which runs in any thread: nothing may be waited for."""
        close = self._closing.pop(number, None)
        if close is not None and self._process == os.getpid():
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._begin_close, close)

    def _begin_close(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = self._loop.create_task(close())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self) -> None:
        for close in list(self._closing.values()):
            with suppress(Exception):  # the process ends: what cannot be closed goes with it
                await close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a coroutine came to. Not even `SystemExit` may end the loop itself."""

    value: T | None
    error: BaseException | None = None

    def unwrap(self) -> T:
        """The value; raises the error."""
        try:
            if self.error is not None:
                raise self.error
            return cast("T", self.value)
        finally:
            del self  # its error holds this frame


async def _outcome(begin: Begin[T]) -> Outcome[T]:
    try:
        return Outcome(await begin())
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
        return Outcome(None, error)


class _Daemons(ThreadPoolExecutor):
    """What the loop looks names up with: no exit waits for a name server."""

    def __init__(self) -> None:
        super().__init__()
        self._threads_of_ours = Threads(AT_ONCE)

    def submit(self, function: Callable[..., T], /, *args: Any, **keywords: Any) -> Future[T]:
        return self._threads_of_ours.submit(partial(function, *args, **keywords))


_lock = threading.Lock()
_running: OwnLoop | None = None
_of_parents: list[OwnLoop | None] = []


def _start_anew() -> None:
    """A forked child has no thread to run its parent's loop, and must not close it either."""
    global _lock, _running
    _of_parents.append(_running)
    _lock, _running = threading.Lock(), None


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_start_anew)
