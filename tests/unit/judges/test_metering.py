"""Calls of a judge count against a run's limits, unless they cost nothing or count themselves."""

from __future__ import annotations

import pytest
from building import keyed
from fakes import FakeJudge

from pytest_trace.errors import BudgetExceeded, JudgeError
from pytest_trace.judges.metering import call_counted
from pytest_trace.store.run_state import RunLimits, RunState


def ask(judge, sentences):
    """Call a judge."""
    return judge.judge(sentences)


@pytest.fixture
def state():
    """A run that may make two calls."""
    return RunState(None, RunLimits(max_calls=2, prefix="--"))


def test_calls_are_counted(state):
    """Those that fail, too; the limit names its option."""
    judge = FakeJudge()
    call_counted(judge, keyed(), ask, lambda: state)
    with pytest.raises(JudgeError, match="cannot decide"):
        call_counted(judge, keyed(("It is unclear.",)), ask, lambda: state)
    with pytest.raises(BudgetExceeded, match=r"^--max-calls: this run may make 2 calls"):
        call_counted(judge, keyed(), ask, lambda: state)
    assert judge.calls == 2


@pytest.mark.parametrize("name", ["is_free", "is_metered"])
def test_calls_that_are_not(name, state):
    """A judge that is free, or counts its own requests, needs no state."""
    judge = FakeJudge()
    setattr(judge, name, True)
    for _ in range(3):
        call_counted(judge, keyed(), ask, lambda: pytest.fail("nothing is counted"))
    assert state.totals().calls == 0
