"""What stands in front of a judge: memo, recording and cache, and one call for each trace."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from filelock import FileLock, Timeout

from pytest_trace.errors import (
    InvalidRecording,
    JudgeError,
    JudgeTimeout,
    NotRecorded,
    hide_own_frames,
)
from pytest_trace.judges.base import Judge, judge_identity
from pytest_trace.sentences import KeyedTrace
from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.difference import difference
from pytest_trace.store.entry import StoredVerdict
from pytest_trace.store.key import verdict_key
from pytest_trace.store.recording import RecordedLine, read_recording
from pytest_trace.verdict import Verdict

__tracebackhide__ = hide_own_frames

AskJudge = Callable[[Judge, KeyedTrace], Verdict]
_LONGEST_CALL_SECONDS = 900.0


class Source(StrEnum):
    """Where a verdict came from."""

    JUDGE = "judge"
    MEMO = "memo"
    RECORDING = "recording"
    CACHE = "cache"


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored verdict and where it came from."""

    entry: StoredVerdict
    source: Source

    @property
    def verdict(self) -> Verdict:
        """What the judge decided."""
        return self.entry.verdict


class VerdictStore:
    """Asks in order: memo, recording, cache, judge. Safe for threads, and for processes by locks.

    `cache` is None where the run goes without one; then only this process knows its verdicts.
    With `is_offline` a judge is never called; with `is_refreshing` what was stored before this
    run is not read.
    """

    def __init__(
        self,
        *,
        recording: Path | None = None,
        cache: VerdictCache | None = None,
        is_offline: bool = False,
        is_refreshing: bool = False,
    ) -> None:
        self._recording_path = recording
        self._cache = cache
        self._is_offline = is_offline
        self._is_refreshing = is_refreshing
        self._lock = threading.Lock()
        self._memo: dict[str, str] = {}
        self._in_flight: dict[str, Future[StoredVerdict]] = {}
        self._recording: Mapping[str, RecordedLine] | None = None

    def ask(self, judge: Judge, sentences: KeyedTrace, ask: AskJudge, *, vote: int = 0) -> Answer:
        """The verdict of `judge` on `sentences`; `ask` calls the judge if nothing else knows it.

        Raises `NotRecorded` offline, and whatever `JudgeError` the judge raises: failures are
        not stored.
        """
        identity = judge_identity(judge)
        key = verdict_key(identity, sentences, vote=vote)
        found = self._look_up(key)
        if found is not None:
            return found
        if self._is_offline:
            raise self._not_recorded(identity, sentences)

        def call() -> StoredVerdict:
            verdict = ask(judge, sentences)
            return StoredVerdict.of(key, identity, sentences, verdict, vote=vote)

        return self._once(key, call)

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()

    def _look_up(self, key: str) -> Answer | None:
        if (text := self._memo.get(key)) is not None:
            entry = StoredVerdict.from_json(json.loads(text))
            return Answer(entry, Source.MEMO)
        if not self._is_refreshing and (line := self._recorded().get(key)) is not None:
            return Answer(line.entry, Source.RECORDING)
        return self._cached(key)

    def _cached(self, key: str) -> Answer | None:
        if self._cache is None:
            return None
        entry = self._cache.get(key, of_this_run=self._is_refreshing)
        return None if entry is None else Answer(entry, Source.CACHE)

    def _recorded(self) -> Mapping[str, RecordedLine]:
        with self._lock:
            if self._recording is None:
                path = self._recording_path
                try:
                    self._recording = {} if path is None else read_recording(path)
                except InvalidRecording as error:
                    raise JudgeError(str(error)) from error
            return self._recording

    def _once(self, key: str, call: Callable[[], StoredVerdict]) -> Answer:
        """Make the call, or wait for the thread or process that is making it."""
        with self._lock:
            waiting = self._in_flight.get(key)
            future: Future[StoredVerdict] = waiting or Future()
            self._in_flight[key] = future
        if waiting is not None:
            entry = waiting.result()
            return Answer(entry, Source.MEMO)
        try:
            answer = self._call_once_among_processes(key, call)
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(answer.entry)
            return answer
        finally:
            with self._lock:
                del self._in_flight[key]

    def _call_once_among_processes(self, key: str, call: Callable[[], StoredVerdict]) -> Answer:
        with self._locked(key):
            if (found := self._look_up(key)) is not None:
                return found
            entry = call()
            if self._cache is None:
                self._memo[key] = json.dumps(entry.to_json())
            else:
                self._cache.set(entry)
                if self._cache.is_broken:
                    self._memo[key] = json.dumps(entry.to_json())
            return Answer(entry, Source.JUDGE)

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        """Hold the lock of a key among the processes that share the cache; a kill releases it."""
        if self._cache is None or self._cache.is_broken:
            yield
            return
        folder = self._cache.folder / "locks"
        path = folder / f"{key}.lock"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path, timeout=_LONGEST_CALL_SECONDS)
            lock.acquire()
        except Timeout as error:
            raise JudgeTimeout(
                f"another process has been asking for this verdict for {_LONGEST_CALL_SECONDS:.0f} "
                f"seconds; end it, or remove {path}"
            ) from error
        except OSError as error:
            self._cache.give_up(error)
            yield
            return
        try:
            yield
        finally:
            lock.release()
            path.unlink(missing_ok=True)  # who waits for it finds the verdict stored

    def _not_recorded(self, identity: Mapping[str, object], sentences: KeyedTrace) -> NotRecorded:
        entries = [line.entry for line in self._recorded().values()]
        return NotRecorded(
            "offline, and no verdict is recorded for this trace; "
            "record it where the judge can be asked: pytest --rag-record",
            details=tuple(difference(identity, sentences, entries)),
        )
