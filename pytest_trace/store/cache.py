"""The cache of verdicts: a folder of this machine that spares repeated calls.

It is a convenience. Whatever is wrong with it, the run goes on without it and says so once.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pytest_trace.store.disk import FAULTS, TextStore
from pytest_trace.store.entry import DAMAGED, StoredVerdict
from pytest_trace.store.folder import prepare_folder

_T = TypeVar("_T")


class VerdictCache:
    """Verdicts by key in a folder, shared by threads and processes.

    `run` names this run in what it stores; `say` is told once when the folder cannot be used.
    """

    def __init__(
        self,
        folder: Path,
        *,
        run: str = "",
        say: Callable[[str], None] = warnings.warn,
        timeout_seconds: float = 10.0,
    ) -> None:
        self.folder = folder
        self.is_broken = False
        self._say = say
        self._run = run
        self._timeout_seconds = timeout_seconds
        self._lock = threading.RLock()
        self._store: TextStore | None = None

    def get(self, key: str, *, of_this_run: bool = False) -> StoredVerdict | None:
        """The verdict under `key`; with `of_this_run` only one that this run has stored."""
        text = self._with_store(lambda store: store.get(key))
        return None if text is None else self._read(key, text, of_this_run=of_this_run)

    def set(self, entry: StoredVerdict) -> None:
        """Keep a verdict; it is on the disk when this returns."""
        day = datetime.now(tz=UTC).date().isoformat()
        data = entry.to_json() | {"run": self._run, "day": day}
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
        self._with_store(lambda store: store.set(entry.key, text))

    def close(self) -> None:
        """Close the connection of this thread."""
        if self._store is not None:
            with suppress(*FAULTS):
                self._store.close()

    def give_up(self, error: Exception) -> None:
        """Go on without the cache; the first who finds that out says so."""
        with self._lock:
            if self.is_broken:
                return
            self.is_broken = True
        self._say(
            f"the run goes on without the cache in {self.folder}: {error}; "
            f"rag-trace cache verify --dir {self.folder} tells more"
        )

    def _read(self, key: str, text: str, *, of_this_run: bool) -> StoredVerdict | None:
        try:
            data = json.loads(text)
            entry = StoredVerdict.from_json(data)
        except DAMAGED:
            return None
        if entry.key != key or (of_this_run and data.get("run") != self._run):
            return None
        return entry

    def _with_store(self, use: Callable[[TextStore], _T]) -> _T | None:
        """What `use` makes of the open store; None once anything went wrong with it."""
        try:
            store = self._opened()
            return None if store is None else use(store)
        except FAULTS as error:
            self.give_up(error)
            return None

    def _opened(self) -> TextStore | None:
        with self._lock:
            if self._store is None and not self.is_broken:
                try:
                    prepare_folder(self.folder)
                    self._store = TextStore(
                        self.folder / "verdicts", timeout_seconds=self._timeout_seconds
                    )
                except FAULTS as error:
                    self.give_up(error)  # under the lock: no other thread waits for it again
            return None if self.is_broken else self._store
