"""Labelled traces: what people or models said of responses, to measure a judge against.

Three forms are read, by the name of the file and the fields of the row:

- RAGBench Parquet (`*.parquet`), by `datasets.ragbench`;
- plain JSONL (`*.jsonl`, `*.jsonl.gz`): `question`, `documents`, `response` and `supported`
  (true, false or null); optional are `id`, `language`, `history`, and `relevant` and `utilized`,
  lists of document sentences as keys (`doc_0_s1`) or as texts that stand in a document;
- JSONL of research sets: `label_supported` in place of `supported`, and in
  `relevant_doc_sentences` the row's own `sentences` as `[key, document, start, end]` or
  `[key, document, null, null, text]`, with the keys that are `relevant` and `utilized`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_trace.datasets.files import text_lines
from pytest_trace.datasets.label_rows import LabelRow
from pytest_trace.datasets.ragbench import RagbenchRow, read_ragbench
from pytest_trace.errors import InvalidCase
from pytest_trace.sentences import KeyedTrace, Sentencizer, make_sentencizer

SUFFIXES: Final = (".parquet", ".jsonl", ".jsonl.gz")
_DIGITS: Final = 16
_LABELS: Final = ("supported", "relevant", "utilized")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabeledTrace:
    """A trace with its labels; None where it has none of that kind.

    `relevant` and `utilized` are keys of the retrieved sentences. `peers` has what other tools
    gave the row, by RAGBench's column.
    """

    id: str
    set: str
    sentences: KeyedTrace
    language: str | None = None
    is_supported: bool | None = None
    relevant: frozenset[str] | None = None
    utilized: frozenset[str] | None = None
    peers: Mapping[str, float | None] = field(default_factory=dict, hash=False)

    @property
    def has_label(self) -> bool:
        """Whether there is anything to measure a judge against."""
        return any(label is not None for label in (self.is_supported, self.relevant, self.utilized))

    @property
    def cluster(self) -> str:
        """Rows of the same cluster are no independent cases: they share their documents.

        It is a digest of the documents in any order, or the question where there is no document.
        """
        trace = self.sentences.trace
        texts = sorted(document.text for document in trace.documents)
        content = json.dumps(texts or trace.question)
        return hashlib.sha256(content.encode("ascii")).hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True)
class Labels:
    """The rows of a file that can be used; `left_out` counts those without response or label."""

    rows: tuple[LabeledTrace, ...]
    left_out: int


def label_files(path: Path) -> list[Path]:
    """`path`, or the label files in the folder `path`, by name; raises `InvalidCase` for none."""
    if not path.is_dir():
        return [path]
    files = [file for file in sorted(path.iterdir()) if file.name.endswith(SUFFIXES)]
    if not files:
        raise InvalidCase(f"there is no label file in {path}; expected {', '.join(SUFFIXES)}")
    return files


def read_labels(path: Path, *, sentencizer: Sentencizer | None = None) -> Labels:
    """The labelled traces of one file.

    Raises `InvalidCase` naming file, line and field of the first row that is wrong, or the file
    that cannot be read or has no row, and `MissingExtra` for Parquet without pyarrow.
    """
    if path.name.endswith(".parquet"):
        found: list[LabeledTrace | None] = [_of_ragbench(row, path) for row in read_ragbench(path)]
    elif path.name.endswith(SUFFIXES):
        found = _read_jsonl(path, sentencizer or make_sentencizer())
    else:
        raise InvalidCase(f"{path} is no label file by its name; expected {', '.join(SUFFIXES)}")
    if not found:
        raise InvalidCase(f"{path} holds no row; expected one labelled trace a line")
    rows = tuple(row for row in found if row is not None and row.has_label)
    return Labels(rows, len(found) - len(rows))


def _of_ragbench(row: RagbenchRow, path: Path) -> LabeledTrace:
    name = row.trace.metadata.get("dataset_name") or path.name.removesuffix(".parquet")
    return LabeledTrace(
        id=row.id,
        set=str(name),
        language="en",
        sentences=row.sentences,
        is_supported=bool(row.published.adherence),
        relevant=row.verdict.relevant,
        utilized=row.verdict.utilized,
        peers=row.peers,
    )


def _read_jsonl(path: Path, sentencizer: Sentencizer) -> list[LabeledTrace | None]:
    name = path.name.removesuffix(".gz").removesuffix(".jsonl")
    return [
        _labelled(LabelRow.loads(line, number, path.name), name, sentencizer)
        for number, line in text_lines(path, "labels")
    ]


def _labelled(row: LabelRow, name: str, sentencizer: Sentencizer) -> LabeledTrace | None:
    """One row; None where a research set has no response, as for unanswerable questions."""
    if "label_supported" in row.data:
        return _of_research(row, name, sentencizer) if row.has_response else None
    if not any(label in row.data for label in _LABELS):
        raise row.fault("supported", "is missing, and so is every other label; give true or false")
    sentences = KeyedTrace.from_trace(row.trace(), sentencizer)
    return LabeledTrace(
        id=row.id,
        set=name,
        language=row.text("language"),
        sentences=sentences,
        is_supported=row.flag("supported"),
        relevant=row.named("relevant", sentences),
        utilized=row.named("utilized", sentences),
    )


def _of_research(row: LabelRow, name: str, sentencizer: Sentencizer) -> LabeledTrace:
    keyed = KeyedTrace.from_trace(row.trace(), sentencizer)
    labels: Mapping[str, Any] | None = row.mapping("relevant_doc_sentences")
    listed: Sequence[str] | None
    relevant = utilized = None
    if labels is not None:
        keyed, ours = row.with_own_sentences(keyed, labels)
        relevant, utilized = (
            None if (listed := labels.get(kind)) is None else row.translated(listed, ours)
            for kind in ("relevant", "utilized")
        )
    return LabeledTrace(
        id=row.id,
        set=name,
        language=row.text("language"),
        sentences=keyed,
        is_supported=row.flag("label_supported"),
        relevant=relevant,
        utilized=utilized,
    )
