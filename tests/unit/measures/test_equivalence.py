"""Whether two answers say the same, by a judge that is asked for support both ways."""

from __future__ import annotations

import pytest
from fakes import FakeJudge, WordJudge

from pytest_trace.errors import JudgeError
from pytest_trace.measures.equivalence import Equivalence, equivalence


def verdict_on(reference, *supported):
    """What is found of a reference, by which of the two is supported."""
    return Equivalence(
        reference,
        is_answer_supported="answer" in supported,
        is_reference_supported="reference" in supported,
    )


@pytest.mark.parametrize(
    ("answer", "answer_supported", "reference_supported"),
    [
        ("days thirty", True, True),
        ("thirty", True, False),
        ("thirty days or more", False, True),
        ("a month", False, False),
    ],
)
def test_both_ways_by_hand(answer, answer_supported, reference_supported):
    """More than the reference is not supported by it; less does not support it."""
    found = equivalence(answer, "thirty days", judge=WordJudge())
    assert found == Equivalence("thirty days", answer_supported, reference_supported)
    assert found.is_equivalent == (answer_supported and reference_supported)


def test_the_judge_sees_the_question_and_one_text_as_the_only_document():
    """Two verdicts for a reference; the question helps to read both."""
    judge = WordJudge()
    equivalence("30", ["thirty"], judge=judge, question="How many?")
    assert judge.asked == [("How many?", "thirty", "30"), ("How many?", "30", "thirty")]


def test_the_first_equivalent_reference_or_the_nearest():
    """Once a reference is equivalent no further one is asked about."""
    judge = WordJudge()
    found = equivalence("a b", ["c", "a", "b a", "a b"], judge=judge)
    assert found == verdict_on("b a", "answer", "reference")
    assert len(judge.asked) == 6
    assert equivalence("a b", ["c", "a"], judge=judge) == verdict_on("a", "reference")


def test_what_nobody_is_asked_about():
    """No reference: undefined. A blank answer: no."""
    judge = WordJudge()
    assert equivalence("a", [], judge=judge) is None
    assert equivalence(" ", ["a"], judge=judge) == verdict_on("a")
    assert judge.asked == []


def test_a_judge_that_cannot_decide_is_no_answer():
    """Its error is the caller's."""
    with pytest.raises(JudgeError, match="cannot decide"):
        equivalence("It is unclear.", "It is clear.", judge=FakeJudge())


def test_lexical_grades_a_paraphrase():
    """The embedded judge tells another number apart."""
    same = equivalence("You have 30 days.", "You have 30 days.", judge="lexical")
    other = equivalence("You have 45 days.", "You have 30 days.", judge="lexical")
    assert (same.is_equivalent, other.is_equivalent) == (True, False)
