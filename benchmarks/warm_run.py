"""What a warm run adds to pytest's own time: every verdict is stored, and no judge is asked.

    python benchmarks/warm_run.py [--traces 1000] [--runs 3] [--json]

A suite of distinct traces is run once to fill the cache, then by turns with the same tests
without their assertion. Printed is the median difference of whole processes, for each trace and
in all, once from the cache and once from a recording.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_SUITE = """
import sys
sys.path.insert(0, {benchmarks!r})
import pytest
from made_traces import traces
from pytest_trace import assert_support_above

TRACES = list(traces({count}))

@pytest.mark.parametrize("n", range({count}))
def test_trace(n):
    {body}
"""
_JUDGE = """
from pytest_trace import SentenceSupport, Verdict

class Judge:
    kind = "benchmark"
    version = "1"

    def judge(self, sentences):
        key = sentences.documents[0].key
        support = [SentenceSupport(s.key, True, (key,), None, "x" * 80) for s in sentences.response]
        return Verdict(relevant={key}, utilized={key}, support=support)
"""
_ASSERTION = "assert_support_above(TRACES[n], 0.5)"


def seconds(folder: Path, file: str, *arguments: str) -> float:
    """Wall seconds of one whole pytest process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "pytest_rag", "--rag-judge=judges:Judge"]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(folder)}
    start = time.perf_counter()
    subprocess.run(
        [*command, file, *arguments], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def write(folder: Path, count: int) -> None:
    """A suite with the assertion, the same without, and the judge."""
    here = str(Path(__file__).parent)
    for name, body in (("test_asserting.py", _ASSERTION), ("test_empty.py", "TRACES[n]")):
        text = _SUITE.format(benchmarks=here, count=count, body=body)
        (folder / name).write_text(text)
    (folder / "judges.py").write_text(_JUDGE)
    (folder / "pytest.ini").write_text("[pytest]\n")


def measure(folder: Path, runs: int, *arguments: str) -> float:
    """Median seconds that the assertions add, over pairs of runs."""
    pairs = [
        (seconds(folder, "test_asserting.py", *arguments), seconds(folder, "test_empty.py"))
        for _ in range(runs)
    ]
    return statistics.median(with_assertion - without for with_assertion, without in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--traces", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, options.traces)
        seconds(folder, "test_asserting.py", "--rag-record")
        results = {
            "cache": measure(folder, options.runs, "--rag-table=none"),
            "recording": measure(folder, options.runs, "--rag-table=none", "--rag-no-cache"),
        }
    if options.json:
        print(json.dumps({"traces": options.traces, "seconds_more": results}, indent=2))
        return 0
    for source, more in results.items():
        each = 1000 * more / options.traces
        print(f"{source:10} {more:.2f} s more for {options.traces} traces, {each:.2f} ms each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
