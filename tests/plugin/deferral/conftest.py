"""Runs whose verdicts come in beside the tests, and what such a run reported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import pytest_trace.plugin.deferral.crashes
import pytest_trace.plugin.deferral.protocol  # noqa: F401 - once, and not by every inner run

RECORDER = '''
import json

class Recorder:
    """Writes down every report that is logged, and when tests begin and end."""

    def __init__(self, path):
        self.path = path
        self.lines = []

    def pytest_runtest_logstart(self, nodeid):
        self.lines.append(["start", nodeid])

    def pytest_runtest_logreport(self, report):
        sections = [s for s in report.sections if s[0] != "rag: later in this test"]
        wasxfail = getattr(report, "wasxfail", None)
        outcome = [report.when, report.outcome, wasxfail, report.longreprtext, sections]
        self.lines.append(["report", report.nodeid, *outcome, report.user_properties])

    def pytest_runtest_logfinish(self, nodeid):
        self.lines.append(["finish", nodeid])

    def pytest_sessionfinish(self):
        self.path.write_text(json.dumps(self.lines))

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(config.rootpath / "log.json"))
'''
_VARYING = re.compile(r"0x[0-9a-f]+|\bgw\d\b")


@pytest.fixture
def slow(project: pytest.Pytester) -> pytest.Pytester:
    """A project whose judge takes a moment; each run writes down what it logs."""
    project.makeini("[pytest]\nrag_judge = fakes:SlowJudge\npythonpath = .\nrag_no_cache = true\n")
    project.makeconftest(RECORDER)
    return project


@pytest.fixture
def logged(slow: pytest.Pytester) -> Callable[..., list[Any]]:
    """Run the project, and give what it logged, without addresses and names of workers."""

    def logged(*arguments: str) -> list[Any]:
        slow.runpytest(*arguments)
        text = (slow.path / "log.json").read_text()
        return list(json.loads(_VARYING.sub("", text)))

    return logged


def outcomes(lines: list[Any]) -> dict[str, str]:
    """How each test of a log ended, by its name; "error" is one of setup or teardown."""
    found: dict[str, str] = {}
    for kind, nodeid, *rest in lines:
        if kind == "report":
            name = nodeid.rpartition("::")[2]
            when, outcome, wasxfail = rest[:3]
            if when == "call" or outcome != "passed":
                outcome = "error" if when in {"setup", "teardown"} else outcome
                found[name] = f"x{outcome}" if wasxfail is not None else outcome
    return found
