"""Right answers crossed with sufficient contexts: whose fault is it?"""

from __future__ import annotations

import json

import pytest
from fakes import WordJudge

from pytest_trace.datasets.cases import Case
from pytest_trace.errors import InvalidTrace, JudgeError, UnknownName
from pytest_trace.measures.accuracy import rag_accuracy
from pytest_trace.measures.outcomes import RagAccuracy
from pytest_trace.trace import Document, Trace

CASES = [
    {"id": "fine", "question": "When?", "reference": "in 1889"},
    {"id": "lucky", "question": "Where?", "references": ["Paris", "the capital of France"]},
    {"id": "generator", "question": "How high?", "reference": "330 metres"},
    {"id": "retriever", "question": "Who?", "reference": "Gustave Eiffel"},
    {"id": "unknown", "question": "Why?"},
]
GENERATED = {
    "fine": ("It was built in 1889.", ["The tower was built in 1889."]),
    "lucky": ("In Paris, of course.", []),
    "generator": ("It is 300 metres high.", ["It is 330 metres high.", "It is old."]),
    "retriever": ("", ["It is old."]),
    "unknown": ("For a fair.", ["It is old."]),
}


def generate(case):
    return GENERATED[case["id"]]


def test_four_combinations_by_hand():
    """Two of four answers are right, two of four contexts hold the answer, one is undefined."""
    found = rag_accuracy(CASES, generate)
    assert (found.accuracy, found.context_sufficiency, found.undefined) == (0.5, 0.5, 1)
    assert found.outcomes == {
        "fine": 1,
        "lucky": 1,
        "generator fault": 1,
        "retriever fault": 1,
    }
    assert [each.outcome for each in found.per_question_results] == [*found.outcomes, None]
    assert found.summary() == SUMMARY
    last = found.per_question_results[-1]
    assert (last.is_correct, last.is_context_sufficient, last.references) == (None, None, ())


SUMMARY = """\
4 of 5 questions have a reference (contained): accuracy 0.50, context sufficiency 0.50
  1 fine: the context holds the answer, and the answer is right
  1 lucky: the answer is right, but the context does not hold it: the model knew or guessed it
  1 generator fault: the context holds the answer, and the answer is wrong all the same
  1 retriever fault: the context does not hold the answer, and the answer is wrong"""


def test_it_survives_json():
    """Shares and combinations are counted anew from the questions."""
    found = rag_accuracy(CASES, generate, judge=WordJudge())
    data = json.loads(json.dumps(found.to_json()))
    assert RagAccuracy.from_json(data) == found
    assert data["accuracy"] == found.accuracy
    assert data["per_question_results"][0]["outcome"] == found.per_question_results[0].outcome


def test_a_judge_grades_both():
    """Equivalence decides of the answer, support of the reference of the context."""
    judge = WordJudge()
    cases = [{"question": "How many?", "reference": "thirty days"}]
    found = rag_accuracy(cases, lambda case: ("days thirty", ["days", "about thirty"]), judge=judge)
    assert (found.criterion, found.judge) == ("equivalence", "word")
    assert found.outcomes["fine"] == 1
    assert found.per_question_results[0].equivalence.is_equivalent
    assert found.summary().startswith("1 of 1 questions have a reference (equivalence, judge word)")
    assert judge.asked[-1] == ("How many?", "days", "about thirty", "thirty days")


@pytest.mark.parametrize(
    ("criterion", "minimum", "expected"),
    [
        ("exact_match", None, 0.0),
        ("contained", None, 1.0),
        ("token_f1", 0.8, 1.0),  # within 30 days / 30 days: P 2/3, R 1
        ("token_f1", 0.81, 0.0),
        ("rouge_l", 0.8, 1.0),
    ],
)
def test_criteria_by_hand(criterion, minimum, expected):
    """Any measure of tokens may say what is right; the minimum is inclusive."""
    cases = [Trace("?", [], "-", reference="30 days")]
    found = rag_accuracy(
        cases, lambda case: ("within 30 days", []), criterion=criterion, minimum=minimum
    )
    assert found.accuracy == expected


