"""The lines of files scored by several processes, and given back in the order of each file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import Final, Self

from pytest_trace.cli.triads.rows import BadRow, ScoredRow, Scoring, score_line
from pytest_trace.datasets.predictions import RawLine

CHUNK: Final = 64
_WAITING_PER_PROCESS: Final = 4

Outcome = tuple[RawLine, ScoredRow | BadRow]
Chunk = Sequence[RawLine]


class Workers:
    """Processes that score lines. None is started for a file of a single chunk, or for one process.

    A bounded number of chunks is under way at once, so that memory does not grow with the file.
    """

    def __init__(self, processes: int, scoring: Scoring) -> None:
        self._processes = processes
        self._scoring = scoring
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def scored(self, lines: Iterable[RawLine], configuration: str) -> Iterator[list[Outcome]]:
        """Each line with what became of it, in chunks."""
        chunks = _chunks(lines)
        first = list(islice(chunks, 2))
        if self._processes == 1 or len(first) == 1:
            for chunk in chain(first, chunks):
                rows = [score_line(line, configuration, self._scoring) for line in chunk]
                yield list(zip(chunk, rows, strict=True))
            return
        waiting: deque[tuple[Chunk, Future[list[ScoredRow | BadRow]]]] = deque()
        for chunk in chain(first, chunks):
            waiting.append((chunk, self._started().submit(_score_chunk, chunk, configuration)))
            if len(waiting) >= self._processes * _WAITING_PER_PROCESS:
                yield _done(*waiting.popleft())
        while waiting:
            yield _done(*waiting.popleft())

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._processes,
                mp_context=multiprocessing.get_context("spawn"),  # a judge's threads do not fork
                initializer=_begin,
                initargs=(self._scoring,),
            )
        return self._pool


def _chunks(lines: Iterable[RawLine]) -> Iterator[Chunk]:
    iterator = iter(lines)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def _done(chunk: Chunk, future: Future[list[ScoredRow | BadRow]]) -> list[Outcome]:
    return list(zip(chunk, future.result(), strict=True))


_scoring = Scoring()
"""In a worker process: what it was started with."""


def _begin(scoring: Scoring) -> None:
    global _scoring  # noqa: PLW0603 - the initializer of a process has no other way
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _scoring = scoring


def _end_with_parent() -> None:
    """A worker may wait for a lock that another one held when it was killed: for ever."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _score_chunk(chunk: Chunk, configuration: str) -> list[ScoredRow | BadRow]:
    return [score_line(line, configuration, _scoring) for line in chunk]
