"""How far a run is: a bar with rate and time left for who watches, else a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from rich.progress import ProgressColumn, Task, TaskID
from rich.text import Text

from pytest_trace.cli.terminal import is_watched, progress_bar

_SECONDS_BETWEEN_LINES: Final = 60.0


class Meter:
    """What is told of each step; `done` of `total` are done before it begins."""

    def __init__(self, advance: Callable[[int], None], say: Callable[[str], None]) -> None:
        self.advance = advance
        self.say = say


class _Rate(ProgressColumn):
    """How many a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


@contextmanager
def meter(
    what: str, *, total: int | None, done: int, say: Callable[[str], None]
) -> Iterator[Meter]:
    """A meter for one stretch of work; `say` prints a line where there is no bar."""
    if not is_watched():
        yield _lines(what, total=total, done=done, say=say)
        return
    with progress_bar(_Rate()) as progress:
        task: TaskID = progress.add_task(what, total=total, completed=done)
        yield Meter(
            lambda count: progress.advance(task, count),
            lambda text: progress.update(task, description=text),
        )


def _lines(what: str, *, total: int | None, done: int, say: Callable[[str], None]) -> Meter:
    begun = told = time.monotonic()
    now_done = done

    def advance(count: int) -> None:
        nonlocal now_done, told
        now_done += count
        now = time.monotonic()
        if now - told >= _SECONDS_BETWEEN_LINES:
            told = now
            say(f"{what}: {pace(now_done, total, (now_done - done) / (now - begun))}")

    return Meter(advance, say)


def pace(done: int, total: int | None, rate: float) -> str:
    """`1,200 of 5,000, 80/s, 0:00:48 left`."""
    if total is None:
        return f"{done:,}, {rate:,.0f}/s"
    left = timedelta(seconds=round((total - done) / rate)) if rate else "unknown time"
    return f"{done:,} of {total:,}, {rate:,.1f}/s, {left} left"
