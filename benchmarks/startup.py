"""What the plugin costs a project that merely has it installed.

    python benchmarks/startup.py [--runs 20] [--quick] [--json FILE]

Runs pytest on one trivial test, by turns with this plugin and without any, and prints the median
of the pairs' differences in CPU time (user + system) and the median ratio of the whole processes'
wall time: once with compiled bytecode on disk, once without any for this package.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from measuring import run_pytest
from results import Limit, Row, parser, report

import pytest_trace

LIMIT_MILLISECONDS = 15.0
_PACKAGE = Path(pytest_trace.__file__).parent
_LOADED = ("-p", "pytest_trace.plugin.hooks")  # by its entry point all packages are scanned


def drop_bytecode() -> None:
    """Remove the compiled files of this package, so that the next import compiles it."""
    for cache in _PACKAGE.rglob("__pycache__"):
        shutil.rmtree(cache, ignore_errors=True)


def measure(folder: Path, runs: int, *, bytecode: bool) -> Row:
    """Medians over `runs` pairs, one with the plugin and one without, in alternating order."""
    env = {} if bytecode else {"PYTHONDONTWRITEBYTECODE": "1"}
    pairs = []
    for number in range(-2, runs):  # the first two warm the disk and the bytecode
        if not bytecode:
            drop_bytecode()
        orders = [_LOADED, ()] if number % 2 == 0 else [(), _LOADED]
        took = {arguments: run_pytest(folder, *arguments, env=env) for arguments in orders}
        if number >= 0:
            pairs.append((took[_LOADED], took[()]))
    return {
        "bytecode": "on disk" if bytecode else "none",
        "CPU ms more": statistics.median(
            1000 * (loaded.cpu_seconds - without.cpu_seconds) for loaded, without in pairs
        ),
        "CPU ms without": statistics.median(1000 * without.cpu_seconds for _, without in pairs),
        "wall ratio": statistics.median(
            loaded.seconds / without.seconds for loaded, without in pairs
        ),
    }


def main() -> int:
    command_line = parser(__doc__)
    command_line.add_argument("--runs", type=int, default=20)
    options = command_line.parse_args()
    runs = 3 if options.quick else options.runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_trivial.py").write_text("def test_it():\n    pass\n")
        rows = [measure(folder, runs, bytecode=bytecode) for bytecode in (True, False)]
    worst = max(row["CPU ms more"] for row in rows)
    return report(options, rows, [Limit("CPU milliseconds more", worst, LIMIT_MILLISECONDS)])


if __name__ == "__main__":
    sys.exit(main())
