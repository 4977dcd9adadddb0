"""Awaiting what a thread does: nobody else is held up, and who is cancelled is free."""

from __future__ import annotations

import asyncio
import logging
import threading
from functools import partial

import pytest
import trio
from loops import on_both_loops

from pytest_trace.concurrency.awaiting import Begun
from pytest_trace.concurrency.calls import GivenUp, pause
from pytest_trace.concurrency.threads import Threads

SECONDS = 10.0


def fail():
    raise ZeroDivisionError


@on_both_loops
def test_result_and_error_come_through(run):
    """Whoever awaits gets what the function returns or raises."""

    async def both():
        with pytest.raises(ZeroDivisionError):
            await Begun(fail, Threads(1)).result()
        return await Begun(lambda: 7, Threads(1)).result()

    assert run(both) == 7


def test_other_tasks_run_on_in_asyncio():
    """A task of the same loop may do what the thread waits for."""
    event = threading.Event()

    async def both():
        begun = Begun(partial(event.wait, SECONDS), Threads(1))
        waiting = asyncio.create_task(begun.result())
        await asyncio.sleep(0)
        event.set()
        return await waiting

    assert asyncio.run(both())


def test_other_tasks_run_on_in_trio():
    """A task of the same nursery may do what the thread waits for."""
    event, results = threading.Event(), []

    async def wait():
        results.append(await Begun(partial(event.wait, SECONDS), Threads(1)).result())

    async def both():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.lowlevel.checkpoint()
            event.set()

    trio.run(both)
    assert results == [True]


class Waiting:
    """A function that waits until it is given up."""

    def __init__(self):
        self.begun, self.ended = threading.Event(), threading.Event()

    def __call__(self):
        self.begun.set()
        try:
            pause(60)
        except GivenUp:
            self.ended.set()
            raise


async def with_timeout_of_asyncio(begun):
    async with asyncio.timeout(0.05):
        await begun.result()


async def with_timeout_of_trio(begun):
    with trio.fail_after(0.05):
        await begun.result()


@pytest.mark.parametrize(
    ("run", "wait", "error"),
    [
        (asyncio.run, with_timeout_of_asyncio, TimeoutError),
        (lambda made: trio.run(lambda: made), with_timeout_of_trio, trio.TooSlowError),
    ],
    ids=["asyncio", "trio"],
)
def test_who_is_cancelled_gives_up(run, wait, error):
    """Its task is free at once, and the thread unwinds."""
    waiting = Waiting()
    with pytest.raises(error):
        run(wait(Begun(waiting, Threads(1))))
    assert waiting.ended.wait(SECONDS)


def test_call_that_was_given_up_in_the_queue_never_begins():
    """A call whose turn has not come is simply dropped."""
    threads, first, called = Threads(1), Waiting(), []
    begun = Begun(first, threads)
    queued = Begun(lambda: called.append(1), threads)
    queued.give_up()
    begun.give_up()
    threads.submit(lambda: None).result(SECONDS)
    assert called == []


@on_both_loops
def test_loop_that_has_ended_is_not_told(run, caplog):
    """A thread that comes back after its loop was closed has nobody to tell, and says nothing."""
    go_on = threading.Event()
    threads = Threads(1)

    async def leave():
        begun = Begun(partial(go_on.wait, SECONDS), threads)
        coroutine = begun.result()
        coroutine.send(None)  # it waits now
        return begun, coroutine

    begun, coroutine = run(leave)
    with caplog.at_level(logging.ERROR):
        go_on.set()
        threads.submit(lambda: None).result(SECONDS)
    assert begun._future.result(SECONDS)
    coroutine.close()
    assert caplog.records == []
