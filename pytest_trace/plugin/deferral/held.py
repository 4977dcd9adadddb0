"""A test that has run and whose reports are held back until its verdicts are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Final

import pytest
from _pytest.runner import check_interactive_exception

from pytest_trace.plugin.current import DEFERRING, CurrentTest
from pytest_trace.plugin.deferral.assertion import DeferredAssertion, DeferringTest
from pytest_trace.plugin.reporting import put_evaluations

_LATER: Final = "rag: later in this test"


@dataclass(eq=False, slots=True)
class HeldTest:
    """An item, what deferred its assertions, and the reports as they would be without those."""

    item: pytest.Item
    deferring: DeferringTest
    is_announced: bool = False
    """Whether its start is logged already."""
    index: int | None = None
    """What a worker of xdist calls the item."""
    test: CurrentTest | None = None
    call: pytest.CallInfo[None] | None = None
    sections: int = 0
    """How many sections of output the item had when its call was reported."""
    reports: Sequence[pytest.TestReport] = field(default_factory=list)

    def decided_reports(self) -> Iterator[pytest.TestReport]:
        """The reports before that of the teardown, with the verdicts, which must be there."""
        failures = [
            (assertion, failure)
            for assertion in self.deferring.assertions
            if (failure := assertion.failure()) is not None
        ]
        for report in self.reports:
            if report.when == "call" and failures and self.call is not None:
                yield self._failed(self.call, failures)
            elif report.when != "teardown":
                yield report

    def last_report(self, *, is_ending: bool) -> pytest.TestReport:
        """The report of the teardown, with what was evaluated.

        In a run that ends here, the fixtures close that are still open: so they do in a run at
        once, where this is the last test.
        """
        report = self.reports[-1]
        if is_ending:
            report = self._closed()
        self._put_evaluations(report)
        return report

    def _closed(self) -> pytest.TestReport:
        session, capture = self.item.session, self.item.config.pluginmanager
        manager = capture.get_plugin("capturemanager")
        with manager.item_capture("teardown", self.item) if manager else nullcontext():
            call = pytest.CallInfo.from_call(
                lambda: session._setupstate.teardown_exact(None),  # noqa: SLF001 - as pytest ends
                when="teardown",
            )
        report: pytest.TestReport = self.item.ihook.pytest_runtest_makereport(
            item=self.item, call=call
        )
        return report if report.failed or self.reports[-1].passed else self.reports[-1]

    def _failed(
        self,
        call: pytest.CallInfo[None],
        failures: Sequence[tuple[DeferredAssertion, pytest.ExceptionInfo[BaseException]]],
    ) -> pytest.TestReport:
        """The report of the call, made anew as if the first failure had ended it."""
        failed = pytest.CallInfo[None](
            result=None,
            excinfo=failures[0][1],
            start=call.start,
            stop=call.stop,
            duration=call.duration,
            when="call",
            _ispytest=True,
        )
        hook = self.item.ihook
        with self._sections_of_call():
            made: pytest.TestReport = hook.pytest_runtest_makereport(item=self.item, call=failed)
        made.sections += [
            (_LATER, f"{assertion.where}: {failure.exconly()}")
            for assertion, failure in failures[1:]
        ]
        if call.excinfo is not None:
            made.sections.append((_LATER, call.excinfo.exconly()))
        if check_interactive_exception(failed, made):
            hook.pytest_exception_interact(node=self.item, call=failed, report=made)
        return made

    @contextmanager
    def _sections_of_call(self) -> Iterator[None]:
        """Hide the output of the teardown, which a report of the call has never seen."""
        sections = self.item._report_sections  # noqa: SLF001 - nothing public tells them apart
        self.item._report_sections = sections[: self.sections]  # noqa: SLF001
        try:
            yield
        finally:
            self.item._report_sections = sections  # noqa: SLF001

    def _put_evaluations(self, report: pytest.TestReport) -> None:
        """Let the evaluations travel as in a run at once: none after the first failure."""
        if self.test is None:
            return
        for assertion in self.deferring.assertions:
            outcome = assertion.future.result()
            if outcome.evaluation is not None:
                self.test.add(outcome.evaluation, assertion.place)
            if outcome.error is not None:
                self.test.forget_from(assertion.place + 1)
                break
        del self.item.stash[DEFERRING]
        put_evaluations(report, self.test)
