"""What a warm run adds to pytest's own time: every verdict is stored, and no judge is asked.

    python benchmarks/warm_run.py [--traces 1000] [--runs 3] [--quick] [--json FILE]

A suite of distinct traces is run once to fill the cache and the recording, then by turns with the
same tests without their assertion. Told is the median difference of whole processes, for each trace
and in all, once from the cache and once from the recording.
"""

from __future__ import annotations

import statistics
import sys
from functools import partial

from judge_server import judge_server
from measuring import Run, Suite, suites
from results import Row, parser, report

_SOURCES = {"cache": (), "recording": ("--rag-no-cache",)}


def measure(run: Suite, source: str, traces: int, runs: int) -> Row:
    """Medians over pairs of runs, one with the assertions and one without."""
    pairs: list[tuple[Run, Run]] = []
    for _ in range(runs):
        asserting = run("test_asserting.py", traces, *_SOURCES[source])
        pairs.append((asserting, run("test_empty.py", traces)))
    more = statistics.median(whole.seconds - own.seconds for whole, own in pairs)
    return {
        "verdicts from": source,
        "traces": traces,
        "seconds": statistics.median(whole.seconds for whole, _ in pairs),
        "without assertions": statistics.median(own.seconds for _, own in pairs),
        "seconds more": more,
        "ms more a trace": 1000 * more / traces,
    }


def main() -> int:
    command_line = parser(__doc__)
    command_line.add_argument("--traces", type=int, default=1000)
    command_line.add_argument("--runs", type=int, default=3)
    options = command_line.parse_args()
    traces, runs = (50, 1) if options.quick else (options.traces, options.runs)
    with suites() as suite, judge_server(0.0) as server:
        run = partial(suite, judge=server)
        run("test_asserting.py", traces, "--rag-record", "--rag-concurrency=8")
        server.require_calls(traces)
        rows = [measure(run, source, traces, runs) for source in _SOURCES]
        server.require_calls(0)
    return report(options, rows)


if __name__ == "__main__":
    sys.exit(main())
