"""The documents of the real frameworks, read by their shape (`make test-compat`).

They live in an environment of their own: they bring pytest plugins that slow every run.
"""

from __future__ import annotations

from haystack import Document as HaystackDocument
from langchain_core.documents import Document as LangChainDocument
from llama_index.core.schema import NodeWithScore, TextNode

from pytest_trace import Document, Trace, evaluate

TEXT = "Laptops can be returned within 30 days."
METADATA = {"source": "returns.md", "page": 3}


def _read(document: object) -> Document:
    return Trace("When?", [document], "Within 30 days.").documents[0]


def test_langchain_document() -> None:
    """page_content, metadata and id of a LangChain document are kept."""
    document = _read(LangChainDocument(page_content=TEXT, metadata=METADATA, id="a1"))
    assert document == Document(TEXT, id="a1", metadata=METADATA)


def test_llama_index_text_node() -> None:
    """text, metadata and node id of a LlamaIndex node are kept."""
    document = _read(TextNode(text=TEXT, metadata=METADATA, id_="a1"))
    assert document == Document(TEXT, id="a1", metadata=METADATA)


def test_llama_index_node_with_score() -> None:
    """A node that a retriever wrapped together with its score is read like the node."""
    node = NodeWithScore(node=TextNode(text=TEXT, metadata=METADATA, id_="a1"), score=0.7)
    assert _read(node) == Document(TEXT, id="a1", metadata=METADATA)


def test_haystack_document() -> None:
    """content, meta and id of a Haystack document are kept."""
    document = _read(HaystackDocument(content=TEXT, meta=METADATA, id="a1"))
    assert document == Document(TEXT, id="a1", metadata=METADATA)


def test_all_of_them_in_one_trace() -> None:
    """A trace may mix shapes, and is judged like any other."""
    documents = [
        LangChainDocument(page_content=TEXT),
        NodeWithScore(node=TextNode(text="Shipping is free from 50 euros."), score=0.1),
        HaystackDocument(content="Gift cards are not refunded."),
    ]
    evaluation = evaluate(Trace("When can laptops be returned?", documents, TEXT), judge="lexical")
    assert evaluation.scores.adherence == 1.0
    assert evaluation.trace.documents[0].text == TEXT
