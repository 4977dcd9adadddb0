"""The one global of the package: the pytest sessions that run in this process, innermost last.

The plugin pushes a session when it is configured and pops it when it is unconfigured; in
between it names the test that runs. A plain stack, not a context variable: pytest runs one test
at a time, and an assertion must find it from any thread and any event loop.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any


class RunningSession:
    """One pytest session of this process and the test it runs now, which is made when asked for."""

    __slots__ = ("_lock", "_make", "made_test")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._make: Callable[[], Any] | None = None
        self.made_test: Any = None
        """The running test if anything has asked for it."""

    def start(self, make: Callable[[], Any]) -> None:
        """A test begins; `make` gives it to the first who asks."""
        self._make, self.made_test = make, None

    def stop(self) -> None:
        """The test has ended."""
        self._make = self.made_test = None

    @property
    def test(self) -> Any:
        """The running test; None between tests."""
        with self._lock:
            if self.made_test is None and self._make is not None:
                self.made_test = self._make()
            return self.made_test


_sessions: list[RunningSession] = []


def push(session: RunningSession) -> None:
    """Make `session` the innermost one."""
    _sessions.append(session)


def pop(session: RunningSession) -> None:
    """Take `session` off, wherever it stands: an aborted inner session must not stay."""
    if session in _sessions:
        _sessions.remove(session)


def is_pytest_running() -> bool:
    """Whether this process, or the test that started it, belongs to a pytest run."""
    return bool(_sessions) or "PYTEST_CURRENT_TEST" in os.environ


def current_test() -> Any:
    """The test that the innermost session runs now; None between tests and outside pytest."""
    return _sessions[-1].test if _sessions else None
