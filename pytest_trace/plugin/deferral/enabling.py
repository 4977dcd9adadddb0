"""Whether verdicts come in beside the tests of a run, and what takes care of that."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import pytest

from pytest_trace.plugin.deferral.obstacles import obstacle_in_run

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession
    from pytest_trace.running import RunningSession


def header(config: pytest.Config, concurrency: int) -> str:
    """What the report's header says of it."""
    obstacle = obstacle_in_run(config)
    if obstacle is None:
        return f"concurrency {concurrency}"
    return f"concurrency {concurrency} not used with {obstacle}"


def enable_deferral(
    config: pytest.Config, session: Callable[[], RagSession], running_session: RunningSession
) -> None:
    """Register what this process needs, once every plugin is there that could be in the way."""
    config.pluginmanager.register(_Enabling(session, running_session), "rag_deferral_enabling")


class _Enabling:
    def __init__(self, session: Callable[[], RagSession], running_session: RunningSession) -> None:
        self._session = session
        self._running_session = running_session

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> Generator[None, object, object]:
        config = session.config
        if obstacle_in_run(config) is None:
            if _is_controller_of_workers(config):
                from pytest_trace.plugin.deferral.crashes import StartedTests

                config.pluginmanager.register(StartedTests(), "rag_started_tests")
            else:
                from pytest_trace.plugin.deferral.protocol import Deferral

                deferral = Deferral(self._session(), self._running_session)
                config.pluginmanager.register(deferral, "rag_deferral")
        return (yield)


def _is_controller_of_workers(config: pytest.Config) -> bool:
    return config.pluginmanager.has_plugin("dsession")
