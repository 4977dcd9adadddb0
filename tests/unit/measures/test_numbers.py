"""Where the numbers of a response stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import keyed_traces, through_json

from pytest_trace.measures.numbers import NumericFidelity, _read, _with_percents, numeric_fidelity
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


SPELLED = (
    *("7 days", "1 week", "168 hours", "90 minutes", "1.5 hours", "5:00", "17:00", "5 pm"),
    *("2024", "3 May 2024", "in May 2024", "on 3 May", "03/05/2024", "0.5", "50 %", "half of it"),
    *("1,234", "1.234", "1.234 kg", "1234 g", "$5", "5", "5 euros", "20 km/h", "the 3rd"),
)


@given(st.sampled_from(SPELLED), st.lists(st.sampled_from(SPELLED), max_size=5))
def test_numbers_are_found_wherever_they_stand(number, documents):
    """Looked up by what they may be in any unit, as if each were compared with all."""
    (found,) = fidelity(documents, f"It was {number}.").numbers[:1]
    evidence = _with_percents(item for text in documents for item in _read(text))
    said = _with_percents(_read(f"It was {number}."))[:1]
    expected = any(item.is_among(evidence) for item in _with_percents(said))
    assert found.standing == ("document" if expected else "nowhere")
    if found.document_key is not None:
        assert any(
            item.is_among(_with_percents(_read(text)))
            for item in _with_percents(said)
            for text in [documents[int(found.document_key.split("_")[1])]]
        )


@given(keyed_traces())
def test_a_response_that_repeats_the_evidence_invents_nothing(sentences):
    """Every number stands in the documents then."""
    repeated = KeyedTrace(
        sentences.trace, (*sentences.documents, *sentences.response), sentences.response, "test-1"
    )
    assert not numeric_fidelity(repeated).invented
