"""Work on one item after another, several at once, and what came of it in the items' order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_POLL_SECONDS: Final = 0.2  # Windows does not hear Ctrl-C while it waits without end


@dataclass(frozen=True, slots=True)
class _Fault:
    """What a thread cannot raise where it is seen."""

    error: Exception


@dataclass(slots=True)
class _Work(Generic[T, R]):
    """What the threads share: numbered items to work on, and what came of them."""

    work: Callable[[T], R]
    waiting: SimpleQueue[tuple[int, T] | None]
    done: SimpleQueue[tuple[int, R | _Fault]]

    def go_on(self) -> None:
        """Work until there is a None in place of an item."""
        while (numbered := self.waiting.get()) is not None:
            number, item = numbered
            self.done.put((number, self._result(item)))

    def _result(self, item: T) -> R | _Fault:
        try:
            return self.work(item)
        except Exception as error:  # noqa: BLE001 - raised by who waits for it
            return _Fault(error)


def in_order(
    work: Callable[[T], R], items: Iterable[T], *, width: int, window: int | None = None
) -> Generator[R]:
    """`work(item)` for each item, in the order of `items`, at most `width` at once.

    No more than `window` items (four times `width` unless given) are begun before the first of
    them is handed out, so that memory does not grow with their number. An exception is raised
    where its result would stand. Threads are daemons: who stops in the middle waits for nobody.
    """
    if width == 1:
        yield from map(work, items)
    else:
        yield from _at_once(work, iter(items), width, window or 4 * width)


def _at_once(work: Callable[[T], R], items: Iterator[T], width: int, window: int) -> Iterator[R]:
    shared = _Work(work, SimpleQueue(), SimpleQueue())
    results: dict[int, R | _Fault] = {}
    begun = given = 0
    try:
        while True:
            for item in islice(items, window - (begun - given)):
                shared.waiting.put((begun, item))
                begun += 1
                if begun <= width:
                    threading.Thread(target=shared.go_on, daemon=True).start()
            if begun == given:
                return
            number, result = _next(shared.done)
            results[number] = result
            while given in results:
                yield _unwrapped(results.pop(given))
                given += 1
    finally:
        _drain(shared.waiting)
        for _ in range(min(begun, width)):
            shared.waiting.put(None)


def _next(done: SimpleQueue[tuple[int, R | _Fault]]) -> tuple[int, R | _Fault]:
    while True:
        with suppress(Empty):
            return done.get(timeout=_POLL_SECONDS)


def _unwrapped(result: R | _Fault) -> R:
    if isinstance(result, _Fault):
        raise result.error
    return result


def _drain(waiting: SimpleQueue[tuple[int, T] | None]) -> None:
    with suppress(Empty):
        while True:
            waiting.get_nowait()
