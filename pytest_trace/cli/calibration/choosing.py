"""Which rows are judged: read from files, parted into sets, and a sample of each if wanted."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_trace.datasets.labels import LabeledTrace, label_files, read_labels

Sets = dict[str, list[LabeledTrace]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows to be judged, by set; `left_out` counts rows without a response or a label."""

    sets: Sets
    left_out: int

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(map(len, self.sets.values()))


def choose(paths: Sequence[Path], limit: int | None) -> Chosen:
    """The rows of all files, each read once; with a limit the same so many of each set each time.

    Raises `InvalidCase` naming what is wrong with a row or file.
    """
    files = {file.resolve(): file for path in paths for file in label_files(path)}
    labels = [read_labels(file) for file in files.values()]
    sets = _by_set([row for each in labels for row in each.rows])
    if limit is not None:
        sets = {name: _sample(rows, limit) for name, rows in sets.items()}
    return Chosen(sets, sum(each.left_out for each in labels))


def _by_set(rows: Sequence[LabeledTrace]) -> Sets:
    """A set of several languages is one for each: scores do not compare between languages."""
    languages: dict[str, set[str | None]] = {}
    for row in rows:
        languages.setdefault(row.set, set()).add(row.language)
    sets: Sets = {}
    for row in rows:
        name = f"{row.set}/{row.language}" if len(languages[row.set]) > 1 else row.set
        sets.setdefault(name, []).append(row)
    return sets


def _sample(rows: Sequence[LabeledTrace], limit: int) -> list[LabeledTrace]:
    """Files are often sorted by label, so it is no beginning; in the order of the file."""
    chosen = sorted(range(len(rows)), key=lambda number: _shuffled(rows[number]))[:limit]
    return [rows[number] for number in sorted(chosen)]


def _shuffled(row: LabeledTrace) -> bytes:
    content = f"{row.id}\0{row.sentences.trace.response}"
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()
