"""RAGBench (arXiv 2407.11005, CC BY 4.0): labelled rows with the scores published for them.

A row brings its own sentences with its own keys: `0a` is the first sentence of the first document,
`a` that of the response. Ours follow position, `doc_0_s0` and `resp_s0`. The labelling model wrote
keys as `a.`, `[0a]` or ` 0A ` too, named some twice and made some up: `Verdict.notes` tells.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_trace.datasets.arrow import ParquetTable
from pytest_trace.errors import InvalidCase
from pytest_trace.metrics import TraceScores
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace
from pytest_trace.verdict import MARKS, SentenceSupport, Verdict

PEERS: Final = (
    "trulens_groundedness",
    "trulens_context_relevance",
    "ragas_faithfulness",
    "ragas_context_relevance",
    "gpt3_adherence",
    "gpt3_context_relevance",
    "gpt35_utilization",
)
"""The columns with what other tools gave the row; most splits leave them empty."""

_NEEDED: Final = (
    "id",
    "question",
    "documents",
    "response",
    "documents_sentences",
    "response_sentences",
    "unsupported_response_sentence_keys",
    "all_relevant_sentence_keys",
    "all_utilized_sentence_keys",
    "relevance_score",
    "utilization_score",
    "completeness_score",
    "adherence_score",
)
_METADATA: Final = ("dataset_name", "generation_model_name", "annotating_model_name")
_OPTIONAL: Final = (
    "sentence_support_information",
    "relevance_explanation",
    "overall_supported_explanation",
    *_METADATA,
    *PEERS,
)
_AROUND_KEYS: Final = " \t\r\n.,:;[](){}'\"`"


@dataclass(frozen=True, slots=True, kw_only=True)
class RagbenchRow:
    """One row: its sentences, what the labelling model decided, and the published scores.

    `published` has no `support`, which RAGBench does not score. `peers` has each of `PEERS`, None
    where the row has no value.
    """

    id: str
    sentences: KeyedTrace
    verdict: Verdict
    published: TraceScores
    peers: Mapping[str, float | None] = field(hash=False)

    @property
    def trace(self) -> Trace:
        """The row as a trace whose texts hold exactly the row's sentences."""
        return self.sentences.trace


def read_ragbench(path: str | os.PathLike[str]) -> Iterator[RagbenchRow]:
    """The rows of a RAGBench Parquet file, in order, a few at a time.

    Raises `MissingExtra` without pyarrow, and `InvalidCase` for a file that cannot be read, for
    one that lacks columns, which it names, and, when it comes to it, for a row that is no trace.
    """
    name = os.fspath(path)
    table = ParquetTable(name)
    if missing := [column for column in _NEEDED if column not in table.columns]:
        raise InvalidCase(f"{name} is no RAGBench file: it lacks the columns {', '.join(missing)}")
    columns = [*_NEEDED, *(column for column in _OPTIONAL if column in table.columns)]
    return _rows(table.rows(columns), name)


def _rows(rows: Iterable[Mapping[str, Any]], name: str) -> Iterator[RagbenchRow]:
    for number, data in enumerate(rows, 1):
        yield _row(data, f"{name}, row {number} (id {data['id']})")


def _row(data: Mapping[str, Any], where: str) -> RagbenchRow:
    try:
        return RagbenchRow(
            id=str(data["id"]),
            sentences=_sentences(data),
            verdict=_verdict(data),
            published=_published(data),
            peers={name: _number(data.get(name)) for name in PEERS},
        )
    except (TypeError, ValueError) as error:  # InvalidTrace is one, as is a column of another type
        raise InvalidCase(f"{where}: {error}") from error


def _sentences(data: Mapping[str, Any]) -> KeyedTrace:
    documents = [[text for _, text in _pairs(group)] for group in data["documents_sentences"] or ()]
    response = [text for _, text in _pairs(data["response_sentences"])]
    texts = data["documents"] or ()
    if len(texts) == len(documents):
        texts = [_holding(*pair) for pair in zip(texts, documents, strict=True)]
    metadata = {name: data[name] for name in _METADATA if data.get(name) is not None}
    trace = Trace(data["question"], texts, _holding(data["response"], response), metadata=metadata)
    return KeyedTrace.from_sentences(trace, documents, response)


