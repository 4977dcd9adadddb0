"""`rag-trace score` by one process and by several: rows a second, their ratio, and memory.

    python benchmarks/score_processes.py [--rows 20000] [--processes 2] [--rounds 3]
    python benchmarks/score_processes.py --memory 10000 100000

The rows are those of `throughput.py`, with 3 documents of 120 words, as JSONL. Each round runs one
process and several after another, so that both meet the same machine; the whole command is timed,
with start-up and the survey of the file. The bytes that are written must be equal. `--memory` takes
numbers of rows and shows the peak memory (RSS) of the largest process for each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from made_traces import traces

_CODE = "import sys; from pytest_trace.cli.main import app; sys.argv[0] = 'rag-trace'; app()"


class Taken(NamedTuple):
    """What one run took."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    written: bytes


def write_rows(path: Path, count: int) -> Path:
    """A file with so many rows."""
    with path.open("w", encoding="ascii") as file:
        for number, trace in enumerate(traces(count)):
            documents = [document.text for document in trace.documents]
            row = trace.to_json() | {"id": f"row-{number}", "documents": documents}
            file.write(json.dumps(row) + "\n")
    return path


def score(rows: Path, processes: int, *, keep: bool = True) -> Taken:
    """Score a file by so many processes."""
    out = rows.with_name("scores.jsonl")
    begun = time.perf_counter()
    command = [sys.executable, "-c", _CODE, "score", str(rows), "--out", str(out)]
    child = subprocess.Popen([*command, "--processes", str(processes)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    assert child.returncode == 0, child.returncode
    written = out.read_bytes() if keep else b""
    for path in (out, out.with_name("scores.jsonl.run.json")):
        path.unlink()
    return Taken(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, written)


def ratio(options: argparse.Namespace, folder: Path) -> None:
    """Show what several processes gain."""
    rows = write_rows(folder / "rows.jsonl", options.rows)
    best = {1: float("inf"), options.processes: float("inf")}
    for number in range(options.rounds):
        taken = {count: score(rows, count) for count in best}
        one, several = taken[1], taken[options.processes]
        assert one.written == several.written, "the bytes differ"
        best = {count: min(best[count], taken[count].seconds) for count in best}
        print(
            f"round {number + 1}: 1 process {one.seconds:.1f} s ({one.cpu_seconds:.1f} s CPU), "
            f"{options.processes} processes {several.seconds:.1f} s "
            f"({several.cpu_seconds:.1f} s CPU), ratio {one.seconds / several.seconds:.2f}, "
            f"load {os.getloadavg()[0]:.1f}"
        )
    one, several = best[1], best[options.processes]
    print(
        f"best: {options.rows / one:,.0f} rows a second by 1 process, "
        f"{options.rows / several:,.0f} by {options.processes}, ratio {one / several:.2f}"
    )


def memory(options: argparse.Namespace, folder: Path) -> None:
    """Show how memory grows with the file."""
    for count in options.memory:
        rows = write_rows(folder / "rows.jsonl", count)
        taken = score(rows, options.processes, keep=False)
        print(
            f"{count:,} rows, {rows.stat().st_size / 2**20:,.0f} MiB: {taken.peak_mib:.0f} MiB in "
            f"the largest of {options.processes + 1} processes, {taken.seconds:.0f} s"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, nargs="+", metavar="ROWS")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (memory if options.memory else ratio)(options, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
