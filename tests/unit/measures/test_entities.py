"""Which entities of the context reach the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import keyed_traces, through_json

from pytest_trace.measures.entities import EntityRecall, entity_recall
from pytest_trace.measures.extractors import Entity
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace


def recall(documents, response, **options):
    trace = Trace("What?", documents, response)
    return entity_recall(KeyedTrace.from_trace(trace, make_sentencizer()), **options)


def said(found):
    return {entity.text: entity.is_said for entity in found.entities}


def test_worked_example():
    """Five entities, of which the response says three: by hand 3/5."""
    found = recall(
        [
            "The prize went to Marie Curie on 7 November 1911.",
            "It was worth $4,500.50 in Oslo, or 30 %.",
        ],
        "On 7 November 1911, Curie, Marie Curie to be exact, got 4500.5 dollars.",
    )
    assert said(found) == {
        "Marie Curie": True,
        "Oslo": False,
        "7 November 1911": True,
        "$4,500.50": True,
        "30 %": False,
    }
    assert found.value == 3 / 5
    assert [(entity.text, entity.kind) for entity in found.left_out] == [
        ("Oslo", "name"),
        ("30 %", "amount"),
    ]


def test_an_entity_counts_once_however_it_is_spelled():
    """In its first spelling, with the sentence that has it: 7 days are 1 week, ACME is Acme."""
    found = recall(
        ["We ship with Acme in 7 days.", "They say Acme ships in 1 week. We hire ACME."],
        "It takes a week.",
    )
    assert [(entity.text, entity.key) for entity in found.entities] == [
        ("Acme", "doc_0_s0"),
        ("7 days", "doc_0_s0"),
    ]


@pytest.mark.parametrize(
    ("context", "response", "is_said"),
    [
        ("It is made by Acme Corp.", "acme corp makes it", True),
        ("It is made by Acme Corp.", "Acme makes it.", False),  # which of them is not told
        ("We asked Curie.", "It was Marie Curie's.", True),
        ("It has 1,234.5 parts.", "1234.5 parts", True),
        ("It has 12 parts.", "Twelve parts.", True),
        ("It weighs 2 kg.", "It weighs 2000 g.", True),
        ("It weighs 2 kg.", "It weighs 2 lbs.", False),
        ("We met in May 2024.", "On 3 May 2024.", True),
        ("We met on 3 May 2024.", "In May 2024.", False),
        ("It opens at 17:00.", "It opens at 5 pm.", True),
    ],
)
def test_names_are_compared_as_words_and_numbers_as_values(context, response, is_said):
    """A part of a name, a less precise date and another unit say something else."""
    assert list(said(recall([context], response)).values()) == [is_said]


def test_only_what_was_retrieved_is_context():
    """Titles, tool and system documents count in no measure of retrieval."""
    documents = [
        Document("It is red.", title="Acme"),
        Document("Berlin and 5 kg.", kind="tool"),
        Document("You are Bob.", kind="system"),
    ]
    assert recall(documents, "It is red.").value is None


def test_a_context_without_entities_leaves_recall_undefined():
    """None, and not 0 or 1: there was nothing to say."""
    for documents in ([], ["it is red and there are two ways to do it."]):
        found = recall(documents, "Acme sells 5.")
        assert (found.value, found.entities, found.left_out) == (None, (), ())


def test_entities_of_some_sentences():
    """Such as those that a judge calls relevant."""
    found = recall(["We ask Acme. We ask Oslo."], "Acme.", keys={"doc_0_s0"})
    assert (said(found), found.value) == ({"Acme": True}, 1.0)


class Colours:
    """Finds colours."""

    version = "colours/1"

    def extract(self, text):
        return [Entity(word, "COLOUR") for word in ("red", "blue") if word in text]


def test_extractor_of_ones_own():
    """What it finds is compared as words, and the report says who found it."""
    found = recall(["It is red. It is blue."], "A red one.", extractor=Colours())
    assert (said(found), found.extractor) == ({"red": True, "blue": False}, "colours/1")


def test_values_survive_json():
    """With the value for whoever reads the JSON alone."""
    found = recall(["We ask Acme in Oslo."], "Acme.")
    data = through_json(found.to_json())
    assert EntityRecall.from_json(data) == found
    assert (data["value"], data["extractor"]) == (0.5, "default/1")


@given(keyed_traces())
def test_a_response_that_repeats_the_context_says_all(sentences):
    """Recall is 1 where every retrieved sentence stands in the response."""
    text = "\n\n".join(["So:", *(sentence.text for sentence in sentences.counted)])
    trace = Trace("What?", sentences.trace.documents, text)
    repeated = KeyedTrace(trace, sentences.documents, sentences.response, "test-1")
    found = entity_recall(repeated)
    assert found.value in (None, 1.0)
