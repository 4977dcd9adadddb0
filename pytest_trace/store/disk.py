"""The only module that knows diskcache: ASCII text in, ASCII text out, and nothing else.

diskcache pickles what it does not know and keeps large values in files whose names stand in its
table. A planted row could therefore run code when it is read (CVE-2025-69872), or name a file
outside the folder to be read or deleted. Here a key and a value are text, or they are refused.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diskcache import DEFAULT_SETTINGS, UNKNOWN, Cache, Disk, Timeout

_RAW = 1  # diskcache's mode for values that stand in the table as they are
_SETTINGS = DEFAULT_SETTINGS | {"eviction_policy": "none"}
"""Given whole, so that none is taken from the table. Nothing is ever evicted."""


class StoreFault(Exception):  # noqa: N818 - it is named for what happened
    """The store cannot be used: damaged, locked, full, or not one at all."""


FAULTS = (StoreFault, OSError)
"""What a store or its folder may raise."""


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
        if read or not isinstance(value, str) or not value.isascii():
            raise TypeError(f"cache values are ASCII text; got a {type(value).__name__}")
        return 0, _RAW, None, value

    def fetch(self, mode: int, filename: str | None, value: Any, read: Any) -> Any:
        if not _is_ours(mode, filename, value):
            raise RefusedEntry("a cache entry was not written by this package")
        return value

    def remove(self, file_path: str) -> None:
        """Nothing is removed: no file is ours, whatever the table says."""


class _TidyCache(Cache):
    """Leaves no connection behind where it cannot be opened."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        try:
            super().__init__(*args, **settings)
        except BaseException:
            self.close()
            raise


def _is_ours(mode: Any, filename: Any, value: Any) -> bool:
    return mode == _RAW and filename is None and isinstance(value, str) and value.isascii()


@dataclass(frozen=True, slots=True)
class TextRow:
    """A row of the table; `text` is None where it was not written by this package."""

    rowid: int
    key: str | None
    text: str | None


class TextStore:
    """A folder of text by key, for any thread. Every call may raise `StoreFault`."""

    def __init__(self, folder: Path, *, timeout_seconds: float = 10.0) -> None:
        with _faults():
            folder = folder.absolute()
            _require_usable(folder, timeout_seconds)
            self._cache = _TidyCache(
                str(folder), timeout=timeout_seconds, disk=TextDisk, **_SETTINGS
            )
            self._leave()

    def get(self, key: str) -> str | None:
        """The text under `key`; None where there is none, or none that was written by us."""
        with self._used() as cache:
            try:
                value: str | None = cache.get(key, default=None, retry=False)
            except RefusedEntry:
                return None
            return value

    def set(self, key: str, text: str) -> None:
        """Keep `text` under `key`; it is on the disk when this returns."""
        with self._used() as cache:
            cache.set(key, text, retry=False)

    def rows(self) -> Iterator[TextRow]:
        """Every row of the table, those too that were not written by us: nothing is unpickled."""
        select = "SELECT rowid, key, raw, mode, filename, value FROM Cache ORDER BY rowid"
        with self._used() as cache:
            for rowid, key, raw, mode, filename, value in cache._sql(select):  # noqa: SLF001 - its own iteration reads keys
                is_ours = raw == 1 and isinstance(key, str) and _is_ours(mode, filename, value)
                text = value if is_ours else None
                yield TextRow(rowid, key if isinstance(key, str) else None, text)

    def delete(self, rowids: Iterable[int]) -> None:
        """Forget rows, whoever wrote them; the files that they may name are not touched."""
        with self._used() as cache, cache.transact():
            for rowid in rowids:
                cache._sql("DELETE FROM Cache WHERE rowid = ?", (rowid,))  # noqa: SLF001

    def volume(self) -> int:
        """Bytes that the table takes; rows are not asked, they may claim anything."""
        with self._used() as cache:
            ((pages,),) = cache._sql("PRAGMA page_count").fetchall()  # noqa: SLF001
            ((size,),) = cache._sql("PRAGMA page_size").fetchall()  # noqa: SLF001
            return int(pages * size)

    def check(self) -> list[str]:
        """What sqlite finds wrong with the file, in words."""
        with self._used() as cache:
            found = [str(row[0]) for row in cache._sql("PRAGMA integrity_check")]  # noqa: SLF001
            return [] if found == ["ok"] else found

    def close(self) -> None:
        """Close the connection of this thread; a later call opens another."""
        with _faults():
            self._cache.close()

    @contextmanager
    def _used(self) -> Iterator[Cache]:
        with _faults():
            try:
                self._cache._con.text_factory = _lenient  # noqa: SLF001 - one row that is no UTF-8 spoils no other
                yield self._cache
            finally:
                self._leave()

    def _leave(self) -> None:
        """Close what a thread has opened for itself: nobody can do so once it has ended."""
        if threading.current_thread() is not threading.main_thread():
            self._cache.close()


@contextmanager
def _faults() -> Iterator[None]:
    """Whatever is raised is a fault of the files: diskcache trusts what its tables say."""
    try:
        yield
    except StoreFault:
        raise
    except Timeout as error:
        raise StoreFault("its database cannot be locked for writing") from error
    except Exception as error:
        raise StoreFault(str(error) or type(error).__name__) from error


def _require_usable(folder: Path, timeout_seconds: float) -> None:
    """Raise what diskcache would not tell, or tell only after minutes."""
    if os.path.expandvars(folder) != str(folder):
        raise StoreFault("its name holds a variable, which diskcache would replace")
    database = folder / "cache.db"
    if database.exists():
        with closing(sqlite3.connect(database, timeout=timeout_seconds)) as connection:
            connection.execute("BEGIN IMMEDIATE").close()


def _lenient(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
