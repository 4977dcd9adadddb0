"""A trace whose sentences have keys; judges and metrics speak of keys only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_trace.errors import InvalidTrace, hide_own_frames
from pytest_trace.sentences.sentencizer import Sentencizer, Span
from pytest_trace.trace import Document, Trace, joined

__tracebackhide__ = hide_own_frames

_PRESPLIT = "pre-split"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One keyed sentence.

    `document` is the index of its document in the trace, None for the response. `start` and `end`
    are character offsets in the text it was taken from: the document's text, its title, the
    metadata value, or the response. `context` is what it needs to be read alone.
    """

    key: str
    text: str
    document: int | None
    start: int
    end: int
    context: str | None = None
    is_counted: bool = False
    """Whether it is one of the retrieved sentences that relevance and utilization count."""


@dataclass(frozen=True)
class KeyedTrace:
    """A trace with its sentences: `doc_0_s0` …, `doc_0_title`, `doc_0_meta_NAME`, `resp_s0` ….

    `documents` holds every document sentence in order, `response` those of the response.
    Titles and selected metadata are evidence, and are not counted as retrieved sentences.
    """

    trace: Trace
    documents: tuple[Sentence, ...]
    response: tuple[Sentence, ...]
    sentencizer: str

    def __post_init__(self) -> None:
        if not self.response:
            raise InvalidTrace(
                "the response has no sentence; without one there is nothing to judge, "
                "and nothing would be unsupported"
            )

    @cached_property
    def by_key(self) -> Mapping[str, Sentence]:
        """Every sentence by its key."""
        return {sentence.key: sentence for sentence in (*self.documents, *self.response)}

    @cached_property
    def document_keys(self) -> frozenset[str]:
        """The keys of all evidence: retrieved, tool and system documents, titles, metadata."""
        return frozenset(sentence.key for sentence in self.documents)

    @cached_property
    def counted(self) -> tuple[Sentence, ...]:
        """The sentences of retrieved documents: S in the formulas of TRACe."""
        return tuple(sentence for sentence in self.documents if sentence.is_counted)

    @classmethod
    def from_trace(
        cls, trace: Trace, sentencizer: Sentencizer, *, metadata_keys: Sequence[str] = ()
    ) -> KeyedTrace:
        """Split `trace` with `sentencizer`; `metadata_keys` names the metadata that is evidence."""
        documents: list[Sentence] = []
        for index, document in enumerate(trace.documents):
            documents += _extra_evidence(document, index, metadata_keys)
            spans = locate(document.text, sentencizer.split(document.text))
            documents += _keyed(spans, index, is_counted=document.kind == "retrieved")
        response = locate(trace.response, sentencizer.split(trace.response))
        return cls(trace, tuple(documents), tuple(_keyed(response, None)), sentencizer.version)

    @classmethod
    def from_sentences(
        cls,
        trace: Trace,
        documents: Sequence[Sequence[str]],
        response: Sequence[str],
    ) -> KeyedTrace:
        """A trace that comes with its sentences, which are looked up in its texts in order.

        Raises `InvalidTrace` where a sentence does not stand in its text, or there are not as
        many lists of sentences as documents.
        """
        if len(documents) != len(trace.documents):
            raise InvalidTrace(
                f"{len(documents)} lists of sentences came for {len(trace.documents)} documents"
            )
        keyed: list[Sentence] = []
        for index, (document, sentences) in enumerate(zip(trace.documents, documents, strict=True)):
            spans = locate(document.text, sentences)
            keyed += _keyed(spans, index, is_counted=document.kind == "retrieved")
        return cls(
            trace, tuple(keyed), tuple(_keyed(locate(trace.response, response), None)), _PRESPLIT
        )

    def to_json(self) -> dict[str, Any]:
        """The trace and its sentences as JSON values."""
        return {
            "trace": self.trace.to_json(),
            "sentencizer": self.sentencizer,
            "documents": [_sentence_to_json(sentence) for sentence in self.documents],
            "response": [_sentence_to_json(sentence) for sentence in self.response],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KeyedTrace:
        """The inverse of `to_json`."""
        return cls(
            Trace.from_json(data["trace"]),
            tuple(Sentence(*values) for values in data["documents"]),
            tuple(Sentence(*values) for values in data["response"]),
            data["sentencizer"],
        )


def locate(text: str, sentences: Iterable[Span | str]) -> list[Span]:
    """Spans of `text` for sentences that may be plain strings, each found after the one before.

    Raises `InvalidTrace` for a sentence that does not stand there, and for a span that is not
    the text it claims to be.
    """
    spans: list[Span] = []
    cursor = 0
    for sentence in sentences:
        if isinstance(sentence, str):
            stripped = joined(sentence).strip()
            start = text.find(stripped, cursor)
            span = Span(stripped, start, start + len(stripped))
        else:
            span = sentence
        if span.start < cursor or text[span.start : span.end] != span.text:
            raise InvalidTrace(
                f"the sentence {span.text!r} does not stand in its text after character {cursor}; "
                "sentences must be given in order and word for word"
            )
        if span.text.strip():
            spans.append(span)
            cursor = span.end
    return spans


def _keyed(
    spans: Iterable[Span], document: int | None, *, is_counted: bool = False
) -> list[Sentence]:
    prefix = "resp" if document is None else f"doc_{document}"
    return [
        Sentence(
            f"{prefix}_s{number}",
            span.text,
            document,
            span.start,
            span.end,
            span.context,
            is_counted,
        )
        for number, span in enumerate(spans)
    ]


def _extra_evidence(document: Document, index: int, metadata_keys: Sequence[str]) -> list[Sentence]:
    values = {"title": document.title} | {
        f"meta_{key}": str(document.metadata[key])
        for key in metadata_keys
        if document.metadata.get(key) is not None
    }
    return [
        Sentence(f"doc_{index}_{name}", value, index, 0, len(value))
        for name, value in values.items()
        if value and value.strip()
    ]


def _sentence_to_json(sentence: Sentence) -> list[Any]:
    return [
        sentence.key,
        sentence.text,
        sentence.document,
        sentence.start,
        sentence.end,
        sentence.context,
        sentence.is_counted,
    ]
