"""What a hallucination looks like: the first two tests fail, and are expected to.

Run them with `--runxfail` to read the failures.
"""

import pytest
from helpdesk import Assistant
from helpdesk.generator import InventiveGenerator, invent_figure, invent_name
from traces import trace_of

from pytest_trace import assert_adherent, assert_support_above


@pytest.fixture
def figure_inventor(assistant: Assistant) -> Assistant:
    """The same assistant, whose generator adds a sentence with a wrong figure."""
    return assistant.with_generator(InventiveGenerator(assistant.generator, invent_figure))


@pytest.fixture
def name_inventor(assistant: Assistant) -> Assistant:
    """The same assistant, whose generator quotes a person who does not exist."""
    return assistant.with_generator(InventiveGenerator(assistant.generator, invent_name))


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="members have 60 days, not 90")
def test_invented_figure(figure_inventor: Assistant) -> None:
    """Every word of the sentence is in the documents, only its figure is not."""
    answer = figure_inventor.ask("How long do I have to return a laptop?")
    assert_adherent(trace_of(answer))


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="nobody of that name is known")
def test_invented_name(name_inventor: Assistant) -> None:
    """The statement is true, but nobody in the documents has made it."""
    answer = name_inventor.ask("How long does a refund take?")
    assert_adherent(trace_of(answer))


def test_half_of_it_is_true(figure_inventor: Assistant) -> None:
    """Support is the share of sentences that are true; adherence asks for all of them."""
    answer = figure_inventor.ask("How long do I have to return a laptop?")
    evaluation = assert_support_above(trace_of(answer), 0.5)
    assert evaluation.scores.adherence == 0.0
