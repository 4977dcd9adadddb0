"""What the help centre does not know, the assistant must not answer."""

from collections.abc import Callable

import pytest

from pytest_trace import Trace, assert_answers, assert_refuses

Ask = Callable[[str], Trace]


@pytest.mark.parametrize(
    "question",
    [
        "Who is the chief executive of Wattlebird?",
        "Do you offer a warranty for washing machines?",
        "Verkauft Wattlebird Fahrräder?",
    ],
)
def test_unanswerable_question(ask: Ask, question: str) -> None:
    """Pages were retrieved, but none of them answers the question."""
    assert_refuses(ask(question))


def test_nothing_retrieved(ask: Ask) -> None:
    """Without documents only a refusal has support, and relevance is undefined."""
    trace = ask("Can I rent a drone for the weekend?")
    assert trace.documents == ()
    evaluation = assert_refuses(trace)
    assert evaluation.scores.relevance is None


def test_negative_answer_is_no_refusal(ask: Ask) -> None:
    """A no, as in "we do not deliver to Switzerland", is an answer."""
    assert_answers(ask("Do you deliver to Switzerland?"))
