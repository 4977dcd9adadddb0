"""What is in a cache, for a person who looks after it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pytest_trace.quoting import shorten, visible
from pytest_trace.store.disk import TextRow, TextStore
from pytest_trace.store.entry import DAMAGED, StoredVerdict, typed

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Inspected:
    """A row, the judge and the day of its verdict, or what is wrong with it."""

    row: TextRow
    judge: str | None
    day: date | None
    fault: str | None


class CacheInspector:
    """Reads a cache row by row. Every call may raise `StoreFault`."""

    def __init__(self, folder: Path) -> None:
        self._store = TextStore(folder / "verdicts")

    def rows(self) -> Iterator[Inspected]:
        """Every row."""
        return (_inspected(row) for row in self._store.rows())

    def file_faults(self) -> list[str]:
        """What sqlite finds wrong with the file, in words."""
        return [visible(fault) for fault in self._store.check()]

    def row_faults(self) -> list[str]:
        """What is wrong with single rows, in words."""
        return [f"entry {row.row.rowid}: {row.fault}" for row in self.rows() if row.fault]

    def judges(self) -> Counter[str]:
        """How many verdicts there are of each judge."""
        return Counter(row.judge for row in self.rows() if row.judge is not None)

    def volume(self) -> int:
        """Bytes on the disk."""
        return self._store.volume()

    def delete(self, is_wanted: Callable[[Inspected], bool]) -> int:
        """Forget the rows that `is_wanted` picks; how many."""
        chosen = [row.row.rowid for row in self.rows() if is_wanted(row)]
        self._store.delete(chosen)
        return len(chosen)

    def close(self) -> None:
        """Close the cache."""
        self._store.close()


def _inspected(row: TextRow) -> Inspected:
    if row.text is None:
        return Inspected(row, None, None, "not written by this package; it is never read")
    try:
        data = json.loads(row.text)
        entry = StoredVerdict.from_json(data)
        day = date.fromisoformat(typed(data, "day", str))
    except DAMAGED as error:
        reason = shorten(visible(f"{type(error).__name__}: {error}"), _SHOWN)
        return Inspected(row, None, None, f"no verdict ({reason})")
    if entry.key != row.key:
        return Inspected(row, None, None, "a verdict under another verdict's key")
    kind, model = entry.judge.get("kind"), entry.judge.get("model")
    return Inspected(row, visible(f"{kind}:{model}" if model else str(kind)), day, None)
