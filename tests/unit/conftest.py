"""Unit tests see no pytest session: what they evaluate joins no test's rows."""

from __future__ import annotations

import pytest

from pytest_trace import running


@pytest.fixture(autouse=True)
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_sessions", [])
