"""Running a coroutine that waits in its thread, and not on a loop."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from pytest_trace.errors import hide_own_frames

__tracebackhide__ = hide_own_frames

T = TypeVar("T")


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns or raises.

    Whatever it awaits must block in place of suspending: then code that is written once, as
    coroutines, serves threads as well as event loops.
    """
    try:
        coroutine.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    finally:
        coroutine.close()
    raise RuntimeError("the coroutine waits for an event loop, and none runs it")
