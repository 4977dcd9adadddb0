"""The only module that knows diskcache: JSON text in, JSON text out, and nothing else.

diskcache pickles what it does not know and keeps large values in files whose names stand in its
table. A planted row could therefore run code when it is read (CVE-2025-69872), or name a file
outside the folder to be read or deleted. Here a key and a value are text, or they are refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diskcache import UNKNOWN, Cache, Disk, Timeout

_RAW = 1  # diskcache's mode for values that stand in the table as they are
FAULTS = (sqlite3.Error, OSError, Timeout)
"""What a damaged, locked, read-only or full cache raises."""


class RefusedEntry(Exception):  # noqa: N818 - it is named for what happened
    """A row that this package did not write: it is neither read nor followed."""


class TextDisk(Disk):
    """Stores text under text keys, in the table only."""

    def put(self, key: Any) -> tuple[Any, bool]:
        if not isinstance(key, str):
            raise TypeError(f"cache keys are text; got a {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:  # noqa: FBT001 - diskcache's signature
        """A key of the table; None for one that is not text, which pickle would have to read."""
        return key if raw and isinstance(key, str) else None

    def store(self, value: Any, read: Any, key: Any = UNKNOWN) -> tuple[int, int, None, Any]:
        if read or not isinstance(value, str):
            raise TypeError(f"cache values are text; got a {type(value).__name__}")
        return 0, _RAW, None, value

    def fetch(self, mode: int, filename: str | None, value: Any, read: Any) -> Any:
        if mode != _RAW or filename is not None or not isinstance(value, str):
            raise RefusedEntry(f"a cache entry of mode {mode} was not written by this package")
        return value

    def remove(self, file_path: str) -> None:
        """Nothing is removed: no file is ours, whatever the table says."""


class TextStore:
    """A folder of text by key. Every call may raise one of `FAULTS`."""

    def __init__(self, folder: Path, *, timeout_seconds: float = 10.0) -> None:
        self._cache = Cache(
            str(folder), timeout=timeout_seconds, disk=TextDisk, eviction_policy="none"
        )

    def get(self, key: str) -> str | None:
        """The text under `key`; None where there is none, or none that was written by us."""
        try:
            value: str | None = self._cache.get(key, default=None, retry=False)
        except RefusedEntry:
            return None
        return value

    def set(self, key: str, text: str) -> None:
        """Keep `text` under `key`; it is on the disk when this returns."""
        self._cache.set(key, text, retry=False)

    def delete(self, key: str) -> bool:
        """Forget what is under `key`; whether there was anything."""
        return bool(self._cache.delete(key, retry=False))

    def keys(self) -> Iterator[str | None]:
        """Every key; None for one that is not text."""
        yield from self._cache.iterkeys()

    def clear(self) -> int:
        """Forget everything; how many entries there were."""
        return int(self._cache.clear(retry=False))

    def volume(self) -> int:
        """Bytes on the disk."""
        return int(self._cache.volume())

    def check(self) -> list[str]:
        """What sqlite finds wrong with the file, in words."""
        return [str(warning.message) for warning in self._cache.check()]

    def close(self) -> None:
        """Close the connection of this thread."""
        self._cache.close()
