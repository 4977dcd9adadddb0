"""What stands in front of a judge: memo, recording and cache, and one call for each trace."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import BaseFileLock

from pytest_trace.concurrency.calls import wait_for
from pytest_trace.errors import (
    InvalidRecording,
    InvalidVerdict,
    JudgeError,
    JudgeTimeout,
    NotRecorded,
    hide_own_frames,
)
from pytest_trace.judges.asking import ask_judge
from pytest_trace.judges.base import Judge, judge_identity, judge_name
from pytest_trace.sentences import KeyedTrace
from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.difference import difference
from pytest_trace.store.entry import StoredVerdict
from pytest_trace.store.folder import acquired_lock
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
    run is not read. The memo holds `most_remembered` verdicts, or all of the run.
    """

    def __init__(
        self,
        *,
        recording: Path | None = None,
        cache: VerdictCache | None = None,
        is_offline: bool = False,
        is_refreshing: bool = False,
        most_remembered: int | None = None,
    ) -> None:
        self._recording_path = recording
        self._cache = cache
        self._is_offline = is_offline
        self._is_refreshing = is_refreshing
        self._lock = threading.Lock()
        self._most_remembered = most_remembered
        self._memo: dict[str, StoredVerdict] = {}
        self._in_flight: dict[str, Future[StoredVerdict]] = {}
        self._ahead: set[str] = set()
        self._recording: Mapping[str, RecordedLine] | None = None

    def ask(self, judge: Judge, sentences: KeyedTrace, ask: AskJudge, *, vote: int = 0) -> Answer:
        """The verdict of `judge` on `sentences`; `ask` calls the judge if nothing else knows it.

        Raises `NotRecorded` offline, and whatever `JudgeError` the judge raises: failures are
        not stored.
        """
        asked = _Asked(judge, _identity(judge), sentences, ask, vote)
        answer = self._look_up(asked)
        if answer is None and self._is_offline:
            raise self._not_recorded(asked)
        return self._credited(asked, answer or self._once(asked))

    def ask_ahead(
        self, judge: Judge, sentences: KeyedTrace, ask: AskJudge, *, vote: int = 0
    ) -> Verdict:
        """`ask` for someone who will ask later, and whose call it will count as."""
        asked = _Asked(judge, _identity(judge), sentences, ask, vote)
        if (known := self._look_up(asked)) is not None:
            return known.verdict
        self._ahead.add(asked.key)
        source = None
        try:
            answer = self._once(asked)
            source = answer.source
        finally:
            if source is not Source.JUDGE:
                self._ahead.discard(asked.key)
        return answer.verdict

    def is_immediate(self, judge: Judge, sentences: KeyedTrace, *, vote: int = 0) -> bool:
        """Whether `ask` would answer without a call of the judge; offline it never calls one."""
        asked = _Asked(judge, _identity(judge), sentences, type(judge).judge, vote)
        return self._is_offline or self._look_up(asked) is not None

    def find(self, judge: Judge, sentences: KeyedTrace, *, vote: int = 0) -> Answer | None:
        """What is stored of `judge` on `sentences`; nobody is asked."""
        return self._look_up(_Asked(judge, _identity(judge), sentences, ask_judge, vote))

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()

    def _credited(self, asked: _Asked, answer: Answer) -> Answer:
        """The answer; the first to want what was asked ahead is who has asked the judge."""
        if answer.source is Source.MEMO and asked.key in self._ahead:
            self._ahead.discard(asked.key)
            return Answer(answer.entry, Source.JUDGE)
        return answer

    def _look_up(self, asked: _Asked) -> Answer | None:
        if (known := self._memo.get(asked.key)) is not None:
            return Answer(known, Source.MEMO)
        if not self._is_refreshing and (line := self._recorded().get(asked.key)) is not None:
            self._require_fit(line.entry, asked)
            return Answer(line.entry, Source.RECORDING)
        if (entry := self._cached(asked)) is not None:
            self._remember(entry)
            return Answer(entry, Source.CACHE)
        return None

    def _remember(self, entry: StoredVerdict) -> None:
        with self._lock:
            self._memo[entry.key] = entry
            if self._most_remembered is not None and len(self._memo) > self._most_remembered:
                del self._memo[next(iter(self._memo))]

    def _cached(self, asked: _Asked) -> StoredVerdict | None:
        if self._cache is None:
            return None
        entry = self._cache.get(asked.key, of_this_run=self._is_refreshing)
        return entry if entry is not None and asked.misfit(entry) is None else None

    def _recorded(self) -> Mapping[str, RecordedLine]:
        with self._lock:
            if self._recording is None:
                path = self._recording_path
                try:
                    self._recording = {} if path is None else read_recording(path)
                except InvalidRecording as error:
                    raise JudgeError(str(error)) from error
            return self._recording

    def _require_fit(self, entry: StoredVerdict, asked: _Asked) -> None:
        """A recorded verdict that was changed by hand is not asked again: somebody wanted it."""
        if (misfit := asked.misfit(entry)) is not None:
            raise JudgeError(
                f"the recorded verdict {entry.key} does not fit its trace: {misfit}; "
                "restore its line, or delete it and record again with --rag-record"
            )

    def _once(self, asked: _Asked) -> Answer:
        """Make the call, or wait for the thread or process that is making it."""
        while True:
            with self._lock:
                waiting = self._in_flight.get(asked.key)
                if waiting is None:
                    future = self._in_flight[asked.key] = Future[StoredVerdict]()
            if waiting is None:
                return self._asked_here(asked, future)
            with suppress(CancelledError):  # who was asking was interrupted: one of us asks again
                wait_for(waiting)
                if (error := waiting.exception()) is not None:
                    raise _twin(error)
                return Answer(waiting.result(), Source.MEMO)

    def _asked_here(self, asked: _Asked, future: Future[StoredVerdict]) -> Answer:
        """Make the call, and tell its end to the threads that wait for `future`."""
        try:
            answer = self._call_once_among_processes(asked)
        except BaseException as error:
            self._forget(asked.key)
            if isinstance(error, Exception):
                future.set_exception(_twin(error))
            else:
                future.cancel()
            raise
        self._forget(asked.key)
        future.set_result(answer.entry)
        return answer

    def _forget(self, key: str) -> None:
        with self._lock:
            del self._in_flight[key]

    def _call_once_among_processes(self, asked: _Asked) -> Answer:
        with self._locked(asked.key):
            if (found := self._look_up(asked)) is not None:
                return found
            entry = asked.call()
            self._remember(entry)
            if self._cache is not None:
                self._cache.set(entry)
            return Answer(entry, Source.JUDGE)

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        """Hold the lock of a key among the processes that share the cache; a kill releases it."""
        lock = self._acquired(key)
        try:
            yield
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        if lock is not None:
            lock.release()
            with suppress(OSError):  # who waits for it finds the verdict stored
                Path(lock.lock_file).unlink()

    def _acquired(self, key: str) -> BaseFileLock | None:
        """The lock, held; None where there is no cache, and nothing is shared."""
        if self._cache is None or self._cache.is_broken:
            return None
        path = self._cache.folder / "locks" / f"{key}.lock"
        try:
            return acquired_lock(path, _LONGEST_CALL_SECONDS)
        except TimeoutError as error:
            raise JudgeTimeout(
                f"another process has been asking for this verdict for {_LONGEST_CALL_SECONDS:.0f} "
                f"seconds; end it, or remove {path}"
            ) from error
        except OSError as error:
            self._cache.give_up(error)
            return None

    def _not_recorded(self, asked: _Asked) -> NotRecorded:
        entries = [line.entry for line in self._recorded().values()]
        return NotRecorded(
            "offline, and no verdict is recorded for this trace; "
            "record it where the judge can be asked: pytest --rag-record",
            details=tuple(difference(asked.identity, asked.sentences, entries, vote=asked.vote)),
        )


