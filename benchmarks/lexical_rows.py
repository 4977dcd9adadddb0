"""The labelled rows as the features of the lexical judge, for fitting its weights."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_trace.datasets.label_rows import LabelRow
from pytest_trace.datasets.ragbench import read_ragbench
from pytest_trace.judges.lexical import _role
from pytest_trace.judges.lexical_features import (
    relevance_features,
    support_features,
    utilization_features,
)
from pytest_trace.judges.lexical_guards import first_reason, is_mostly_new
from pytest_trace.judges.lexical_matching import match
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence
from pytest_trace.sentences import KeyedTrace, make_sentencizer


@dataclass(slots=True)
class Row:
    """A response: its labels, the features of its claims, and those of the document sentences.

    `unsupported` has a label for each claim, None where only the whole response has one.
    `relevance` and `utilization` are pairs of features and label.
    """

    set: str
    cluster: str
    is_unsupported: bool | None
    claims: list[Sequence[float]] = field(default_factory=list)
    guarded: list[bool] = field(default_factory=list)
    unsupported: list[bool | None] = field(default_factory=list)
    relevance: list[tuple[Sequence[float], bool]] = field(default_factory=list)
    utilization: list[tuple[Sequence[float], bool]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Labels:
    """`unsupported` are response keys; None is unlabelled everywhere."""

    is_unsupported: bool | None
    unsupported: frozenset[str] | None = None
    relevant: frozenset[str] | None = None
    utilized: frozenset[str] | None = None


def read_rows(folder: Path) -> list[Row]:
    """All rows; the two emanual splits are one set, since they share documents."""
    if not any(folder.glob("*.parquet")):
        folder /= "data"
    rows = []
    for file in sorted(folder.glob("*.parquet")):
        name = file.name.partition("_")[0]
        rows += [_row(name, *pair) for pair in _ragbench(file)]
    for file in sorted(folder.glob("*.jsonl.gz")):
        name = file.name.partition("_")[0]
        rows += [_row(name, *pair) for pair in _jsonl(file)]
    return rows


def _ragbench(file: Path) -> Iterator[tuple[KeyedTrace, _Labels]]:
    for row in read_ragbench(file):
        unsupported = frozenset(item.key for item in row.verdict.support if not item.supported)
        yield (
            row.sentences,
            _Labels(
                not row.published.adherence,
                unsupported,
                row.verdict.relevant,
                row.verdict.utilized,
            ),
        )


def _jsonl(file: Path) -> Iterator[tuple[KeyedTrace, _Labels]]:
    sentencizer = make_sentencizer()
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = LabelRow.loads(line, number, file.name)
            if not row.has_response:
                continue
            sentences = KeyedTrace.from_trace(row.trace(), sentencizer)
            if labels := row.mapping("relevant_doc_sentences"):
                sentences, ours = row.with_own_sentences(sentences, labels)
                # ClapNQ's responses are people's own: they say nothing of what models invent
                yield sentences, _Labels(None, relevant=row.translated(labels["relevant"], ours))
            else:
                supported = row.flag("label_supported")
                label = None if supported is None else not supported
                yield sentences, _Labels(label, _in_spans(sentences, row.data["unsupported_spans"]))


def _in_spans(
    sentences: KeyedTrace, spans: Sequence[tuple[int, int]] | None
) -> frozenset[str] | None:
    if spans is None:
        return None
    return frozenset(
        item.key
        for item in sentences.response
        if any(start < item.end and end > item.start for start, end in spans)
    )


def _row(name: str, sentences: KeyedTrace, labels: _Labels) -> Row:
    asked = ReadSentence(sentences.trace.question)
    evidence = Evidence(sentences.documents)
    cluster = sentences.trace.question or sentences.documents[0].text
    row = Row(name, cluster, labels.is_unsupported)
    if not any(evidence.is_real):
        return row
    response = map(ReadSentence.of, sentences.response)
    claims = [item for item in response if _role(item, asked) == "claim"]
    matches = [match(claim, evidence) for claim in claims]
    row.claims = list(support_features(claims, matches, evidence, asked))
    for claim, found in zip(claims, matches, strict=True):
        reason = first_reason(claim, found, evidence, asked)
        row.guarded.append(reason is not None or is_mostly_new(found))
        known = labels.unsupported
        row.unsupported.append(None if known is None else claim.key in known)
    counted = {item.key for item in sentences.counted}
    keys = [item.key for item in evidence.sentences]
    if labels.relevant is not None and asked.terms:
        pairs = zip(keys, relevance_features(asked, evidence), strict=True)
        row.relevance = [(each, key in labels.relevant) for key, each in pairs if key in counted]
    if labels.utilized is not None:
        pairs = zip(keys, utilization_features(claims, evidence), strict=True)
        row.utilization = [(each, key in labels.utilized) for key, each in pairs if key in counted]
    return row
