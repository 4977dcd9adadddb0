"""Where the numbers of a response stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import keyed_traces, through_json

from pytest_trace.measures.numbers import NumericFidelity, numeric_fidelity
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace


def fidelity(documents, response, *, question="What?", history=()):
    trace = Trace(question, documents, response, history=history)
    return numeric_fidelity(KeyedTrace.from_trace(trace, make_sentencizer()))


def standings(found):
    return {item.text: item.standing for item in found.numbers}


def test_worked_example():
    """Two of three numbers stand in the documents, one only in the question: by hand 2/3."""
    found = fidelity(
        ["The fee is 1,234.5 euros.", "It is due within 7 days."],
        "For 12 people the fee is 1234.5 EUR. It is due within 1 week. A reminder costs 5 EUR [1].",
        question="What do 12 people pay?",
    )
    assert standings(found) == {
        "12": "question",
        "1234.5 EUR": "document",
        "1 week": "document",
        "5 EUR": "nowhere",
    }
    assert found.value == 2 / 3
    assert [item.text for item in found.invented] == ["5 EUR"]
    assert [item.document_key for item in found.numbers] == [None, "doc_0_s0", "doc_1_s0", None]


@pytest.mark.parametrize(
    ("context", "response", "standing"),
    [
        ("50 % of the staff agree.", "Half of the staff agree.", "document"),
        ("Half the staff agree.", "50 percent agree.", "document"),
        ("1/4 of it is gone.", "25 % of it is gone.", "document"),
        ("The share is 0.25.", "A quarter of it is gone.", "document"),
        ("Two thirds of it are gone.", "2/3 of it are gone.", "document"),
        ("Three quarters of it are gone.", "70 % of it are gone.", "nowhere"),
        ("It takes 0.5 hours.", "50 % take it.", "nowhere"),
        ("It takes 90 minutes.", "It takes 1.5 hours.", "document"),
        ("It costs $3 million.", "It costs 3,000,000 dollars.", "document"),
        ("It was on 3 May 2024.", "It was in May 2024.", "document"),
        ("It was in May 2024.", "It was on 3 May 2024.", "nowhere"),
        ("It was 2024. It was 3 May.", "It was on 3 May 2024.", "document"),
        ("It weighs 300 g.", "It weighs 300 kg.", "nowhere"),
    ],
)
def test_numbers_are_compared_as_values(context, response, standing):
    """With their units; a share may be a percentage, a fraction or words."""
    found = fidelity([context], response)
    assert [item.standing for item in found.numbers] == [standing]


def test_all_evidence_counts():
    """Titles and tools too: a judge would take them as evidence."""
    documents = [Document("It is red.", title="Model 2024"), Document("42", kind="tool")]
    assert fidelity(documents, "It is 42 since 2024.").value == 1.0


def test_earlier_turns_are_no_evidence():
    """They say what was asked."""
    found = fidelity(["It is red."], "The 42 are red.", history=["I have 42 of them."])
    assert (standings(found), found.value) == ({"42": "question"}, None)


def test_without_numbers_it_is_undefined():
    """None, and not 0 or 1; "two ways" counts what the response lists."""
    for response in ("It is red.", "There are two ways."):
        found = fidelity(["There are 5."], response)
        assert (found.value, found.numbers) == (None, ())


def test_values_survive_json():
    """With the value for whoever reads the JSON alone."""
    found = fidelity(["It is 5."], "It is 5 and 6.")
    data = through_json(found.to_json())
    assert NumericFidelity.from_json(data) == found
    assert data["value"] == 0.5


@given(keyed_traces())
def test_a_response_that_repeats_the_evidence_invents_nothing(sentences):
    """Every number stands in the documents then."""
    repeated = KeyedTrace(
        sentences.trace, (*sentences.documents, *sentences.response), sentences.response, "test-1"
    )
    assert not numeric_fidelity(repeated).invented
