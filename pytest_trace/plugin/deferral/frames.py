"""Where an assertion stands: whether its failure could be caught there, and its traceback."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, Final

import pytest

_PACKAGE: Final = "pytest_trace"
_IN_COROUTINES: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True, slots=True)
class Place:
    """A frame and where it stood when an assertion was called."""

    frame: FrameType
    instruction: int
    line: int


def places_of_call(item: pytest.Item) -> Sequence[Place] | None:
    """Where the test stands now, innermost first, from the caller of ours to the test function.

    None where a failure may not be raised later: something between might catch it (`try`,
    `with`, a decorator), or the call does not come from the test function at all.
    """
    end = _code_of_test(item)
    if end is None:
        return None
    places = []
    for frame in _callers():
        if _is_in_try(frame):
            return None
        places.append(Place(frame, frame.f_lasti, frame.f_lineno))
        if frame.f_code is end:
            return places
    return None


def traceback_of(places: Sequence[Place], traceback: TracebackType | None) -> TracebackType | None:
    """The traceback of an exception that had gone through there; `traceback` is what it has."""
    for place in places:
        traceback = TracebackType(traceback, place.frame, place.instruction, place.line)
    return traceback


def _callers() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the documented way to the caller
    while frame is not None:
        if f"{frame.f_globals.get('__name__')}.".partition(".")[0] != _PACKAGE:
            yield frame
        frame = frame.f_back


def _code_of_test(item: pytest.Item) -> CodeType | None:
    """The code of the outermost function of a test that may catch what is raised in it.

    Of a coroutine function that is the function itself: what runs it stands around it.
    """
    functions = [*_unwrapped(getattr(item, "obj", None))]
    if any(hasattr(function, "hypothesis") for function in functions):
        return None  # it runs the test again and again, and looks at each failure
    outermost = next(filter(inspect.iscoroutinefunction, functions), None)
    if outermost is None and functions:
        outermost = functions[0]
    return outermost.__code__ if isinstance(outermost, FunctionType) else None


def _unwrapped(function: Any) -> Iterator[Any]:
    while function is not None:
        yield getattr(function, "__func__", function)
        function = getattr(function, "__wrapped__", None)


def _is_in_try(frame: FrameType) -> bool:
    position = frame.f_lasti
    return any(start <= position < end for start, end in _ranges_of_handlers(frame.f_code))


@lru_cache(maxsize=1024)
def _ranges_of_handlers(code: CodeType) -> Sequence[tuple[int, int]]:
    """The instructions of a code that stand in a `try` or `with`.

    A coroutine has a handler of its own around its whole body, for StopIteration.
    """
    is_coroutine = bool(code.co_flags & _IN_COROUTINES)
    return tuple(
        (entry.start, entry.end)
        for entry in dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
        if not (is_coroutine and entry.depth == 0 and entry.lasti)
    )
