"""What of a trace is ranked, and what says which documents are relevant."""

from __future__ import annotations

import pytest

from pytest_trace.errors import InvalidTrace
from pytest_trace.measures.rankings import ranking_of, relevance_of
from pytest_trace.trace import Document, Trace


def trace(*documents, **metadata):
    return Trace("When?", documents, "Today.", metadata=metadata)


def test_ranking_has_each_retrieved_document_once():
    """In the order of the trace; tool and system documents were not retrieved."""
    found = ranking_of(
        trace(
            Document("Rules.", kind="system"),
            Document("B, first part.", id="b"),
            Document("A.", id="a"),
            Document("B, second part.", id="b"),
            Document("42", kind="tool"),
        )
    )
    assert found == ("b", "a")


def test_chunks_may_name_their_document_in_the_metadata():
    """Where a store gives each chunk an id of its own."""
    chunks = [Document(f"Part {n}.", id=f"c{n}", metadata={"page": n // 2}) for n in range(4)]
    assert ranking_of(trace(*chunks), id_key="page") == ("0", "1")


@pytest.mark.parametrize(("id_key", "lacks"), [(None, "id"), ("source", "metadata 'source'")])
def test_a_document_without_id_is_refused(id_key, lacks):
    """It could be any of the relevant ones, so recall must not be 0."""
    with pytest.raises(InvalidTrace, match=rf"^documents\[1\] has no {lacks}, so nothing tells"):
        ranking_of(trace(Document("A.", id="a", metadata={"source": "a"}), "B."), id_key=id_key)


def test_relevant_ids_are_given_or_stand_in_the_metadata():
    """What the call gives goes first; a mapping holds grades."""
    known = trace(Document("A.", id="a"), relevant_ids=["a", "b", "a"])
    assert relevance_of(known) == {"a": 1, "b": 1}
    assert relevance_of(known, ["c"]) == {"c": 1}
    assert relevance_of(trace(relevant_ids={"a": 2, "b": 0})) == {"a": 2, "b": 0}


def test_without_relevant_ids_it_says_where_to_put_them():
    """An error, and no recall of 0 or 1."""
    with pytest.raises(ValueError, match=r"^nothing says which documents are relevant: give "):
        relevance_of(trace(Document("A.", id="a")))
