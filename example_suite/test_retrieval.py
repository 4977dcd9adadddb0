"""What is retrieved must matter to the question."""

from collections.abc import Callable

import pytest
from helpdesk import Assistant

from pytest_trace import (
    Trace,
    assert_completeness_above,
    assert_relevance_above,
    assert_utilization_above,
)

Ask = Callable[[str], Trace]


@pytest.mark.parametrize(
    "question",
    [
        "How do I report a damaged parcel?",
        "How long is a trade-in quote valid?",
        "What does the warranty not cover?",
    ],
)
def test_relevance_gate(ask: Ask, question: str) -> None:
    """A retriever that brings ever more pages fails here before it costs money."""
    assert_relevance_above(ask(question), 0.08)


def test_relevant_sentences_reach_the_answer(ask: Ask) -> None:
    """The answer leaves out little of what matters in the retrieved chunks."""
    assert_completeness_above(ask("Is the fee for express delivery refunded?"), 0.2)


def test_retrieved_sentences_are_used(ask: Ask) -> None:
    """At least one sentence in twenty that was retrieved ends up in the answer."""
    assert_utilization_above(ask("Can I delete my account?"), 0.05)


def test_best_chunk(assistant: Assistant) -> None:
    """Retrieval has unit tests, too; they need no judge."""
    best, second, *_ = assistant.retriever.search("Does the Rotterdam shop accept cash?")
    assert best.chunk.id == "shops#paying-in-the-shop"
    assert best.score > second.score
