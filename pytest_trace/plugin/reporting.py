"""Evaluations on their way: from the running test to its report, the ledger, the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_trace.errors import JudgeError
from pytest_trace.evaluation import Evaluation
from pytest_trace.plugin.session import RagSession
from pytest_trace.report.junit import properties
from pytest_trace.report.ledger import Ledger
from pytest_trace.report.table import Line, Screen, score_table, summary_lines

_MARKUP = {"plain": {}, "bad": {"red": True}, "strong": {"bold": True}}


def complete_report(report: pytest.TestReport, call: pytest.CallInfo[None], test: Any) -> None:
    """Put what `test` evaluated on the report, and make an error of a judge that failed.

    Evaluations go on the report of the teardown alone, which comes once for each run of a test
    and not for subtests; a rerun does not log that of a failed attempt. Calls go on any report.
    """
    if test is not None:
        if report.when == "teardown" and (evaluations := test.take_evaluations()):
            vars(report)["rag_evaluations"] = evaluations
        if calls := test.take_calls():
            vars(report)["rag_calls"] = calls
    error = _judge_error(report, call, test)
    if error is not None and call.excinfo is not None:
        hides_error = isinstance(call.excinfo.value, pytest.xfail.Exception)
        _make_error(report, error, hides_error=hides_error)


def _judge_error(
    report: pytest.TestReport, call: pytest.CallInfo[None], test: Any
) -> JudgeError | None:
    if call.excinfo is None:
        return None
    for error in _chain(call.excinfo.value):
        if isinstance(error, JudgeError):
            return error
    if isinstance(call.excinfo.value, pytest.xfail.Exception) and hasattr(report, "wasxfail"):
        # unittest.expectedFailure hides the exception behind an xfail
        met: JudgeError | None = getattr(test, "judge_error", None)
        return met
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


def take_report(report: pytest.TestReport, ledger: Ledger) -> None:
    """Move what travelled on a report into the ledger, and leave five JUnit properties."""
    values = vars(report)
    ledger.add_calls(values.pop("rag_calls", {}))
    if (evaluations := values.pop("rag_evaluations", None)) is not None:
        rows = ledger.add(report.nodeid, (Evaluation.loads(line) for line in evaluations))
        report.user_properties += properties(rows)
    if (message := values.get("rag_judge_error")) is not None:
        ledger.add_fault(report.nodeid, message)


def write_summary(reporter: pytest.TerminalReporter, session: RagSession) -> None:
    """The section of the terminal summary; none where no table is wanted and nothing is wrong."""
    ledger, choice = session.ledger, session.options.table
    if choice == "none" and not ledger.faults:
        return
    rows = ledger.rows
    writer = reporter._tw  # noqa: SLF001 - the reporter's own way to colour and measure
    encoding = getattr(getattr(writer, "_file", None), "encoding", None) or "utf-8"
    screen = Screen(max(40, writer.fullwidth - 1), encoding)
    lines = score_table(rows, choice, screen)
    lines += summary_lines(rows, ledger.calls, ledger.faults, screen, session.known_recall())
    reporter.write_sep("=", "rag: TRACe scores")
    for line in lines:
        _write(reporter, line)


def _write(reporter: pytest.TerminalReporter, line: Line) -> None:
    reporter.write_line(line.text, **_MARKUP[line.style])
