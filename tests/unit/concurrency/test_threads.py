"""Threads that run what would block: how many, in which order, and what comes through."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from contextvars import ContextVar

import pytest

from pytest_trace.concurrency.threads import Threads

SECONDS = 10.0
_name: ContextVar[str] = ContextVar("_name", default="nobody")


def test_no_more_run_at_once_than_they_may():
    """Ten jobs for three threads: three run together, and never four."""
    running, most = 0, []
    lock, together = threading.Lock(), threading.Barrier(3)

    def job():
        nonlocal running
        with lock:
            running += 1
            most.append(running)
        together.wait(SECONDS)
        with lock:
            running -= 1

    threads = Threads(3)
    for future in [threads.submit(job) for _ in range(9)]:
        future.result(SECONDS)
    assert max(most) == 3


def test_first_come_first_served():
    """Jobs begin in the order in which they came."""
    begun = []
    threads = Threads(1)
    futures = [threads.submit(lambda n=n: begun.append(n)) for n in range(20)]
    for future in futures:
        future.result(SECONDS)
    assert begun == list(range(20))


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), pytest.skip.Exception("no")])
def test_whatever_is_raised_comes_through(error):
    """An error, also one that is no Exception, is that of the future, and the next job runs."""

    def fail():
        raise error

    threads = Threads(1)
    failed, other = threads.submit(fail), threads.submit(lambda: 7)
    assert failed.exception(SECONDS) is error
    assert other.result(SECONDS) == 7


def test_cancelled_job_never_begins():
    """A job that is not wanted any more when its turn comes is passed over."""
    go_on, called = threading.Event(), []
    threads = Threads(1)
    first = threads.submit(lambda: go_on.wait(SECONDS))
    second = threads.submit(lambda: called.append(2))
    third = threads.submit(lambda: called.append(3))
    assert second.cancel()
    go_on.set()
    first.result(SECONDS)
    third.result(SECONDS)
    assert called == [3]


def test_context_is_copied():
    """A job sees the context variables of who brought it, and changes none of them."""
    _name.set("somebody")

    def job():
        seen = _name.get()
        _name.set("job")
        return seen

    assert Threads(1).submit(job).result(SECONDS) == "somebody"
    assert _name.get() == "somebody"


def test_threads_end_with_their_work():
    """When nothing is left to run there is no thread, and none of them ever held up an exit."""
    seen = []
    threads = Threads(4)
    for future in [threads.submit(lambda: seen.append(threading.current_thread()))] * 8:
        future.result(SECONDS)
    for thread in seen:
        assert thread.daemon
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert threads.submit(lambda: 7).result(SECONDS) == 7


def test_error_is_freed_without_the_collector():
    """An error holds no cycle: it carries prompts and connections."""

    class Boom(Exception):  # noqa: N818
        pass

    def explode():
        raise Boom

    gc.disable()
    try:
        alive = weakref.ref(Threads(1).submit(explode).exception(SECONDS))
        end = time.monotonic() + SECONDS  # the thread may take a moment to let go
        while alive() is not None and time.monotonic() < end:
            time.sleep(0.001)
        assert alive() is None
    finally:
        gc.enable()
