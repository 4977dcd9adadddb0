"""A test that has run and whose reports are held back until its verdicts are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    is_announced: bool
    """Whether its start is logged already."""
    index: int | None = None
    """What a worker of xdist calls the item."""
    test: CurrentTest | None = None
    call: pytest.CallInfo[None] | None = None
    sections: int = 0
    """How many sections of output the item had when its call was reported."""
    reports: Sequence[pytest.TestReport] = field(default_factory=list)

    def decided_reports(self) -> Sequence[pytest.TestReport]:
        """The reports with the verdicts in them, which must be there."""
        failures = [
            (assertion, failure)
            for assertion in self.deferring.assertions
            if (failure := assertion.failure()) is not None
        ]
        reports = [*self.reports]
        if failures and self.call is not None:
            index = next(i for i, report in enumerate(reports) if report.when == "call")
            reports[index] = self._failed(self.call, failures)
        self._put_evaluations(reports[-1], failures[0][0] if failures else None)
        return reports

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

    def _put_evaluations(
        self, report: pytest.TestReport, first_failed: DeferredAssertion | None
    ) -> None:
        """Let the evaluations travel as in a run at once: none after the first failure."""
        if self.test is None:
            return
        for assertion in self.deferring.assertions:
            if (evaluation := assertion.future.result().evaluation) is not None:
                self.test.add(evaluation, assertion.place)
            if assertion is first_failed:
                self.test.forget_from(assertion.place + 1)
                break
        del self.item.stash[DEFERRING]
        put_evaluations(report, self.test)
