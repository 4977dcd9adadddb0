"""Keyed traces: every sentence with its key and its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import keyed_traces, through_json, traces

from pytest_trace.errors import InvalidTrace, UnknownName
from pytest_trace.sentences import KeyedTrace, Sentence, Span, make_sentencizer
from pytest_trace.sentences.keyed import locate
from pytest_trace.trace import Document, Trace


class StopSentencizer:
    """Splits after every stop."""

    version = "stop-1"

    def split(self, text):
        return [f"{part.strip()}." for part in text.split(".") if part.strip()]


TRACE = Trace("q", ["One. Two.", Document("Three.", kind="tool")], "Four. Five.")


def test_keys_follow_position():
    """Document sentences count from zero in each document, response sentences in the response."""
    found = KeyedTrace.from_trace(TRACE, StopSentencizer())
    assert found.documents == (
        Sentence("doc_0_s0", "One.", 0, 0, 4, is_counted=True),
        Sentence("doc_0_s1", "Two.", 0, 5, 9, is_counted=True),
        Sentence("doc_1_s0", "Three.", 1, 0, 6),
    )
    assert found.response == (
        Sentence("resp_s0", "Four.", None, 0, 5),
        Sentence("resp_s1", "Five.", None, 6, 11),
    )
    assert found.sentencizer == "stop-1"


def test_only_retrieved_sentences_are_counted():
    """Those of tools are evidence, and no part of relevance."""
    found = KeyedTrace.from_trace(TRACE, StopSentencizer())
    assert [sentence.key for sentence in found.counted] == ["doc_0_s0", "doc_0_s1"]
    assert found.document_keys == {"doc_0_s0", "doc_0_s1", "doc_1_s0"}
    assert found.by_key["resp_s1"].text == "Five."


def test_titles_and_chosen_metadata_are_evidence():
    """They have keys of their own in front of the document's sentences, and are not counted."""
    document = Document(
        "One.", title="Refunds", metadata={"date": "2026-11-29", "pages": 3, "empty": " "}
    )
    found = KeyedTrace.from_trace(
        Trace("q", [document], "r."),
        StopSentencizer(),
        metadata_keys=["date", "pages", "empty", "absent"],
    )
    assert [(item.key, item.text, item.is_counted) for item in found.documents] == [
        ("doc_0_title", "Refunds", False),
        ("doc_0_meta_date", "2026-11-29", False),
        ("doc_0_meta_pages", "3", False),
        ("doc_0_s0", "One.", True),
    ]


def test_trace_may_bring_its_sentences():
    """They are looked up in its texts; blank ones have no key."""
    found = KeyedTrace.from_sentences(TRACE, [["One. Two.", " "], ["Three."]], ["Four.", " Five. "])
    assert [(item.key, item.text, item.start) for item in found.documents] == [
        ("doc_0_s0", "One. Two.", 0),
        ("doc_1_s0", "Three.", 0),
    ]
    assert found.response[1] == Sentence("resp_s1", "Five.", None, 6, 11)
    assert found.sentencizer == "pre-split"


@pytest.mark.parametrize(
    ("documents", "response", "message"),
    [
        ([["One."]], ["Four."], "1 lists of sentences came for 2 documents"),
        (
            [["Two.", "One."], []],
            ["Four."],
            (
                "the sentence 'One.' does not stand in its text after character 9; "
                "sentences must be given in order and word for word"
            ),
        ),
        ([[], []], ["Six."], "the sentence 'Six.' does not stand in its text after character 0;"),
        ([[], []], [" "], "the response has no sentence; without one there is nothing to judge"),
    ],
)
def test_sentences_that_do_not_fit_are_refused(documents, response, message):
    """They must stand in their texts in order, and the response needs at least one."""
    with pytest.raises(InvalidTrace) as raised:
        KeyedTrace.from_sentences(TRACE, documents, response)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("span", [Span("One", 1, 4), Span("One", 0, 4), Span("Two", 5, 9)])
def test_span_that_is_not_its_text_is_refused(span):
    """A sentencizer that counts wrongly is found out."""
    with pytest.raises(InvalidTrace, match="does not stand in its text"):
        locate("One. Two.", [span])