@dataclass(frozen=True)
class _Asked:
    """What is asked for."""

    judge: Judge
    identity: Mapping[str, Any]
    sentences: KeyedTrace
    ask: AskJudge
    vote: int

    @cached_property
    def key(self) -> str:
        return verdict_key(self.identity, self.sentences, vote=self.vote)

    def call(self) -> StoredVerdict:
        """Call the judge."""
        verdict = self.ask(self.judge, self.sentences)
        return StoredVerdict.of(self.key, self.identity, self.sentences, verdict, vote=self.vote)

    def misfit(self, entry: StoredVerdict) -> InvalidVerdict | None:
        """What is wrong with a stored verdict on these sentences."""
        try:
            entry.verdict.require_keys(sentence.key for sentence in self.sentences.response)
        except InvalidVerdict as error:
            return error
        return None


def _twin(error: BaseException) -> BaseException:
    """The same error for another thread: each that raises it writes its own traceback."""
    twin = type(error).__new__(type(error))
    vars(twin).update(vars(error))
    twin.args = error.args
    twin.__cause__, twin.__context__ = error.__cause__, error.__context__
    twin.__suppress_context__ = error.__suppress_context__
    return twin.with_traceback(error.__traceback__)


def _identity(judge: Judge) -> Mapping[str, Any]:
    """What the judge says of itself, as it comes back from JSON."""
    try:
        identity: dict[str, Any] = json.loads(json.dumps(dict(judge_identity(judge))))
    except (TypeError, ValueError) as error:
        raise JudgeError(
            f"the identity of judge {judge_name(judge)} must hold JSON values only: {error}"
        ) from error
    return identity
