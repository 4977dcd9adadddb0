"""Evaluations that are awaited: the same as others, and nobody is held up."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from building import keyed
from fakes import AwaitedFake, FakeJudge, FakeTest
from loops import longest_gap, on_both_loops

from pytest_trace.concurrency.threads import AT_ONCE
from pytest_trace.errors import JudgeError
from pytest_trace.evaluation import Settings, aevaluate, aevaluate_many, evaluate
from pytest_trace.judges import require_judge
from pytest_trace.sentences import make_sentencizer
from pytest_trace.trace import Trace

SECONDS = 10.0


def traces(count):
    """So many traces, each with a response of its own."""
    return [keyed([f"Answer {number}."]) for number in range(count)]


@pytest.fixture(params=[FakeJudge, AwaitedFake])
def judge(request):
    """A judge that is called, or one that is awaited."""
    return request.param()


@pytest.fixture
def running_test():
    """The test that evaluations join."""
    test = FakeTest(Settings(judge=FakeJudge(), sentencizer=make_sentencizer(), marks="strict"))
    test.start()
    return test


class Gate(AwaitedFake):
    """An awaited judge that answers when it is let, and knows how many are before it."""

    def __init__(self):
        super().__init__()
        self.waiting, self.most, self.cancelled = 0, 0, threading.Event()
        self.open = threading.Event()

    async def ajudge(self, sentences):
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        try:
            while not self.open.is_set():  # noqa: ASYNC110 - another thread sets it
                await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        finally:
            self.waiting -= 1
        return await super().ajudge(sentences)

    async def wait_for(self, count):
        """Wait until so many stand before it, and a little longer for those that must not."""
        end = time.monotonic() + SECONDS
        while self.waiting < count:
            assert time.monotonic() < end
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)


@on_both_loops
def test_awaited_evaluation_is_the_same(run, judge):
    """A coroutine gets what `evaluate` would have given it, on either loop."""

    async def evaluated():
        return await aevaluate(keyed(), judge=judge, formula="ragbench", marks="strict")

    assert run(evaluated) == evaluate(keyed(), judge=judge, formula="ragbench", marks="strict")


@on_both_loops
def test_error_comes_through(run):
    """A judge that cannot decide raises where the evaluation is awaited."""

    async def evaluated():
        await aevaluate(keyed(["This is unclear."]), judge=FakeJudge())

    with pytest.raises(JudgeError, match="the fake judge cannot decide"):
        run(evaluated)


def test_anything_but_a_trace_is_refused():
    """The message shows how a trace is made."""
    with pytest.raises(TypeError, match=r"^got a str; expected a Trace or KeyedTrace: Trace\("):
        asyncio.run(aevaluate("How long?", judge=FakeJudge()))


def test_without_a_test_no_judge_is_guessed():
    """Where pytest runs and no test is found, that is an error and no quiet `lexical`."""
    with pytest.raises(JudgeError, match="pytest is running, but no running test was found"):
        asyncio.run(aevaluate(keyed()))


def test_evaluation_joins_the_test_that_awaited_it(running_test):
    """Judge and settings are those of the test, and it is told in its own thread."""
    told = []
    running_test.add = lambda found, place: told.append((found, threading.current_thread()))
    found = asyncio.run(aevaluate(keyed(), formula="ragbench"))
    assert (found.judge, found.marks, found.formula) == ("fake", "strict", "ragbench")
    assert told == [(found, threading.current_thread())]
    assert (running_test.asked_for, running_test.asked) == ([None], 1)


@pytest.mark.parametrize("slow", ["settings", "splitting", "judge"])
def test_no_loop_is_held_up(running_test, slow):
    """Making a judge, splitting a long text and a judge that is called take no time of others."""

    def slowly(function):
        def waits(*arguments):
            time.sleep(0.5)
            return function(*arguments)

        return waits

    class Slow:
        version = "slow-1"
        split = staticmethod(slowly(lambda text: [text]))

    settings = running_test._settings
    if slow == "settings":
        running_test.settings = slowly(running_test.settings)
    elif slow == "splitting":
        running_test._settings = settings.with_given(sentencizer=Slow())
    else:
        settings.judge.judge = slowly(settings.judge.judge)
    trace = Trace("How long?", ["30 days."], "You have 30 days.")
    found, gap = asyncio.run(longest_gap(aevaluate(trace)))
    assert found.judge == "fake"
    assert gap < 0.25


def test_so_many_at_once():
    """Of fifty that are awaited together, 32 are under way; the others wait their turn."""
    gate = Gate()

    async def all_at_once():
        gathered = asyncio.gather(*(aevaluate(trace, judge=gate) for trace in traces(50)))
        await gate.wait_for(AT_ONCE)
        gate.open.set()
        return await gathered

    found = asyncio.run(all_at_once())
    assert [item.trace.response for item in found] == [f"Answer {n}." for n in range(50)]
    assert gate.most == AT_ONCE == 32


@pytest.mark.parametrize("concurrency", [1, 3, 40])
def test_as_many_as_are_asked_for(concurrency):
    """`aevaluate_many` has its own number, which may be larger; the order is that of the traces."""
    gate = Gate()

    async def all_of_them():
        task = asyncio.create_task(aevaluate_many(traces(45), concurrency=concurrency, judge=gate))
        await gate.wait_for(concurrency)
        gate.open.set()
        return await task

    found = asyncio.run(all_of_them())
    assert [item.trace.response for item in found] == [f"Answer {n}." for n in range(45)]
    assert gate.most == concurrency


@on_both_loops
def test_many_on_either_loop(run, judge):
    """Options are those of `aevaluate`, and each evaluation is as one by itself."""

    async def all_of_them():
        return await aevaluate_many(traces(5), judge=judge, formula="ragbench")

    assert run(all_of_them) == [
        evaluate(trace, judge=judge, formula="ragbench") for trace in traces(5)
    ]


def test_many_join_the_test_in_order(running_test):
    """The rows of a test stand in the order of the traces, and its settings are asked for once."""
    found = asyncio.run(aevaluate_many(traces(9), concurrency=3))
    assert running_test.kept == found
    assert running_test.asked == 9


def test_first_error_ends_many():
    """What was under way is cancelled, and what was not begun never begins."""

    class Failing(Gate):
        async def ajudge(self, sentences):
            if sentences.trace.response == "Answer 0.":
                while self.waiting < 1:  # noqa: ASYNC110 - a number is waited for
                    await asyncio.sleep(0.001)
                raise JudgeError("no")
            return await super().ajudge(sentences)

    failing = Failing()
    with pytest.raises(JudgeError, match="no"):
        asyncio.run(aevaluate_many(traces(9), concurrency=2, judge=failing))
    assert failing.cancelled.wait(SECONDS)
    assert failing.loops == []


@pytest.mark.parametrize("concurrency", [0, -1, True, 1.5, "2"])
def test_concurrency_is_a_whole_number(concurrency):
    """Anything else is a ValueError before any trace is judged."""
    with pytest.raises(ValueError, match=r"^concurrency is .*; expected a whole number from 1 on$"):
        asyncio.run(aevaluate_many([keyed()], concurrency=concurrency, judge=FakeJudge()))


def test_cancelling_reaches_the_judge():
    """A timeout ends the coroutine of the judge, and nothing joins the test."""
    gate = Gate()
    test = FakeTest(Settings(judge=require_judge(gate, "got"), sentencizer=make_sentencizer()))
    test.start()

    async def wait():
        async with asyncio.timeout(0.1):
            await aevaluate(keyed())

    with pytest.raises(TimeoutError):
        asyncio.run(wait())
    assert gate.cancelled.wait(SECONDS)
    assert test.kept == []