def test_same_sentence_twice_is_found_twice():
    """A sentence that is repeated stands at its own place each time."""
    assert [span.start for span in locate("No. No. No.", ["No.", "No.", "No."])] == [0, 4, 8]


def test_context_goes_with_the_sentence():
    """What a sentencizer says about a sentence's surroundings is kept."""

    class Items:
        version = "items-1"

        def split(self, text):
            return [Span("two", 4, 7, "one:")] if text == "one two" else [text]

    found = KeyedTrace.from_trace(Trace("q", ["one two"], "r"), Items())
    assert found.documents == (Sentence("doc_0_s0", "two", 0, 4, 7, "one:", is_counted=True),)


def test_system_documents_are_not_counted():
    """What the system said is evidence, and no part of relevance."""
    trace = Trace("q", ["One.", Document("Two.", kind="system")], "r.")
    found = KeyedTrace.from_trace(trace, StopSentencizer())
    assert found.document_keys == {"doc_0_s0", "doc_1_s0"}
    assert [sentence.key for sentence in found.counted] == ["doc_0_s0"]


def test_blank_document_has_no_sentence():
    """The documents beside it keep their numbers."""
    found = KeyedTrace.from_trace(Trace("q", ["One.", " ", "Two."], "r."), StopSentencizer())
    assert [sentence.key for sentence in found.documents] == ["doc_0_s0", "doc_2_s0"]


def test_response_that_the_sentencizer_drops_is_refused():
    """It would score 1.0 for want of sentences."""
    with pytest.raises(InvalidTrace, match="the response has no sentence"):
        KeyedTrace.from_trace(Trace("q", [], "..."), StopSentencizer())


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["ab", "c"], [Span("ab", 0, 2), Span("c", 3, 4)]),
        ([" c\n"], [Span("c", 3, 4)]),
        (["", "  ", "ab"], [Span("ab", 0, 2)]),
        ([Span("ab", 0, 2), "c"], [Span("ab", 0, 2), Span("c", 3, 4)]),
        ([Span(" ", 2, 3), Span("c", 3, 4)], [Span("c", 3, 4)]),
        ([], []),
    ],
)
def test_sentences_are_located(sentences, expected):
    """Strings are found by their text and spans taken as they are; blank ones are left out."""
    assert locate("ab c", sentences) == expected


@pytest.mark.parametrize(
    "sentences",
    [
        ["x"],
        ["c", "ab"],
        ["ab", "ab"],
        ["abc"],
        [Span("ab", 0, 2), Span("b c", 1, 4)],
        [Span("c", -1, 4)],
        [Span("c", 3, 9), Span("d", 9, 10)],
    ],
)
def test_sentences_out_of_place_are_refused(sentences):
    """Sentences that are altered, out of order, overlapping or out of bounds are named."""
    with pytest.raises(InvalidTrace, match="does not stand in its text"):
        locate("ab c", sentences)


def test_default_sentencizer_is_known():
    """`make_sentencizer` gives the default, and names what is known otherwise."""
    assert make_sentencizer().version.startswith("sentencex/")
    with pytest.raises(UnknownName, match="unknown sentencizer 'nltk'; known: default"):
        make_sentencizer("nltk")


@given(keyed_traces())
def test_json_round_trip(sentences):
    """`from_json` gives back what `to_json` wrote, through ASCII text too."""
    assert KeyedTrace.from_json(through_json(sentences.to_json())) == sentences


@given(traces)
def test_any_trace_is_keyed(trace):
    """Each sentence of any trace stands where it says, under a key of its own."""
    found = KeyedTrace.from_trace(trace, make_sentencizer())
    assert len(found.by_key) == len(found.documents) + len(found.response)
    texts = [trace.response, *(document.text for document in trace.documents)]
    for item in found.by_key.values():
        source = texts[0 if item.document is None else item.document + 1]
        assert item.key.endswith("_title") or source[item.start : item.end] == item.text


@given(st.lists(st.text().map("a{}".format), min_size=1, max_size=3), st.text())
def test_sentences_are_found_again(parts, between):
    """The sentences of a text are found in it, whatever stands between them."""
    found = KeyedTrace.from_sentences(Trace("q", [], between.join(parts)), [], parts)
    assert [item.text for item in found.response] == [part.strip() for part in parts]
