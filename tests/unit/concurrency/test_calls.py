"""Calls that are given up: what waits ends, and what is waited for is left alone."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, Future

import pytest

from pytest_trace.concurrency.calls import Call, GivenUp, pause, result_of, wait_for
from pytest_trace.concurrency.threads import Threads

SECONDS = 10.0


def test_result_and_error_come_through():
    """Within a call or without one, a future gives what it has been given."""
    done, failed = Future(), Future()
    done.set_result(7)
    failed.set_exception(ZeroDivisionError())
    for run in (lambda function: function(), Call().run):
        assert run(lambda: result_of(done)) == 7
        with pytest.raises(ZeroDivisionError):
            run(lambda: result_of(failed))


@pytest.mark.parametrize("run", [lambda function: function(), Call().run], ids=["plain", "call"])
def test_future_that_is_cancelled_is_waited_for_no_longer(run):
    """Who waits is told as soon as nobody will fulfil it."""
    future = Future()
    threading.Timer(0.05, future.cancel).start()
    run(lambda: wait_for(future))
    with pytest.raises(CancelledError):
        run(lambda: result_of(future))


def test_call_waits_for_a_future():
    """A future that another thread fulfils later is waited for."""
    future = Future()
    threading.Timer(0.05, future.set_result, [7]).start()
    assert Call().run(lambda: result_of(future)) == 7


@pytest.mark.parametrize(
    "wait", [lambda: result_of(Future()), lambda: pause(60)], ids=["result", "pause"]
)
def test_what_waits_ends_when_it_is_given_up(wait):
    """Whatever the thread of a call waits for, it unwinds at once."""
    call, begun = Call(), threading.Event()

    def work():
        begun.set()
        wait()

    future = Threads(1).submit(lambda: call.run(work))
    begun.wait(SECONDS)
    time.sleep(0.02)
    call.give_up()
    assert isinstance(future.exception(SECONDS), GivenUp)


def test_what_others_wait_for_is_left_alone():
    """Giving up the wait for a future cancels nothing: it may be that of another call."""
    call, future = Call(), Future()
    call.give_up()
    with pytest.raises(GivenUp):
        call.run(lambda: result_of(future))
    assert not future.cancelled()


def test_call_that_was_given_up_waits_for_nothing_more():
    """A call that did not wait when it was given up ends where it would wait next."""
    call, done = Call(), Future()
    done.set_result(7)
    call.give_up()
    for wait in (lambda: result_of(done), lambda: pause(60)):
        with pytest.raises(GivenUp):
            call.run(wait)


def test_only_what_runs_as_the_call_is_given_up():
    """When a call is over, its thread waits as any other, and so does a call around it."""
    inner, outer = Call(), Call()
    inner.give_up()

    def work():
        inner.run(lambda: None)
        pause(0.001)
        return 7

    assert outer.run(work) == 7
    begun = time.monotonic()
    pause(0.02)
    assert time.monotonic() - begun >= 0.02
