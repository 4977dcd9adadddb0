"""Judges that must be awaited, for whoever calls judges."""

from __future__ import annotations

import asyncio

import pytest
from building import keyed
from fakes import AwaitedFake, FakeJudge

from pytest_trace.concurrency.own_loop import own_loop
from pytest_trace.errors import JudgeError, JudgeReplyError, UnknownName
from pytest_trace.evaluation import aevaluate, evaluate
from pytest_trace.judges import Judge, judge_name, make_judge, require_judge
from pytest_trace.judges.asking import ask_judge
from pytest_trace.judges.base import is_free, judge_identity


class Awaited(AwaitedFake):
    """An awaited judge whose `ajudge` does what a test says."""

    def __init__(self, outcome):
        super().__init__()
        self._outcome = outcome

    async def ajudge(self, sentences):
        outcome = self._outcome
        if isinstance(outcome, BaseException):
            raise outcome
        return await outcome() if callable(outcome) else outcome


async def cancel_itself():
    asyncio.current_task().cancel()
    await asyncio.sleep(1)


def test_awaited_judge_can_be_called():
    """Whoever calls judges gets the verdict, with a loop running or without one."""
    fake = AwaitedFake()
    judge = require_judge(fake, "got")
    assert isinstance(judge, Judge)
    expected = FakeJudge().judge(keyed())

    async def within_a_loop():
        return judge.judge(keyed())

    assert judge.judge(keyed()) == asyncio.run(within_a_loop()) == expected
    assert set(fake.loops) == {own_loop()._loop}


def test_judge_is_asked_on_one_loop_all_along():
    """A client that it made for its first trace serves the last, whatever loop the test had."""
    fake = AwaitedFake()

    async def evaluated():
        return evaluate(keyed(), judge=fake)

    for _ in range(3):
        asyncio.run(evaluated())
        evaluate(keyed(), judge=fake)
    assert set(fake.loops) == {own_loop()._loop}


def test_spec_of_an_awaited_judge():
    """`package.module:factory` may make one."""
    assert evaluate(keyed(), judge="fakes:AwaitedFake").judge == "awaited"
    assert make_judge("fakes:AwaitedFake").judge(keyed()) == FakeJudge().judge(keyed())


def test_who_waits_calls_and_who_awaits_awaits():
    """A judge that offers both is called by `evaluate`, and awaited for `aevaluate`."""

    class Both(AwaitedFake):
        called = 0

        def judge(self, sentences):
            self.called += 1
            return FakeJudge().judge(sentences)

    both = Both()
    evaluate(keyed(), judge=both)
    assert (both.called, len(both.loops)) == (1, 0)
    asyncio.run(aevaluate(keyed(), judge=both))
    assert (both.called, len(both.loops)) == (1, 1)


def test_judge_is_wrapped_once():
    """A run knows its own judge again, however often it is asked for."""
    judge = require_judge(AwaitedFake(), "got")
    assert require_judge(judge, "got") is judge


def test_everything_else_is_the_judges_own():
    """Name, model, identity and price are those of the judge itself."""
    fake = AwaitedFake()
    fake.model, fake.identity, fake.is_free = "large", {"temperature": 0.5}, True
    judge = require_judge(fake, "got")
    assert judge_name(judge) == "awaited:large"
    assert judge_identity(judge) == {
        "kind": "awaited",
        "version": "1",
        "model": "large",
        "temperature": 0.5,
    }
    assert is_free(judge)
    assert not is_free(require_judge(AwaitedFake(), "got"))


def test_awaited_judge_without_a_version_is_refused():
    """The message says what it lacks."""

    class Nameless:
        kind = "nameless"

        async def ajudge(self, sentences):
            raise AssertionError

    with pytest.raises(UnknownName, match=r"^got a Nameless, which is no judge: it lacks version$"):
        require_judge(Nameless(), "got")


@pytest.mark.parametrize(
    ("outcome", "error", "message"),
    [
        (ZeroDivisionError("by zero"), JudgeError, "judge awaited failed: ZeroDivisionError: by z"),
        (JudgeError("no quota"), JudgeError, "no quota"),
        (None, JudgeReplyError, "judge awaited returned a NoneType; expected a Verdict"),
        (cancel_itself, JudgeError, "judge awaited failed: CancelledError: "),
        (TimeoutError(), JudgeError, "judge awaited failed: TimeoutError: "),
    ],
)
def test_fault_of_an_awaited_judge_is_a_judge_error(outcome, error, message):
    """A judge that fails or gives no verdict is never a score, and cancels nobody else."""
    with pytest.raises(JudgeError) as raised:
        evaluate(keyed(), judge=Awaited(outcome))
    assert type(raised.value) is error
    assert str(raised.value).startswith(message)


def test_skip_within_an_awaited_judge_comes_through():
    """What is no fault of a judge is none because it was raised on another loop."""
    with pytest.raises(pytest.skip.Exception, match="not today"):
        evaluate(keyed(), judge=Awaited(pytest.skip.Exception("not today")))


def test_judge_that_should_be_named_ajudge():
    """An async `judge` is a mistake with a name, not a coroutine that nobody awaited."""

    class Misnamed(AwaitedFake):
        ajudge = property()

        async def judge(self, sentences):
            raise AssertionError

    with pytest.raises(JudgeReplyError) as raised:
        ask_judge(Misnamed(), keyed())
    assert str(raised.value) == "the judge() of awaited must be awaited; name it ajudge()"
