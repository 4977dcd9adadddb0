"""Runs tests with their reports held back, and logs those in order as verdicts come in."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

import pytest
from _pytest.runner import runtestprotocol

from pytest_trace import running
from pytest_trace.plugin.current import DEFERRING
from pytest_trace.plugin.deferral.assertion import DeferringTest, Outcome, too_long
from pytest_trace.plugin.deferral.held import HeldTest
from pytest_trace.plugin.deferral.obstacles import find_worker, obstacle_in_items, reports_by_itself
from pytest_trace.plugin.deferral.pool import Pool
from pytest_trace.plugin.deferral.prefetch import Prefetch

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession

_TESTS_HELD: Final = 16
"""So many tests for each verdict that may be under way are held back, then the first is awaited."""

_GRACE_SECONDS: Final = 15.0
"""A judge that keeps its own time says better what went wrong."""


class Deferral:
    """The plugin of a run whose verdicts come in beside its tests."""

    def __init__(self, session: RagSession, running_session: running.RunningSession) -> None:
        options = session.options
        limit = options.timeout_seconds * options.votes + _GRACE_SECONDS
        self._session = session
        self._running_session = running_session
        self._worker = find_worker(session.config)
        self._pool: Pool[Outcome] = Pool(options.concurrency, limit, too_long)
        self._most_held = options.concurrency * _TESTS_HELD
        self._held: deque[HeldTest] = deque()
        self._running: HeldTest | None = None
        self._interrupted: HeldTest | None = None
        self._is_at_once = False
        self._is_over = False
        """Whether a test has ended the run that was logged: those after it are none of the run."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Some tests cannot share a run with verdicts that come in later."""
        if (obstacle := obstacle_in_items(session.items)) is not None:
            self._is_at_once = True
            self._session.add_notice(f"--rag-concurrency was not used: {obstacle}")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        self._start_prefetch(session)
        try:
            result = yield
        except KeyboardInterrupt:
            self._log_what_is_decided()
            self._log_interrupted()
            raise
        except BaseException:
            self._flush(is_waiting=True)
            self._log_interrupted()
            raise
        else:
            self._flush(is_waiting=True)
            return result
        finally:
            self._held.clear()
            self._pool.close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        if self._is_at_once:
            return None
        if reports_by_itself(item):
            self._flush(is_waiting=True)
            return None
        self._run(item, nextitem)
        self._flush(is_waiting=False)
        while len(self._held) > self._most_held:
            self._log_first()
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        held = self._running
        if held is None or held.item is not item:
            return report
        if call.when == "setup":
            held.reports = [report]
        elif call.when == "call":
            held.call = call
            held.sections = len(item._report_sections)  # noqa: SLF001 - as held.py needs it
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, nextitem: pytest.Item | None) -> None:
        """The fixtures of the session close now, and a judge may need one of them.

        A verdict may still end the run, and then they close with the test that it belongs to.
        """
        if nextitem is None and self._running is not None:
            with self._without_capture():
                self._flush(is_waiting=True)
            if not self._is_over:
                self._running.deferring.wait()

    def _run(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        deferring = DeferringTest(item, self._session, self._pool)
        held = HeldTest(item, deferring)
        item.stash[DEFERRING] = deferring
        self._running = held
        if self._is_announced_early():
            self._announce(held)
        try:
            held.reports = runtestprotocol(item, log=False, nextitem=nextitem)
        except BaseException:
            self._interrupted = held
            raise
        finally:
            self._running = None
        held.test = self._running_session.made_test
        held.index = self._worker.item_index if self._worker is not None else None
        if not self._is_over:
            self._held.append(held)

    def _is_announced_early(self) -> bool:
        """The first in the queue is what the run waits for; a worker may die with what it holds."""
        return not self._held or self._worker is not None

    def _flush(self, *, is_waiting: bool) -> None:
        """Log the tests that are decided, in order; with `is_waiting` all of them."""
        while self._held and (is_waiting or self._held[0].deferring.is_decided):
            self._log_first()

    def _log_first(self) -> None:
        self._held[0].deferring.wait()
        self._log(self._held.popleft())

    def _log(self, held: HeldTest) -> None:
        """Log a test; where that ends the run, those after it were never run in a run at once."""
        was_ending = _is_ending(held)
        try:
            self._log_reports(held, was_ending=was_ending)
        except BaseException:
            self._drop_others()
            raise
        if _is_ending(held) and not was_ending:
            self._drop_others()

    def _log_reports(self, held: HeldTest, *, was_ending: bool) -> None:
        item, hook = held.item, held.item.ihook
        with self._as_if_running(held):
            self._announce(held)
            for report in held.decided_reports():
                hook.pytest_runtest_logreport(report=report)
            last = held.last_report(is_ending=_is_ending(held) and not was_ending)
            hook.pytest_runtest_logreport(report=last)
            hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _announce(self, held: HeldTest) -> None:
        if not held.is_announced:
            held.is_announced = True
            held.item.ihook.pytest_runtest_logstart(
                nodeid=held.item.nodeid, location=held.item.location
            )

    def _drop_others(self) -> None:
        self._is_over = True
        self._held.clear()
        self._pool.close()

    def _log_interrupted(self) -> None:
        """Log what is known of the test in which the run was ended: that it was set up."""
        if (held := self._interrupted) is not None:
            self._announce(held)
            for report in held.reports:
                held.item.ihook.pytest_runtest_logreport(report=report)

    def _log_what_is_decided(self) -> None:
        for held in [*self._held]:
            if held.deferring.is_decided:
                self._log_reports(held, was_ending=True)

    def _without_capture(self) -> AbstractContextManager[object]:
        """What is logged while a test runs is no output of that test."""
        manager = self._session.config.pluginmanager.get_plugin("capturemanager")
        return nullcontext() if manager is None else manager.global_and_fixture_disabled()

    def _start_prefetch(self, session: pytest.Session) -> None:
        """A worker of xdist cannot know which of the tests it will be given."""
        is_asking = not (session.config.option.collectonly or self._session.options.offline)
        if is_asking and not self._is_at_once and self._worker is None:
            self._pool.work_ahead(Prefetch(session.items, self._session).step)

    @contextmanager
    def _as_if_running(self, held: HeldTest) -> Iterator[None]:
        """Have hooks find the test that is logged, in place of the one that has just run."""
        session, worker = self._running_session, self._worker
        test, session.made_test = session.made_test, held.test
        index = None if worker is None else worker.item_index
        if worker is not None:
            worker.item_index = held.index
        try:
            yield
        finally:
            session.made_test = test
            if worker is not None:
                worker.item_index = index


def _is_ending(held: HeldTest) -> bool:
    """Whether the session has been told to end."""
    return bool(held.item.session.shouldfail or held.item.session.shouldstop)
