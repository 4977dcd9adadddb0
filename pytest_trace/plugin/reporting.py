"""Evaluations on their way: from the running test to its report, the ledger, the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pytest_trace.errors import JudgeError
from pytest_trace.evaluation import Evaluation
from pytest_trace.plugin.session import RagSession
from pytest_trace.report.junit import properties
from pytest_trace.report.screen import Line, Screen
from pytest_trace.report.summary import (
    fault_lines,
    judge_lines,
    mix_lines,
    notice_lines,
    skip_lines,
    usage_lines,
)
from pytest_trace.report.table import score_table

if TYPE_CHECKING:
    from pytest_trace.plugin.current import CurrentTest

_MARKUP = {"plain": {}, "bad": {"red": True}, "strong": {"bold": True}}
_NARROWEST = 40


def complete_report(
    report: pytest.TestReport, call: pytest.CallInfo[None], test: CurrentTest | None
) -> None:
    """Put what the test evaluated on its report, and make an error of a judge that failed.

    Evaluations go on the report of the teardown alone, which comes once for each run of a test
    and not for subtests; a rerun does not log that of a failed attempt. Where verdicts came from
    goes on any report. A test that is held back is given its evaluations when it is let go.
    """
    if test is not None and not test.is_held_back:
        _put(report, "rag_sources", test.take_sources())
        if report.when == "teardown":
            put_evaluations(report, test)
    error = _judge_error(report, call, test)
    if error is not None and call.excinfo is not None:
        hides_error = isinstance(call.excinfo.value, pytest.xfail.Exception)
        _make_error(report, error, hides_error=hides_error)


def put_evaluations(report: pytest.TestReport, test: CurrentTest) -> None:
    """Let what a test evaluated, and what goes with it, travel on its last report."""
    _put(report, "rag_sources", test.take_sources())
    _put(report, "rag_evaluations", test.take_evaluations())
    _put(report, "rag_used", test.take_used())
    _put(report, "rag_notices", test.take_notices())
    _put(report, "rag_missing_key", test.has_missing_key)


def _put(report: pytest.TestReport, name: str, value: object) -> None:
    if value:
        vars(report)[name] = value


def _judge_error(
    report: pytest.TestReport, call: pytest.CallInfo[None], test: CurrentTest | None
) -> JudgeError | None:
    if call.excinfo is None:
        return None
    for error in _chain(call.excinfo.value):
        if isinstance(error, JudgeError):
            return error
    if isinstance(call.excinfo.value, pytest.xfail.Exception) and hasattr(report, "wasxfail"):
        # unittest.expectedFailure hides the exception behind an xfail
        return None if test is None else test.judge_error
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, what it groups, and what it was raised from or while handling."""
    seen: set[int] = set()
    queue = [error]
    while queue:
        error = queue.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        yield error
        if isinstance(error, BaseExceptionGroup):
            queue += error.exceptions
        queue += [error.__cause__, None if error.__suppress_context__ else error.__context__]


def _make_error(report: pytest.TestReport, error: JudgeError, *, hides_error: bool) -> None:
    """An error, whatever the test expected: a judge that could not decide is no failure."""
    report.outcome = "failed"
    if hides_error:  # what stands there shows the xfail, not what went wrong
        report.longrepr = str(error)
    vars(report).pop("wasxfail", None)
    message = str(error).splitlines()[0]
    vars(report)["rag_judge_error"] = message.encode("ascii", "backslashreplace").decode()


def take_report(report: pytest.TestReport, session: RagSession) -> None:
    """Move what travelled on a report into the ledger, and leave five JUnit properties."""
    ledger, values = session.ledger, vars(report)
    if report.when == "setup":
        ledger.forget_fault(report.nodeid)  # of an earlier attempt
    ledger.add_sources(values.pop("rag_sources", {}))
    ledger.add_notices(values.pop("rag_notices", ()))
    if (lines := values.pop("rag_evaluations", None)) is not None:
        rows = ledger.add(report.nodeid, (Evaluation.loads(line) for line in lines))
        report.user_properties += properties(rows)
    if values.pop("rag_missing_key", False):
        ledger.skipped_without_key.add(report.nodeid)
    if (message := values.get("rag_judge_error")) is not None:
        ledger.add_fault(report.nodeid, message)
    if session.options.record:
        session.recorder().take(report, values.pop("rag_used", ()))


def write_summary(reporter: pytest.TerminalReporter, session: RagSession) -> None:
    """The section of the terminal summary; where no table is wanted only what is wrong."""
    ledger, choice = session.ledger, session.options.table
    writer = reporter._tw  # noqa: SLF001 - the reporter's own way to colour and measure
    encoding = getattr(getattr(writer, "_file", None), "encoding", None) or "utf-8"
    screen = Screen(max(_NARROWEST, writer.fullwidth - 1), encoding)
    lines = score_table(ledger.rows, choice, screen)
    if choice != "none":
        lines += judge_lines(ledger.rows, ledger.sources, screen, session.judge_remarks())
        lines += mix_lines(ledger.rows, screen)
        lines += usage_lines(session.totals(), screen)
    lines += fault_lines(ledger.faults, screen)
    lines += skip_lines(len(ledger.skipped_without_key), screen)
    lines += notice_lines([*ledger.notices], screen)
    if lines:
        reporter.write_sep("=", "rag: TRACe scores")
    for line in lines:
        _write(reporter, line)


def _write(reporter: pytest.TerminalReporter, line: Line) -> None:
    reporter.write_line(line.text, **_MARKUP[line.style])
