"""Traces: the shapes they take, what they refuse, their JSON."""

from __future__ import annotations

import datetime as dt
import pathlib
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import pytest
from hypothesis import given
from strategies import documents, through_json, traces

from pytest_trace.errors import InvalidTrace
from pytest_trace.trace import Document, Trace, Turn


@dataclass
class LangChainDocument:
    """The shape of a LangChain document."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class TextNode:
    """The shape of a LlamaIndex node."""

    text: str
    metadata: dict[str, Any]
    node_id: str


@dataclass
class NodeWithScore:
    """The shape of what a LlamaIndex retriever returns."""

    node: TextNode
    score: float


@dataclass
class HaystackDocument:
    """The shape of a Haystack document; `content` is None for images."""

    id: str
    content: str | None
    meta: dict[str, Any] = field(default_factory=dict)


SOURCE = {"source": "refunds.md"}


@pytest.mark.parametrize(
    ("given_document", "expected"),
    [
        ("30 days.", Document("30 days.")),
        (Document("30 days.", kind="tool"), Document("30 days.", kind="tool")),
        ({"text": "30 days."}, Document("30 days.")),
        ({"content": "30 days.", "meta": SOURCE}, Document("30 days.", metadata=SOURCE)),
        (
            {"page_content": "30 days.", "title": "Refunds", "id": 7, "kind": "system"},
            Document("30 days.", title="Refunds", id="7", kind="system"),
        ),
        (LangChainDocument("30 days.", SOURCE), Document("30 days.", metadata=SOURCE)),
        (
            NodeWithScore(TextNode("30 days.", SOURCE, "n1"), 0.7),
            Document("30 days.", id="n1", metadata=SOURCE),
        ),
        (TextNode("30 days.", {}, "n1"), Document("30 days.", id="n1")),
        (
            HaystackDocument("h1", "30 days.", SOURCE),
            Document("30 days.", id="h1", metadata=SOURCE),
        ),
    ],
)
def test_documents_are_read_by_their_shape(given_document, expected):
    """A str, a Document, a dict and the documents of three frameworks read the same."""
    assert Trace("q", [given_document], "r").documents == (expected,)


def test_documents_may_be_any_iterable():
    """A generator of documents is read once and kept."""
    trace = Trace("q", (text for text in ("one", "two")), "r")
    assert [document.text for document in trace.documents] == ["one", "two"]


def test_no_document_is_legal():
    """Retrieval may find nothing."""
    assert Trace("q", [], "r").documents == ()


@pytest.mark.parametrize("question", ["", None])
def test_question_may_be_empty(question):
    """A summary has no question."""
    assert Trace(question, ["d"], "r").question == ""


def test_one_blank_document_beside_another_is_kept():
    """Positions of documents are those of the retriever, blank ones included."""
    assert [document.text for document in Trace("q", ["", "text"], "r").documents] == ["", "text"]


NO_TEXT = (
    "documents hold no text ({0} of {0} are blank); pass documents=[] if retrieval found nothing"
)
SHAPES = (
    "expected a str, a Document, a dict with 'text', 'content' or 'page_content', "
    "or a LangChain, LlamaIndex or Haystack document"
)


@pytest.mark.parametrize(
    ("given_documents", "message"),
    [
        ([""], NO_TEXT.format(1)),
        (["  ", "\n"], NO_TEXT.format(2)),
        ([Document("", title="Refunds")], NO_TEXT.format(1)),
        ([None], f"documents[0]: None (NoneType); {SHAPES}"),
        (["text", 3], f"documents[1]: 3 (int); {SHAPES}"),
        (
            [HaystackDocument("h1", None)],
            "documents[0]: HaystackDocument(id='h1', content=Non... (",
        ),
        ([{"body": "text"}], f"documents[0]: a dict with the keys ['body']; {SHAPES}"),
        ([{"text": None}], "documents[0]: Document.text is None (NoneType); expected a str"),
        (
            [{"text": "t", "kind": "web"}],
            "documents[0]: Document.kind is 'web'; expected one of retrieved, tool, system",
        ),
        (
            [{"text": "t", "meta": "x"}],
            "documents[0]: Document.metadata is 'x' (str); expected a dict",
        ),
        (
            None,
            "documents is None (NoneType); expected a list of documents ([] if none was found)",
        ),
        (
            "30 days.",
            (
                "documents is a str; expected a list of documents: "
                "write documents=[text], or every letter would become a document"
            ),
        ),
        ({"text": "t"}, "documents is {'text': 't'} (dict); expected a list of documents"),
    ],
)
def test_wrong_documents_are_refused(given_documents, message):
    """Documents without text or of an unknown shape raise InvalidTrace that says which and why."""
    with pytest.raises(InvalidTrace) as raised:
        Trace("q", given_documents, "r")
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("response", ["", " \n\t", "\u00a0"])
def test_blank_response_is_refused(response):
    """A response without text is no trace: it must never score."""
    with pytest.raises(InvalidTrace, match=r"^response is blank \(.*\); there is nothing to judge"):
        Trace("q", ["d"], response)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"response": None}, "response is None (NoneType); expected a str"),
        ({"question": 3}, "question is 3 (int); expected a str"),
        ({"reference": ["r"]}, "reference is ['r'] (list); expected a str"),
        ({"history": "Hello"}, "history is 'Hello' (str); expected a list of earlier turns"),
        ({"history": [3]}, "history[0] is 3 (int); expected a str, a (role, text) pair"),
        ({"metadata": [1]}, "metadata is [1] (list); expected a dict"),
    ],
)
def test_other_fields_of_a_wrong_type_are_refused(fields, message):
    """InvalidTrace names the field, what came and what was expected."""
    with pytest.raises(InvalidTrace) as raised:
        Trace(**{"question": "q", "documents": ["d"], "response": "r"} | fields)
    assert str(raised.value).startswith(message)


def test_history_takes_texts_pairs_and_messages():
    """Earlier turns read the same from a str, a pair and a chat message."""
    history = ["Hi", ("assistant", "Hello!"), {"role": "user", "content": "And laptops?"}]
    assert Trace("q", [], "r", history=history).history == (
        Turn("Hi"),
        Turn("Hello!", "assistant"),
        Turn("And laptops?"),
    )


def test_metadata_is_kept_as_json_values():
    """Dates, paths, sets and numbers that JSON has not become text or lists."""
    metadata = {
        "day": dt.date(2026, 11, 29),
        "path": pathlib.PurePosixPath("a/b"),
        "tags": {"b", "a"},
        "rank": float("nan"),
        3: (1, True, None),
    }
    assert Document("d", metadata=metadata).metadata == {
        "day": "2026-11-29",
        "path": "a/b",
        "tags": ["a", "b"],
        "rank": "nan",
        "3": [1, True, None],
    }


def test_surrogate_pair_is_the_character_it_stands_for():
    """Two surrogates that make a character are that character; a lone one stays."""
    trace = Trace("\ud83d\ude00", ["\ud83d"], "r")
    assert (trace.question, trace.documents[0].text) == ("\U0001f600", "\ud83d")


def test_trace_is_frozen_and_hashable():
    """A trace can be neither changed nor confused with another."""
    trace = Trace("q", ["d"], "r", metadata={"a": 1})
    with pytest.raises(FrozenInstanceError):
        trace.response = "other"
    assert len({trace, Trace("q", ["d"], "r", metadata={"a": 1}), Trace("q", ["d"], "s")}) == 2


@given(traces)
def test_json_round_trip_is_the_identity(trace):
    """Whatever the texts hold, a trace comes back from JSON as it was."""
    assert Trace.from_json(through_json(trace.to_json())) == trace


@given(documents)
def test_any_document_makes_a_trace(document):
    """Surrogates, NUL and Windows line ends are texts like any other."""
    assert Trace("q", [document], "r").documents == (document,)


def test_json_leaves_out_what_is_at_its_default():
    """The shortest trace has the shortest JSON."""
    assert Trace("q", ["d"], "r").to_json() == {
        "question": "q",
        "documents": [{"text": "d"}],
        "response": "r",
    }


def test_json_without_a_field_is_refused():
    """The message names what lacks and what there is."""
    with pytest.raises(
        InvalidTrace, match=r"^a trace needs documents, response; got only \['question'\]$"
    ):
        Trace.from_json({"question": "q"})
