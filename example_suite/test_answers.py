"""Answers must be supported by the pages that were retrieved for them."""

from collections.abc import Callable

from helpdesk import Assistant

from pytest_trace import (
    Trace,
    assert_adherent,
    assert_answers,
    assert_support_above,
    assert_trace,
    evaluate,
)

Ask = Callable[[str], Trace]


def test_return_window(assistant: Assistant) -> None:
    """A trace holds what was asked, what was retrieved and what was answered."""
    answer = assistant.ask("How long do I have to return a laptop?")
    trace = Trace(question=answer.question, documents=answer.chunks, response=answer.text)
    assert_adherent(trace)
    assert "30 days" in answer.text


def test_figures_from_a_table(ask: Ask) -> None:
    """A row of a table supports a sentence as well as prose does."""
    trace = ask("How much does it cost to replace a phone screen?")
    assert_adherent(trace)
    assert "€89" in trace.response


def test_several_bounds_at_once(ask: Ask) -> None:
    """All bounds that are missed are reported together, not only the first."""
    trace = ask("What does a BIOS update need, and how long does it take?")
    assert_trace(trace, adherent=True, support=1.0, relevance=0.15, completeness=0.2)


def test_scores_in_plain_asserts(ask: Ask) -> None:
    """Scores are numbers, for everything that has no assertion of its own."""
    evaluation = evaluate(ask("How long is a gift card valid?"))
    assert evaluation.scores.relevance >= 0.05
    assert evaluation.scores.adherence == 1.0
    assert not evaluation.refused


def test_german_question(ask: Ask) -> None:
    """A question in German is answered from the German page."""
    trace = ask("Was kostet die Abholung eines Fernsehers?")
    assert trace.documents[0].id == "rueckgabe#rücksendung"
    assert_adherent(trace)
    assert "19 Euro" in trace.response


def test_answer_of_several_sentences(ask: Ask) -> None:
    """The share of supported sentences can be bounded where one slip is tolerable."""
    trace = ask("Can I change my order after 30 minutes?")
    assert_answers(trace)
    assert_support_above(trace, 0.5)
