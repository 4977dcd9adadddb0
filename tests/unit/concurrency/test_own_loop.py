"""The loop on which judges are awaited: whoever asks, it is one, and nothing ends it."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import ContextVar

import pytest
from loops import on_both_loops

from pytest_trace.concurrency.calls import Call, GivenUp
from pytest_trace.concurrency.own_loop import arun, own_loop, run
from pytest_trace.concurrency.threads import Threads

SECONDS = 10.0
_name: ContextVar[str] = ContextVar("_name", default="nobody")


async def loop_here():
    return asyncio.get_running_loop()


async def where_and_who():
    return threading.current_thread().name, _name.get()


def program(text):
    """What a program of its own prints; it must end well, and soon."""
    command = [sys.executable, "-W", "error", "-X", "dev", "-c", textwrap.dedent(text)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.stderr, ended.returncode) == ("", 0)
    return ended.stdout


def test_all_callers_share_one_loop():
    """Threads, sync callers in a running loop and those who await all get the same."""

    async def from_a_loop():
        return {await arun(loop_here), run(loop_here), await asyncio.to_thread(run, loop_here)}

    with ThreadPoolExecutor(4) as pool:
        loops = set(pool.map(lambda _: run(loop_here), range(8)))
    loops |= asyncio.run(from_a_loop()) | asyncio.run(from_a_loop())
    assert len(loops) == 1


@on_both_loops
def test_result_and_error_come_through(run):
    """Whoever awaits gets what the coroutine returns or raises."""

    async def fail():
        raise ZeroDivisionError

    async def both():
        with pytest.raises(ZeroDivisionError):
            await arun(fail)
        return await arun(loop_here)

    assert run(both) is not None


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), pytest.skip.Exception("no")])
def test_nothing_ends_the_loop(error):
    """What would end a loop of asyncio's is raised where the result is waited for, only there."""

    async def fail():
        raise error

    before = run(loop_here)
    with pytest.raises(type(error)) as raised:
        run(fail)
    assert raised.value is error
    assert run(loop_here) is before


def test_context_is_copied():
    """The coroutine sees the context variables of who asks."""
    _name.set("somebody")
    assert run(where_and_who) == ("rag-judges", "somebody")
    assert asyncio.run(arun(where_and_who)) == ("rag-judges", "somebody")


def test_waiting_on_the_loop_itself_is_refused():
    """It would never end; who is on the loop already awaits."""

    async def wait():
        with pytest.raises(RuntimeError, match="it waits on the loop that would have to run it"):
            run(loop_here)
        return await arun(loop_here)

    assert run(wait) is own_loop()._loop


class Hanging:
    """A coroutine that ends when it is cancelled, and what is known of it."""

    def __init__(self):
        self.begun, self.cancelled = threading.Event(), threading.Event()

    async def __call__(self):
        self.begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def test_call_that_is_given_up_cancels_the_coroutine():
    """The thread that waits for it is free, and the coroutine is told."""
    call, hanging = Call(), Hanging()
    future = Threads(1).submit(lambda: call.run(lambda: run(hanging)))
    assert hanging.begun.wait(SECONDS)
    call.give_up()
    assert isinstance(future.exception(SECONDS), GivenUp)
    assert hanging.cancelled.wait(SECONDS)


def test_call_that_was_given_up_begins_nothing():
    """What nobody waits for is not even asked."""
    call, hanging = Call(), Hanging()
    call.give_up()
    with pytest.raises(GivenUp):
        call.run(lambda: run(hanging))
    run(loop_here)  # whatever was begun before is under way by now
    assert not hanging.begun.is_set()


def test_cancelling_who_awaits_cancels_the_coroutine():
    """A timeout around `arun` reaches what it awaits."""
    hanging = Hanging()

    async def wait():
        async with asyncio.timeout(0.05):
            await arun(hanging)

    with pytest.raises(TimeoutError):
        asyncio.run(wait())
    assert hanging.cancelled.wait(SECONDS)


def test_interrupt_cancels_the_coroutine():
    """Ctrl-C while a sync test waits ends what it waits for."""
    hanging = Hanging()

    def interrupt():
        hanging.begun.wait(SECONDS)
        time.sleep(0.2)  # who has begun it waits for it by now
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run(hanging)
    thread.join()
    assert hanging.cancelled.wait(SECONDS)


def test_coroutine_that_cancels_itself_is_an_error():
    """Who did not give up gets an Exception, not the cancellation of somebody else."""

    async def cancel():
        asyncio.current_task().cancel()
        await asyncio.sleep(1)

    with pytest.raises(CancelledError) as raised:
        run(cancel)
    assert isinstance(raised.value, Exception)


def test_what_belongs_to_the_loop_is_closed_with_its_owner():
    """When the client of a server is gone, its connections are closed, on the loop."""

    class Client:
        pass

    closed, closed_on = threading.Event(), []

    async def close():
        closed_on.append(asyncio.get_running_loop())
        closed.set()

    client = Client()
    own_loop().close_with(client, close)
    del client
    gc.collect()
    assert closed.wait(SECONDS)
    assert closed_on == [run(loop_here)]


def test_error_is_freed_without_the_collector():
    """An error holds no cycle: it carries prompts and connections."""

    class Boom(Exception):  # noqa: N818
        pass

    async def explode():
        raise Boom

    gc.disable()
    try:
        try:
            run(explode)
        except Boom as error:
            alive = weakref.ref(error)
        end = time.monotonic() + SECONDS  # the loop may take a moment to let go
        while alive() is not None and time.monotonic() < end:
            time.sleep(0.001)
        assert alive() is None
    finally:
        gc.enable()


def test_end_of_the_process_closes_everything():
    """At exit clients are closed, tasks are told, and nobody waits for what does not end."""
    printed = program(
        """
        import asyncio, threading
        from pytest_trace.concurrency.own_loop import own_loop, run

        class Client:
            async def close(self):
                print("closed")

        begun = threading.Event()

        async def hang():
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                print("told")

        async def look_up_for_ever():
            loop = asyncio.get_running_loop()
            loop.run_in_executor(None, threading.Event().wait)

        client = Client()
        own_loop().close_with(client, client.close)
        own_loop().submit(hang)
        run(look_up_for_ever)
        begun.wait(10)
        """
    )
    assert printed == "closed\ntold\n"


def test_forked_process_has_a_loop_and_threads_of_its_own():
    """A child has none of its parent's threads: it starts anew, and leaves the parent's alone."""
    printed = program(
        """
        import asyncio, os, sys, threading, warnings
        from pytest_trace.concurrency.own_loop import run
        from pytest_trace.concurrency.threads import shared_threads

        async def loop_id():
            return id(asyncio.get_running_loop())

        hold = threading.Event()
        before = run(loop_id)
        for _ in range(40):
            shared_threads().submit(hold.wait)
        warnings.simplefilter("ignore")  # Python warns of forks beside threads
        if os.fork() == 0:
            shared = shared_threads().submit(lambda: 7).result(10)
            print(run(loop_id) != before, shared, flush=True)
            sys.exit()
        print(os.wait()[1], run(loop_id) == before)
        hold.set()
        """
    )
    assert printed == "True 7\n0 True\n"
