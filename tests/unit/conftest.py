"""Unit tests see no pytest session: what they evaluate joins no test's rows."""

from __future__ import annotations

import pytest
from hypothesis import settings

from pytest_trace import running

# No deadline: a busy machine is no fault of the code. Half the usual examples: traces are large.
settings.register_profile("unit", max_examples=50, deadline=None)
settings.load_profile("unit")


@pytest.fixture(autouse=True)
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_sessions", [])
