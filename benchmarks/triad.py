"""How many rows a second `rag-trace triad` scores, and how memory and time grow with the rows.

    python benchmarks/triad.py [--rows 10000 100000] [--processes N] [--json]

A row has 10 passages of 60 words, a generation of 24 words and two references; every query has a
judgement. The command runs as a user runs it, as a process of its own, start-up and writing
included. Memory is the sum of what its processes hold at once, the parent's shared pages counted in
each (Linux only).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from made_traces import sentence

COMMAND = "import sys; from pytest_trace.cli.main import app; sys.argv[0] = 'rag-trace'; app()"
POLL_SECONDS = 0.1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--processes", type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = [measure(count, options.processes) for count in options.rows]
    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    for result in results:
        print(
            f"{result['rows']:>9,} rows  {result['seconds']:6.1f} s  "
            f"{result['rows_per_second']:7,.0f} rows/s  {result['cpu_seconds']:6.1f} s of CPU  "
            f"{result['peak_megabytes']:6.0f} MB"
        )
    first, last = results[0], results[-1]
    if len(results) > 1:
        print(
            f"from {first['rows']:,} to {last['rows']:,} rows: "
            f"{last['rows'] / first['rows']:.1f} times the rows, "
            f"{last['seconds'] / first['seconds']:.1f} times the time, "
            f"{last['cpu_seconds'] / first['cpu_seconds']:.1f} times the CPU, "
            f"{last['peak_megabytes'] / first['peak_megabytes']:.1f} times the memory"
        )
    return 0


def measure(count: int, processes: int | None) -> dict[str, float]:
    """One run over so many rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder / "run.jsonl", folder / "qrels.tsv", count)
        chosen = [] if processes is None else ["--processes", str(processes)]
        arguments = [
            "--predictions",
            "run=run.jsonl",
            "--qrels",
            "qrels.tsv",
            "--output-dir",
            "out",
        ]
        start, cpu = time.perf_counter(), cpu_seconds()
        peak = peak_bytes([sys.executable, "-c", COMMAND, "triad", *arguments, *chosen], folder)
        seconds, cpu = time.perf_counter() - start, cpu_seconds() - cpu
        assert sum(1 for _ in (folder / "out/per_query_triad.jsonl").open("rb")) == count
    return {
        "rows": count,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "rows_per_second": round(count / seconds, 1),
        "peak_megabytes": round(peak / 1e6, 1),
    }


def cpu_seconds() -> float:
    """What processes of ours that have ended took, on a busy machine too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_rows(path: Path, qrels: Path, count: int) -> None:
    """Rows and judgements; the same ones each time."""
    rng = random.Random(7)
    sentences = [sentence(rng, 12) for _ in range(5000)]
    with path.open("w") as rows, qrels.open("w") as judged:
        for number in range(count):
            passages = [
                {
                    "id": f"p{number}-{rank}",
                    "text": " ".join(rng.choices(sentences, k=5)),
                    "score": 20 - rank,
                }
                for rank in range(10)
            ]
            row = {
                "query_id": f"q{number}",
                "query": f"What about the {rng.choice(sentences).lower()[:-1]}?",
                "passages": passages,
                "generation": " ".join(rng.choices(sentences, k=2)),
                "references": rng.choices(sentences, k=2),
                "metadata": {"source": "made"},
            }
            rows.write(json.dumps(row) + "\n")
            judged.write(f"q{number} 0 p{number}-{rng.randrange(20)} 1\n")


def peak_bytes(command: list[str], folder: Path) -> int:
    """The most that the processes of a command held at once."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(resident_bytes, tree(process.pid))))
        time.sleep(POLL_SECONDS)
    if process.returncode:
        sys.exit(f"the command ended with {process.returncode}")
    return peak


def tree(pid: int) -> list[int]:
    """A process and all that came of it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(found for child in children for found in tree(int(child)))]


def resident_bytes(pid: int) -> int:
    """What a process holds in memory; 0 once it has gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS")), 0)


if __name__ == "__main__":
    sys.exit(main())
