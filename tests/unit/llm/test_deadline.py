"""A moment after which nothing is waited for."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref

import pytest

from pytest_trace.llm.deadline import Deadline


async def seven():
    return 7


async def fail():
    raise ZeroDivisionError


def test_result_and_error_come_through():
    """What the function returns or raises is what the caller gets, awaited or not."""
    assert Deadline(5).run(lambda: 7) == 7
    assert asyncio.run(Deadline(5).arun(seven)) == 7
    with pytest.raises(ZeroDivisionError):
        Deadline(5).run(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(Deadline(5).arun(fail))


def test_caller_is_free_at_the_deadline():
    """A function that takes too long is left behind, in a thread that no exit waits for."""
    end, threads = threading.Event(), []

    def hang():
        threads.append(threading.current_thread())
        end.wait(10)

    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        Deadline(0.05).run(hang)
    assert time.monotonic() - begun < 2
    assert threads[0].daemon
    end.set()


def test_awaited_function_is_cancelled_at_the_deadline():
    """The caller is free, and what was awaited has been told."""
    told = []

    async def hang():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise

    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(Deadline(0.05).arun(hang))
    assert time.monotonic() - begun < 2
    assert told == ["cancelled"]


def test_nothing_starts_after_the_deadline():
    """Once it has passed, the function is not called."""
    called = []
    deadline = Deadline(0)
    assert deadline.left == 0
    with pytest.raises(TimeoutError):
        deadline.run(lambda: called.append(1))
    with pytest.raises(TimeoutError):
        asyncio.run(deadline.arun(lambda: called.append(2)))
    assert called == []


def test_error_is_freed_without_the_collector():
    """An error holds no cycle: it carries prompts and connections."""

    class Boom(Exception):  # noqa: N818
        pass

    def explode():
        raise Boom

    gc.disable()
    try:
        try:
            Deadline(5).run(explode)
        except Boom as error:
            alive = weakref.ref(error)
        deadline = time.monotonic() + 2  # the thread may take a moment to let go
        while alive() is not None and time.monotonic() < deadline:
            time.sleep(0.001)
        assert alive() is None
    finally:
        gc.enable()
