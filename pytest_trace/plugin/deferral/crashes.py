"""Tests that a worker of xdist held back when it died: the controller reports them as failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest


class StartedTests:
    """Keeps what the workers have started and not reported, and says at the end what is missing.

    At the end, since only then every worker that lives has reported all it held.
    """

    def __init__(self) -> None:
        self._started: Counter[str] = Counter()
        self._locations: dict[str, tuple[str, int | None, str]] = {}
        self._dead: list[str] = []

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._started[nodeid] += 1
        self._locations[nodeid] = location

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when not in {"setup", "call"}:  # the last of a test, or that of a crash
            self._started[report.nodeid] -= 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        if error is not None:
            self._dead.append(node.gateway.id)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        result = yield
        if self._dead:
            for nodeid in [name for name, count in self._started.items() if count > 0]:
                session.config.hook.pytest_runtest_logreport(report=self._lost(nodeid))
        return result

    def _lost(self, nodeid: str) -> pytest.TestReport:
        return pytest.TestReport(
            nodeid=nodeid,
            location=self._locations[nodeid],
            keywords={},
            outcome="failed",
            longrepr=(
                f"worker {', '.join(map(repr, self._dead))} crashed while the verdict on "
                f"{nodeid!r} was under way"
            ),
            when="call",
        )
