"""`assert_recall_at`: what passes, what fails, and how the failure reads."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from pytest_trace.assertions.retrieval import assert_recall_at
from pytest_trace.errors import InvalidTrace
from pytest_trace.quoting import width
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace

TRACE = Trace(
    "How long do I have to return a laptop?",
    [
        Document("The battery lasts 12 hours.", id="air-1"),
        Document("Laptops can be returned within 30 days.", id="returns-1"),
        Document("The box must be complete.", id="returns-1"),
        Document("Refunds take 14 days.", id="refunds-2"),
    ],
    "You have 30 days.",
    metadata={"relevant_ids": ["returns-1", "refunds-2", "refunds-9"]},
)
TAIL = """
question  "How long do I have to return a laptop?"
response  "You have 30 days.\""""


def failure_of(*values, **options):
    with pytest.raises(AssertionError) as raised:
        assert_recall_at(*values, **options)
    return str(raised.value)


def test_enough_relevant_documents_pass():
    """The minimum is inclusive with a tolerance, k counts documents, and the scores come back."""
    scores = assert_recall_at(TRACE, 3, 2 / 3 + 1e-10)
    assert (scores.recall, scores.k) == (2 / 3, 3)
    assert assert_recall_at(TRACE, 2, 1, relevant_ids=["returns-1"]).recall == 1.0


def test_a_keyed_trace_is_read_like_its_trace():
    """Sentences make no difference to what was retrieved."""
    keyed = KeyedTrace.from_trace(TRACE, make_sentencizer())
    assert assert_recall_at(keyed, 3, 0.5) == assert_recall_at(TRACE, 3, 0.5)


def test_too_few_name_what_is_missing_and_where_the_others_are():
    """Ids that were not found, ranks of those that were, and the ranking."""
    assert failure_of(TRACE, 2, 0.5) == (
        """recall@2 0.33 is below 0.5: 1 of 3 relevant documents is among the first 2

not found "refunds-9"
found     "returns-1" at rank 2, "refunds-2" at rank 3
retrieved "air-1", "returns-1", "refunds-2"
"""
        + TAIL
    )


def test_a_single_relevant_document_is_called_so():
    """Behind the first k it is found and yet no hit."""
    assert failure_of(TRACE, 1, 1, relevant_ids={"refunds-2": 3, "air-1": 0}).startswith(
        "recall@1 0.00 is below 1: the relevant document is not among the first 1\n\n"
        'found     "refunds-2" at rank 3\n'
    )


def test_finding_nothing_is_a_recall_of_0():
    """No document is a result of retrieval; that is defined."""
    trace = Trace("When?", [], "Today.", metadata={"relevant_ids": ["a", "b"]})
    assert failure_of(trace, 5, 0.1).startswith(
        "recall@5 0.00 is below 0.1: 0 of 2 relevant documents are among the first 5\n\n"
        'not found "a", "b"\nretrieved nothing\n'
    )
    assert assert_recall_at(trace, 5, 0).recall == 0.0


def test_undefined_recall_never_passes():
    """Without a relevant document not even a minimum of 0 is met."""
    assert failure_of(TRACE, 5, 0, relevant_ids=[]) == (
        "recall@5 is undefined: no document is relevant\n\n"
        'retrieved "air-1", "returns-1", "refunds-2"\n' + TAIL
    )


def test_missing_ids_are_no_failure():
    """A document without an id, or no relevant ids, is a fault of the test and not of retrieval."""
    with pytest.raises(InvalidTrace, match=r"^documents\[0\] has no id"):
        assert_recall_at(Trace("When?", ["Today."], "Today."), 1, 0, relevant_ids=["a"])
    with pytest.raises(ValueError, match=r"^nothing says which documents are relevant"):
        assert_recall_at(Trace("When?", [Document("A.", id="a")], "Today."), 1, 0)


@pytest.mark.parametrize("minimum", [math.nan, -0.1, 1.1, True, "0.5", None])
def test_minimum_is_a_number_from_0_to_1(minimum):
    """As in all assertions."""
    with pytest.raises(ValueError, match=r"^the minimum of recall is .*; expected a number"):
        assert_recall_at(TRACE, 2, minimum)


def test_many_ids_are_counted():
    """Ten are shown, and how many more there are."""
    relevant = [f"r{number:02}" for number in range(12)]
    text = failure_of(TRACE, 1, 1, relevant_ids=relevant)
    assert '"r09", and 2 more' in " ".join(text.split())


@given(st.lists(texts, min_size=1, max_size=12), st.lists(texts, max_size=12))
def test_no_failure_is_wider_than_there_is_room_for(found, relevant):
    """Whatever the ids hold."""
    documents = [Document("A.", id=name) for name in found]
    trace = Trace("When?", documents, "Today.", metadata={"relevant_ids": [*relevant, "missing"]})
    text = failure_of(trace, 3, 1)
    assert max(map(width, text.split("\n"))) <= 92
