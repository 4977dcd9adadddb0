"""Whether a context holds an answer that is known to be right."""

from __future__ import annotations

import pytest
from fakes import FakeJudge, WordJudge

from pytest_trace.errors import InvalidTrace, JudgeError
from pytest_trace.measures.sufficiency import context_sufficiency
from pytest_trace.trace import Document


def test_context_sufficiency_by_hand():
    """One document holds a whole reference; two halves in two documents are none."""
    documents = ["The tower was built in 1889.", "It stands in Paris."]
    assert context_sufficiency(documents, ["1889"]) == 1.0
    assert context_sufficiency(documents, ["1889 It"]) == 0.0
    assert context_sufficiency(documents, ["London", "Paris"]) == 1.0
    assert context_sufficiency([], ["1889"]) == 0.0
    assert context_sufficiency(documents, []) is None
    assert context_sufficiency(documents, ["The"]) is None


def test_shapes_and_spelling():
    """Documents are what a trace takes; answers may be compared by character."""
    documents = [{"page_content": "他在北京大学。"}, Document("Paris")]
    assert context_sufficiency(documents, ["paris"]) == 1.0
    assert context_sufficiency(documents, ["北京"]) == 0.0
    assert context_sufficiency(documents, ["北京"], normalisation="multilingual") == 1.0
    with pytest.raises(InvalidTrace, match="documents is a str"):
        context_sufficiency("Paris", ["Paris"])


def test_a_judge_reads_all_documents_together():
    """One of the references is supported by both; the question is part of the trace."""
    judge, documents = WordJudge(), ["thirty and", "days"]
    references = ["a month", "thirty days"]
    found = context_sufficiency(documents, references, judge=judge, question="How many?")
    assert found == 1.0
    assert judge.asked == [("How many?", *documents, each) for each in references]
    assert context_sufficiency(documents, ["a month"], judge=judge) == 0.0


def test_what_no_judge_is_asked_about():
    """No documents hold nothing, and without a reference nothing is to be held."""
    judge = WordJudge()
    assert context_sufficiency([], ["a"], judge=judge) == 0.0
    assert context_sufficiency(["a"], [" "], judge=judge) is None
    assert judge.asked == []


def test_a_judge_that_cannot_decide_is_no_answer():
    """Its error is the caller's."""
    with pytest.raises(JudgeError, match="cannot decide"):
        context_sufficiency(["x"], "It is unclear.", judge=FakeJudge())
