"""Stored verdicts for tests, and rows that somebody else put into a cache."""

from __future__ import annotations

import contextlib
import pickle
import sqlite3
import sys
import time
from pathlib import Path

from building import keyed, supported, unsupported, verdict

from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.entry import StoredVerdict
from pytest_trace.store.key import verdict_key
from pytest_trace.store.recording import write_recording

IDENTITY = {"kind": "fake", "version": "1"}
DAY = "2026-11-01"


def trace(number=0):
    """A trace that is not that of any other number."""
    return keyed((f"You have {number} days.",), question=f"How long is period {number}?")


def entry(number=0, *, identity=IDENTITY, given=None, vote=0):
    """What is stored of a verdict on `trace(number)`."""
    sentences = trace(number)
    key = verdict_key(identity, sentences, vote=vote)
    given = given or verdict(supported(0), relevant=["doc_0_s0"], utilized=["doc_0_s0"])
    return StoredVerdict.of(key, identity, sentences, given, vote=vote)


def other(number=0):
    """Another verdict on the same trace under the same key."""
    return entry(number, given=verdict(unsupported(0)))


def record(path, use):
    """Write a recording, with the lock where a run has it."""
    return write_recording(path, use, lock=path.parent / ".rag_cache" / "locks" / "recording.lock")


class CostlyJudge:
    """A judge whose calls stand in a file, a line for each; what it decides follows from the trace.

    It takes `seconds` for a call, and names the file `asking` beside the first while it does.
    """

    kind = "costly"
    version = "1"

    def __init__(self, log, seconds=0.0):
        self._log = Path(log)
        self._seconds = seconds

    @property
    def calls(self):
        """The responses it was asked for, in order."""
        return self._log.read_text().splitlines() if self._log.exists() else []

    def judge(self, sentences):
        with self._log.open("a") as file:
            file.write(f"{sentences.trace.response}\n")
        time.sleep(self._seconds)
        return decided(sentences)


def decided(sentences):
    """What the costly judge decides."""
    relevant = [f"doc_0_s{len(sentences.trace.response) % 2}"]
    return verdict(supported(0, reason=sentences.trace.response), relevant=relevant)


def ask(judge, sentences):
    """Call a judge, as the second argument of a store."""
    return judge.judge(sentences)


def database(folder):
    """The file of the cache in a folder."""
    return folder / "verdicts" / "cache.db"


def filled(folder, *entries):
    """A closed cache with these verdicts; the folder."""
    cache = VerdictCache(folder)
    for item in entries or (entry(),):
        cache.set(item)
    cache.close()
    assert not cache.is_broken
    return folder


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return Path.touch, (self._path,)

    def dumps(self):
        return pickle.dumps(self)


class Precious:
    """Files outside of a cache: `ran` must never appear, the others must never be touched."""

    def __init__(self, folder):
        self.ran = folder / "ran"
        self.text = folder / "precious.txt"
        self.pickle = folder / "bomb.pickle"
        self.text.write_text('{"secret": 1}')
        self.pickle.write_bytes(Bomb(self.ran).dumps())
        self._contents = self._read()

    def _read(self):
        return [path.read_bytes() for path in (self.text, self.pickle)]

    @contextlib.contextmanager
    def watched(self):
        """Nothing is unpickled, and nothing outside is opened or removed, while this is open."""
        events = []
        _watchers.append(events)
        try:
            yield
        finally:
            _watchers.remove(events)
        outside = {str(self.text), str(self.pickle), str(self.ran)}
        bad = [event for event in events if event[0].startswith("pickle") or event[1] in outside]
        assert not bad, bad
        assert not self.ran.exists()
        assert self._read() == self._contents


_watchers = []
_WATCHED = ("open", "os.remove", "os.rename", "os.rmdir", "pickle.find_class")


def _audit(event, args):
    if _watchers and event in _WATCHED:
        path = str(Path(args[0]).resolve()) if isinstance(args[0], str) else repr(args[0])
        for events in _watchers:
            events.append((event, path))


sys.addaudithook(_audit)

PLANTS = {
    "pickle": lambda p: {"mode": 4, "value": Bomb(p.ran).dumps()},
    "pickle-in-a-file": lambda p: {"mode": 4, "filename": "../../bomb.pickle"},
    "pickle-of-an-absolute-name": lambda p: {"mode": 4, "filename": str(p.pickle)},
    "pickled-key": lambda p: {"key": Bomb(p.ran).dumps(), "raw": 0},
    "text-key-as-a-pickle": lambda p: {"raw": 0},
    "text-file": lambda p: {"mode": 3, "filename": "../../precious.txt"},
    "text-of-an-absolute-name": lambda p: {"mode": 3, "filename": str(p.text)},
    "binary-file": lambda p: {"mode": 2, "filename": "../../precious.txt"},
    "name-that-is-no-text": lambda p: {"mode": 3, "filename": b"../../precious.txt"},
    "name-beside-a-value": lambda p: {"filename": str(p.text)},
    "name-of-an-expired-row": lambda p: {"filename": str(p.text), "expire_time": 1.0},
    "bytes": lambda p: {"value": b"{}"},
    "number": lambda p: {"value": 1},
    "no-mode": lambda p: {"mode": None},
    "not-ascii": lambda p: {"value": "Ünïcode"},
}
"""Columns of rows that this package did not write, by what is wrong with them."""


def plant(folder, key, columns):
    """Put a row into a cache that may have one under `key`."""
    row = {"key": key, "raw": 1, "store_time": 1.0, "size": 0, "mode": 1, "value": "{}"} | columns
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    with contextlib.closing(sqlite3.connect(database(folder))) as connection, connection:
        connection.execute("DELETE FROM Cache WHERE key = ?", (key,))
        connection.execute(f"INSERT INTO Cache ({names}) VALUES ({marks})", tuple(row.values()))


def keys(folder):
    """The keys in a cache, unread."""
    with contextlib.closing(sqlite3.connect(database(folder))) as connection:
        return [row[0] for row in connection.execute("SELECT key FROM Cache ORDER BY rowid")]


def execute(folder, *statements):
    """Change a cache behind its back."""
    with contextlib.closing(sqlite3.connect(database(folder))) as connection, connection:
        for statement in statements:
            connection.execute(statement)
