"""What the plugin costs a project that merely has it installed.

    python benchmarks/startup.py [--runs 20] [--json]

Runs pytest on one trivial test, by turns with this plugin and without any, and prints the median
of the pairs' differences in CPU time (user + system) and the median ratio of the whole processes'
wall time: once with compiled bytecode on disk, once without any for this package.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pytest_trace

LIMIT_MILLISECONDS = 15.0
_PACKAGE = Path(pytest_trace.__file__).parent


def run_pytest(folder: Path, *arguments: str, env: Mapping[str, str]) -> tuple[float, float]:
    """CPU and wall seconds of one whole pytest process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime), wall


def drop_bytecode() -> None:
    """Remove the compiled files of this package, so that the next import compiles it."""
    for cache in _PACKAGE.rglob("__pycache__"):
        shutil.rmtree(cache, ignore_errors=True)


def measure(folder: Path, runs: int, *, bytecode: bool) -> dict[str, float]:
    """Medians over `runs` pairs, one with the plugin and one without, in alternating order."""
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    if not bytecode:
        env["PYTHONDONTWRITEBYTECODE"] = "1"
    pairs = []
    for number in range(-2, runs):  # the first two warm the disk and the bytecode
        if not bytecode:
            drop_bytecode()
        first = [run_pytest(folder, *arguments, env=env) for arguments in order(number)]
        loaded, without = first if number % 2 == 0 else first[::-1]
        if number >= 0:
            pairs.append((loaded, without))
    return {
        "cpu_milliseconds_more": statistics.median(1000 * (a[0] - b[0]) for a, b in pairs),
        "cpu_milliseconds_without": statistics.median(1000 * b[0] for _, b in pairs),
        "wall_ratio": statistics.median(a[1] / b[1] for a, b in pairs),
    }


def order(number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The arguments of a pair's two runs: with the plugin first in even pairs, last in odd ones."""
    loaded = ("-p", "pytest_trace.plugin.hooks")  # by its entry point all packages are scanned
    without: tuple[str, ...] = ()
    return (loaded, without) if number % 2 == 0 else (without, loaded)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_trivial.py").write_text("def test_it():\n    pass\n")
        results = {
            "with bytecode": measure(folder, options.runs, bytecode=True),
            "without bytecode": measure(folder, options.runs, bytecode=False),
        }
    if options.json:
        print(json.dumps(results, indent=2))
    for name, result in results.items() if not options.json else ():
        print(
            f"{name:17} {result['cpu_milliseconds_more']:6.1f} ms CPU more than "
            f"{result['cpu_milliseconds_without']:.0f} ms, wall {result['wall_ratio']:.3f} times"
        )
    worst = max(result["cpu_milliseconds_more"] for result in results.values())
    return 0 if worst < LIMIT_MILLISECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
