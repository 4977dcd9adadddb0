"""Whole pytest processes on suites of traces: their time, and the memory they took at most."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from judge_server import JudgeServer

HERE = Path(__file__).parent
_SUITE = """
import os
import sys
sys.path.insert(0, {benchmarks!r})
import pytest
from made_traces import trace
from pytest_trace import assert_support_above

@pytest.mark.parametrize("number", range(int(os.environ["TRACES"])))
def test_trace(number):
    made = trace(number)
    {body}
"""
_BODIES = {"test_asserting.py": "assert_support_above(made, 0.0)", "test_empty.py": "pass"}


@dataclass(frozen=True, slots=True)
class Run:
    """What a process took; CPU time is its own and that of processes it has waited for."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Suite:
    """A folder with a suite that asserts on each trace, and one that only makes them."""

    folder: Path

    def __call__(
        self, file: str, traces: int, *arguments: str, judge: JudgeServer | None = None
    ) -> Run:
        """Run one of them; the judge is `lexical` where no server is named."""
        plugins = ["-p", "pytest_rag", *(["-p", "xdist"] if "-n" in arguments else [])]
        env = {"TRACES": str(traces)}
        spec = "lexical"
        if judge is not None:
            env |= judge.environment
            spec = judge.spec
        return run_pytest(self.folder, *plugins, f"--rag-judge={spec}", file, *arguments, env=env)


@contextmanager
def suites() -> Iterator[Suite]:
    """A suite in a folder that is removed; what is not compiled yet has been compiled."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, body in _BODIES.items():
            text = _SUITE.format(benchmarks=str(HERE), body=body)
            (folder / file).write_text(text, encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        suite = Suite(folder)
        for file in _BODIES:
            suite(file, 1)
        yield suite


def run_pytest(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Run:
    """Run pytest without the plugins that happen to be installed; every test must pass.

    Compiled files are kept, as they are where people work, unless `env` says otherwise.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": ""}
    surroundings = {**os.environ, **own, **(env or {})}
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    with process.stdout as output:
        said = output.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{said[-3000:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit)
