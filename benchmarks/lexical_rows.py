"""The labelled rows as the features of the lexical judge, for fitting its weights."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pytest_trace.datasets.label_rows import LabelRow
from pytest_trace.datasets.ragbench import read_ragbench
from pytest_trace.judges.lexical import _role
from pytest_trace.judges.lexical_features import (
    on_topic,
    relevance_features,
    support_features,
    utilization_features,
)
from pytest_trace.judges.lexical_guards import first_reason, is_mostly_new
from pytest_trace.judges.lexical_matching import match
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.sentences.keyed import Sentence

SHORTEST_STRAY = 30


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: the features of its claims, and what it takes of the counted sentences."""

    claims: Sequence[Sequence[float]] = ()
    guarded: Sequence[bool] = ()
    keys: Sequence[str] = ()
    taken: Sequence[Sequence[float]] = ()
    on_topic: float = 0.0


@dataclass(slots=True)
class Row:
    """A response, its labels, and what its counted document sentences have of the question.

    `unsupported` has a label for each claim, None where only the whole response has one.
    `stand_ins` are responses in its place that do not answer the question: 'another', that of
    another row of the set, and 'stray', the copy of a sentence that is not relevant.
    """

    set: str
    cluster: str
    is_unsupported: bool | None
    answer: Answer = Answer()
    unsupported: list[bool | None] = field(default_factory=list)
    asked: list[Sequence[float]] = field(default_factory=list)
    relevant: list[bool] | None = None
    utilized: list[bool] | None = None
    stand_ins: dict[str, Answer] = field(default_factory=dict)


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
    for name, pairs in groupby(labelled_traces(folder), itemgetter(0)):
        of_set = [(sentences, labels) for _, sentences, labels in pairs]
        before = [of_set[-1], *of_set]
        rows += [
            _row(name, *pair, other.response)
            for pair, (other, _) in zip(of_set, before, strict=False)
        ]
    return rows


def labelled_traces(folder: Path) -> Iterator[tuple[str, KeyedTrace, _Labels]]:
    """All rows with the names of their sets, which stand together."""
    for files, read in (("*.parquet", _ragbench), ("*.jsonl.gz", _jsonl)):
        for file in sorted(folder.glob(files)):
            yield from ((file.name.partition("_")[0], *pair) for pair in read(file))


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


def _row(name: str, sentences: KeyedTrace, labels: _Labels, another: Sequence[Sentence]) -> Row:
    asked = ReadSentence(sentences.trace.question)
    evidence = Evidence(sentences.documents)
    cluster = sentences.trace.question or sentences.documents[0].text
    row = Row(name, cluster, labels.is_unsupported)
    if not any(evidence.is_real):
        return row
    counted = {item.key for item in sentences.counted}
    kept = [index for index, item in enumerate(evidence.sentences) if item.key in counted]
    row.answer = _answer(sentences.response, asked, evidence, kept)
    if (unsupported := labels.unsupported) is None:
        row.unsupported = [None] * len(row.answer.keys)
    else:
        row.unsupported = [key in unsupported for key in row.answer.keys]
    features = relevance_features(asked, evidence)
    row.asked = [features[index] for index in kept]
    keys = [evidence.sentences[index].key for index in kept]
    if labels.utilized is not None:
        row.utilized = [key in labels.utilized for key in keys]
    if labels.relevant is not None and asked.terms:
        row.relevant = [key in labels.relevant for key in keys]
        stray = [
            item
            for item in sentences.counted
            if item.key not in labels.relevant and len(item.text) >= SHORTEST_STRAY
        ]
        row.stand_ins = {"another": _answer(another, asked, evidence, kept)}
        if stray:  # one from anywhere in the documents
            copied = [stray[len(cluster) % len(stray)]]
            row.stand_ins["stray"] = _answer(copied, asked, evidence, kept)
    return row


def _answer(
    response: Sequence[Sentence], asked: ReadSentence, evidence: Evidence, kept: Sequence[int]
) -> Answer:
    read = map(ReadSentence.of, response)
    claims = [item for item in read if _role(item, asked) == "claim"]
    matches = [match(claim, evidence) for claim in claims]
    guarded = [
        first_reason(claim, found, evidence, asked) is not None or is_mostly_new(found)
        for claim, found in zip(claims, matches, strict=True)
    ]
    taken = utilization_features(claims, evidence)
    return Answer(
        claims=support_features(claims, matches, evidence, asked),
        guarded=guarded,
        keys=[claim.key for claim in claims],
        taken=[taken[index] for index in kept],
        on_topic=on_topic(claims, asked, evidence),
    )