@pytest.mark.parametrize(
    "given",
    [
        ("42", [Document("It is 42.")]),
        ["42", ["It is 42."]],
        {"response": "42", "documents": ["It is 42."]},
        {"answer": "42", "documents": [{"page_content": "It is 42."}], "latency": 3},
        Trace("?", ["It is 42."], "42"),
    ],
)
@pytest.mark.parametrize(
    "case",
    [
        {"question": "What?", "reference": "42"},
        Case(
            id="0",
            line=1,
            path="cases.csv",
            where="cases.csv:1",
            row={"user_input": "What?", "reference": "42"},
            question="What?",
            references=("42",),
        ),
        Trace("What?", [], "-", reference="42"),
    ],
)
def test_shapes_of_cases_and_of_what_is_generated(case, given):
    """Cases, mappings and traces; a pair, a mapping or a trace comes back."""
    seen = []
    found = rag_accuracy([case], lambda got: (seen.append(got), given)[1])
    (result,) = found.per_question_results
    assert seen == [case]
    assert (result.id, result.question, result.answer) == ("0", "What?", "42")
    assert (result.documents, result.outcome) == (("It is 42.",), "fine")


def test_without_any_reference_nothing_is_defined():
    """No question counts, and no share is 0."""
    found = rag_accuracy([{"question": "Why?"}], lambda case: ("So.", []))
    assert (found.accuracy, found.context_sufficiency, found.undefined) == (None, None, 1)
    assert "accuracy undefined" in found.summary()
    assert rag_accuracy([], generate).accuracy is None


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("42", TypeError, r"generate gave a str; expected a Trace, a pair"),
        (("42",), TypeError, r"generate gave a tuple; expected a Trace, a pair"),
        ((None, []), TypeError, r"generate gave the answer None \(NoneType\); expected"),
        ({"response": "42"}, TypeError, r"a mapping with \['response'\]; expected"),
        (("42", "It is 42."), InvalidTrace, r"documents is a str"),
        (("42", [" "]), InvalidTrace, r"documents hold no text"),
    ],
)
def test_what_is_no_answer_is_told_with_its_case(given, error, message):
    """What came, what was expected, and for which case."""
    with pytest.raises(error, match=message) as caught:
        rag_accuracy([{"id": "q7", "reference": "42"}], lambda case: given)
    assert caught.value.__notes__ == ["in generate for the case 'q7'"]


def test_errors_of_the_application_and_of_the_judge_are_not_swallowed():
    """They are raised as they are, with the case in a note."""

    def broken(case):
        raise ConnectionError("the index is down")

    with pytest.raises(ConnectionError, match="the index is down") as caught:
        rag_accuracy(CASES, broken)
    assert caught.value.__notes__ == ["in generate for the case 'fine'"]
    with pytest.raises(JudgeError, match="cannot decide") as failed:
        rag_accuracy(
            [{"id": "q", "reference": "It is unclear."}],
            lambda case: ("It is unclear.", ["x"]),
            judge="fakes:FakeJudge",
        )
    assert failed.value.__notes__ == ["on the case 'q'"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"criterion": "equivalence"}, ValueError, "needs a judge"),
        ({"criterion": "bleu"}, UnknownName, "unknown criterion 'bleu'; known: exact_match"),
        ({"criterion": "token_f1"}, ValueError, "the minimum of token_f1 is None"),
        ({"criterion": "token_f1", "minimum": 1.5}, ValueError, "the minimum of token_f1 is 1.5"),
        ({"criterion": "rouge_l", "minimum": float("nan")}, ValueError, "rouge_l is nan"),
        ({"criterion": "rouge_l", "minimum": True}, ValueError, "rouge_l is True"),
        ({"minimum": 0.5}, ValueError, "'contained' holds or not; it takes no minimum"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_generated(options, error, message):
    """Criterion, minimum and judge are checked first."""
    with pytest.raises(error, match=message):
        rag_accuracy(CASES, lambda case: pytest.fail("asked"), **options)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (5, "case 0 is a int; expected a Case"),
        ({"question": 5}, "the question of case 0 is 5; expected a str"),
    ],
)
def test_what_is_no_case_is_refused(case, message):
    """The position tells which."""
    with pytest.raises(TypeError, match=message):
        rag_accuracy([case], generate)
