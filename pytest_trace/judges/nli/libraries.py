"""Libraries of the extra `nli`: what is said where one is missing or broken."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_trace.errors import JudgeUnavailable, hide_own_frames

__tracebackhide__ = hide_own_frames

_INSTALL = 'pip install "pytest-rag-trace[nli]"'


@contextmanager
def imported_quietly() -> Iterator[None]:
    """Around imports: their warnings are nothing that a test run can change or should fail by.

    Raises `JudgeUnavailable` that says what is missing, or why it cannot be used.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except ModuleNotFoundError as error:
            raise JudgeUnavailable(
                f"the judge nli needs {error.name}, which is not installed: {_INSTALL}"
            ) from None
        except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
            raise JudgeUnavailable(
                f"the judge nli cannot use its libraries: {first_line(error)}; "
                f"install them anew: {_INSTALL}"
            ) from None


def first_line(error: Exception) -> str:
    """An error of a library in one line: its kind, and how its message begins."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