def _pairs(group: Iterable[tuple[str, str]] | None) -> list[tuple[str, str]]:
    """Key and text of each sentence; those without text get no key of ours."""
    return [(key, text) for key, text in group or () if text and text.strip()]


def _holding(text: str | None, sentences: Sequence[str]) -> str:
    """`text` if the sentences stand in it word for word and in order, else they alone, joined.

    In about one row of three some do not: RAGBench's splitter rewrote the white space in them.
    """
    text, position = text or "", 0
    for sentence in sentences:
        found = text.find(sentence.strip(), position)
        if found < 0:
            return " ".join(sentences)
        position = found + len(sentence.strip())
    return text


def _verdict(data: Mapping[str, Any]) -> Verdict:
    groups = data["documents_sentences"] or ()
    documents = _Keys((f"doc_{index}", _pairs(group)) for index, group in enumerate(groups))
    response = _Keys([("resp", _pairs(data["response_sentences"]))])
    relevant = documents.find(data["all_relevant_sentence_keys"], "relevant")
    utilized = documents.find(data["all_utilized_sentence_keys"], "utilized")
    unsupported = response.find(data["unsupported_response_sentence_keys"], "unsupported")
    support = _support(data, documents, response, frozenset(unsupported))
    return Verdict(
        relevant=frozenset(relevant),
        utilized=frozenset(utilized),
        support=tuple(support),
        relevance_explanation=data.get("relevance_explanation"),
        support_explanation=data.get("overall_supported_explanation"),
        notes=(*documents.notes, *response.notes),
    )


def _support(
    data: Mapping[str, Any], documents: _Keys, response: _Keys, unsupported: frozenset[str]
) -> Iterator[SentenceSupport]:
    """`fully_supported` is null in most rows; a sentence is supported unless listed otherwise."""
    said = {
        _normal(info["response_sentence_key"]): info
        for info in data.get("sentence_support_information") or ()
    }
    for row_key, key in response.ours.items():
        info = said.get(row_key, {})
        named = [_normal(item) for item in info.get("supporting_sentence_keys") or ()]
        evidence = [item for item in named if item not in MARKS]
        yield SentenceSupport(
            key,
            key not in unsupported,
            tuple(documents.find(evidence, f"support of {key}")),
            next((mark for mark in MARKS if mark in named), None),
            info.get("explanation"),
        )


class _Keys:
    """From the keys as a row writes them to ours; `notes` collects what did not fit."""

    def __init__(self, groups: Iterable[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        self.ours = {
            _normal(key): f"{prefix}_s{number}"
            for prefix, pairs in groups
            for number, (key, _) in enumerate(pairs)
        }
        self.notes: list[str] = []

    def find(self, listed: Iterable[str] | None, what: str) -> list[str]:
        """Our keys for those listed that there are, each once."""
        counts = Counter(_normal(key) for key in listed or ())
        if doubles := [key for key, count in counts.items() if count > 1]:
            self.notes.append(f"{what} names twice: {', '.join(doubles)}")
        if unknown := [key for key in counts if key not in self.ours]:
            self.notes.append(f"{what} names unknown: {', '.join(unknown)}")
        return [self.ours[key] for key in counts if key in self.ours]


def _normal(key: str | None) -> str:
    return (key or "").strip(_AROUND_KEYS).lower()


def _published(data: Mapping[str, Any]) -> TraceScores:
    if data["adherence_score"] is None:
        raise InvalidCase("adherence_score is null; expected true or false")
    return TraceScores(
        relevance=_number(data["relevance_score"]),
        utilization=_number(data["utilization_score"]),
        completeness=_number(data["completeness_score"]),
        adherence=float(data["adherence_score"]),
        support=None,
    )


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)
