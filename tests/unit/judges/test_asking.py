"""How a measure asks a judge: as the running test does, and without a row of the report."""

from __future__ import annotations

import pytest
from fakes import FakeJudge, FakeTest

from pytest_trace import running
from pytest_trace.errors import JudgeError, UnknownName
from pytest_trace.evaluation import Settings
from pytest_trace.judges.asking import ask_support, chosen_judge
from pytest_trace.sentences import make_sentencizer
from pytest_trace.trace import Document, Trace

TRACE = Trace("What fell?", [Document("It fell.", metadata={"place": "Ohio"})], "A meteorite. It.")


def settings(judge, **others):
    return Settings(judge=judge, sentencizer=make_sentencizer(), **others)


def test_outside_pytest_the_judge_is_asked_itself(monkeypatch):
    """Each sentence of the response has its support; without a name it is `lexical`."""
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    assert [each.is_supported for each in ask_support(TRACE, FakeJudge())] == [False, True]
    assert chosen_judge(None).kind == "lexical"
    assert chosen_judge("fakes:make_other").kind == "other"


def test_in_a_test_it_is_asked_as_the_test_asks():
    """Through what stands in front of the judge, under its marks, and no evaluation is kept."""
    judge = FakeJudge()
    test = FakeTest(settings(judge, marks="strict", metadata_keys=("place",)))
    test.start()
    supports = ask_support(TRACE, None)
    assert [each.is_supported for each in supports] == [False, True]
    assert chosen_judge("lexical") is judge
    assert (test.asked, test.asked_for, test.kept) == (1, [None, "lexical"], [])


def test_a_test_that_is_not_found_is_no_reason_for_another_judge():
    """pytest runs, no test is found, and no judge is named: an error."""
    assert running.current_test() is None
    with pytest.raises(JudgeError, match="no running test was found"):
        ask_support(TRACE, None)
    with pytest.raises(UnknownName, match="unknown judge 'nobody'"):
        ask_support(TRACE, "nobody")
