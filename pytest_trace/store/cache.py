"""The cache of verdicts: a folder of this machine that spares repeated calls.

It is a convenience. Whatever is wrong with it, the run goes on without it and says so once.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_trace.store.disk import FAULTS, TextStore
from pytest_trace.store.entry import StoredVerdict

_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder holds cached verdicts of judges. See https://bford.info/cachedir/
"""
_DAMAGED = (KeyError, TypeError, ValueError)


class VerdictCache:
    """Verdicts by key in a folder, shared by threads and processes.

    `run` names this run in what it stores; `say` is told once when the folder cannot be used.
    """

    def __init__(
        self, folder: Path, *, run: str = "", say: Callable[[str], None] = warnings.warn
    ) -> None:
        self.folder = folder
        self._say = say
        self._run = run
        self._lock = threading.Lock()
        self._store: TextStore | None = None
        self.is_broken = False

    def get(self, key: str, *, of_this_run: bool = False) -> StoredVerdict | None:
        """The verdict under `key`; with `of_this_run` only one that this run has stored."""
        with self._guarded() as store:
            text = store.get(key) if store is not None else None
            if text is not None:
                return self._read(key, text, of_this_run=of_this_run)
        return None

    def set(self, entry: StoredVerdict) -> None:
        """Keep a verdict; it is on the disk when this returns."""
        data = entry.to_json() | {"run": self._run}
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
        with self._guarded() as store:
            if store is not None:
                store.set(entry.key, text)

    def close(self) -> None:
        """Close the connection of this thread."""
        with self._guarded():
            if self._store is not None:
                self._store.close()

    def _read(self, key: str, text: str, *, of_this_run: bool) -> StoredVerdict | None:
        try:
            data = json.loads(text)
            entry = StoredVerdict.from_json(data)
        except _DAMAGED:
            return None
        if entry.key != key or (of_this_run and data.get("run") != self._run):
            return None
        return entry

    @contextmanager
    def _guarded(self) -> Iterator[TextStore | None]:
        """The open store, or None once anything went wrong with it."""
        try:
            yield self._opened()
        except FAULTS as error:
            self.give_up(error)

    def _opened(self) -> TextStore | None:
        with self._lock:
            if self._store is None and not self.is_broken:
                prepare_folder(self.folder)
                self._store = TextStore(self.folder / "verdicts")
            return None if self.is_broken else self._store

    def give_up(self, error: Exception) -> None:
        """Go on without the cache; the first who finds that out says so."""
        with self._lock:
            if self.is_broken:
                return
            self.is_broken = True
        self._say(
            f"the run goes on without the cache in {self.folder}: {error}; "
            "rag-trace cache verify tells more"
        )


def prepare_folder(folder: Path) -> None:
    """Make the folder of the cache, ignored by git and by backups."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
        path = folder / name
        if not path.exists():
            path.write_text(text, encoding="ascii")
