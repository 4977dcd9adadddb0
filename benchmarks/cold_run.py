"""A run whose verdicts are all asked for: how near it comes to the time that the judge needs.

    python benchmarks/cold_run.py [--latency 0.3] [--runs 3] [--quick] [--json FILE]

A suite of distinct traces is judged by a server that answers each request after a fixed time, with
an empty cache, for several numbers of verdicts under way (`--rag-concurrency`) and of workers
(`-n`). The same suite without its assertion is run by turns: its time is pytest's own. `over ideal`
is what the assertions add, over the ideal of traces * latency / verdicts under way in all.
"""

from __future__ import annotations

import statistics
import sys
from functools import partial

from judge_server import JudgeServer, judge_server
from measuring import Run, Suite, suites
from results import Limit, Row, parser, report

Spec = tuple[int, int, int]
SPECS: tuple[Spec, ...] = (  # traces, workers, verdicts under way in each
    *((100, 1, each) for each in (1, 8, 16, 32)),
    *((1000, 1, each) for each in (1, 8, 32)),
    *((traces, 2, each) for traces in (100, 1000) for each in (1, 8)),
)
QUICK_SPECS: tuple[Spec, ...] = ((20, 1, 1), (20, 1, 8), (20, 2, 8))
LIMITS = {(100, 1, 16): 1.35, (1000, 1, 32): 1.3}


def measure(suite: Suite, server: JudgeServer, spec: Spec, latency: float, runs: int) -> Row:
    """Medians over pairs of runs, one with the assertions and one without."""
    traces, workers, concurrency = spec
    several = ["-n", str(workers)] if workers > 1 else []
    run = partial(suite, judge=server)
    pairs: list[tuple[Run, Run]] = []
    busy = 0.0
    for number in range(runs):
        cold = f"--rag-cache-dir=cache-{traces}-{workers}-{concurrency}-{number}"
        concurrent = f"--rag-concurrency={concurrency}"
        asserting = run("test_asserting.py", traces, *several, concurrent, cold)
        counts = server.require_calls(traces)
        busy = max(busy, 100 * counts.cpu_seconds / asserting.seconds)
        pairs.append((asserting, run("test_empty.py", traces, *several)))
    ideal = traces * latency / (workers * concurrency)
    return {
        "traces": traces,
        "workers": workers,
        "under way in each": concurrency,
        "seconds": statistics.median(whole.seconds for whole, _ in pairs),
        "without assertions": statistics.median(own.seconds for _, own in pairs),
        "ideal": ideal,
        "over ideal": statistics.median(
            (whole.seconds - own.seconds) / ideal for whole, own in pairs
        ),
        "CPU ms more a trace": statistics.median(
            1000 * (whole.cpu_seconds - own.cpu_seconds) / traces for whole, own in pairs
        ),
        "at once": counts.most_at_once,
        "server busy %": busy,
    }


def main() -> int:
    command_line = parser(__doc__)
    command_line.add_argument("--latency", type=float, default=0.3, help="seconds for an answer")
    command_line.add_argument(
        "--runs", type=int, default=3, help="pairs for 100 traces; 1 for more"
    )
    options = command_line.parse_args()
    rows, limits = [], []
    with suites() as suite, judge_server(options.latency) as server:
        for spec in QUICK_SPECS if options.quick else SPECS:
            runs = 1 if options.quick or spec[0] > 100 else options.runs
            rows.append(measure(suite, server, spec, options.latency, runs))
            if spec in LIMITS:
                what = f"{spec[0]} traces, {spec[2]} verdicts under way: over ideal"
                limits.append(Limit(what, rows[-1]["over ideal"], LIMITS[spec]))
    return report(options, rows, limits)


if __name__ == "__main__":
    sys.exit(main())
