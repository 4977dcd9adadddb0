"""Calls of a judge, counted against the limits of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_trace.errors import hide_own_frames
from pytest_trace.judges.base import Judge, is_free
from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Verdict

if TYPE_CHECKING:
    from pytest_trace.store.run_state import RunState

__tracebackhide__ = hide_own_frames


def call_counted(
    judge: Judge,
    sentences: KeyedTrace,
    ask: Callable[[Judge, KeyedTrace], Verdict],
    state: Callable[[], RunState],
) -> Verdict:
    """The verdict by `ask`; the call is counted in `state`.

    A judge that is free costs nothing, and one with `is_metered` counts its requests itself. Raises
    `BudgetExceeded` where the run may make no further call.
    """
    if is_free(judge) or getattr(judge, "is_metered", False):
        return ask(judge, sentences)
    run = state()
    run.begin_call()
    try:
        return ask(judge, sentences)
    finally:
        run.end_call()
