"""What processes of one run do in tests of its shared state."""

from __future__ import annotations

from pytest_trace.llm.client import Usage
from pytest_trace.store.run_state import RunState


def count_calls(folder, calls):
    """Begin and end so many calls of one token and a tenth of a cent."""
    state = RunState(folder, say=_fail)
    for _ in range(calls):
        state.begin_call()
        state.end_call(Usage(prompt_tokens=1), 0.001)


def _fail(message):
    raise AssertionError(message)
