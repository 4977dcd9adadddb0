"""Memory and time as a suite grows: both must grow with its traces, and with nothing else.

    python benchmarks/memory.py [--runs 5] [--quick] [--json FILE]

Suites of 100 and of 10,000 distinct traces are run, with the judge `lexical` and with a server that
answers at once, 8 verdicts under way; and by turns the same suites without their assertion, and
with one trace. `peak MB more` is the peak of resident memory over that of a suite of 100 traces;
`of ours` is the part of it that the suite without assertions does not have. `CPU ms a trace` is
what the assertions add to the processor's time, for each trace after the first.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass
from functools import partial

from judge_server import JudgeServer, judge_server
from measuring import Suite, suites
from results import Limit, Row, parser, report

MOST_MEGABYTES = 100.0
MOST_GROWTH = 1.2
_FEW, _MANY = 100, 10_000
_MEGA = 1e6


@dataclass(frozen=True, slots=True)
class Figures:
    """Of a suite with its assertions and without them, medians over some runs."""

    cpu_seconds: float
    own_cpu_seconds: float
    peak_bytes: float
    own_peak_bytes: float

    @property
    def added_cpu_seconds(self) -> float:
        """What the assertions add."""
        return self.cpu_seconds - self.own_cpu_seconds


def measure(run: Suite, traces: int, runs: int, arguments: tuple[str, ...]) -> Figures:
    """Run a suite by turns with its assertions and without."""
    pairs = []
    for number in range(runs):
        cold = f"--rag-cache-dir=cache-{traces}-{number}"
        asserting = run("test_asserting.py", traces, *arguments, cold)
        pairs.append((asserting, run("test_empty.py", traces)))
    return Figures(
        statistics.median(whole.cpu_seconds for whole, _ in pairs),
        statistics.median(own.cpu_seconds for _, own in pairs),
        statistics.median(whole.peak_bytes for whole, _ in pairs),
        statistics.median(own.peak_bytes for _, own in pairs),
    )


def grow(
    suite: Suite, server: JudgeServer | None, sizes: tuple[int, int], runs: int
) -> tuple[list[Row], list[Limit]]:
    """The rows of one judge, and what must hold of them."""
    judge = "lexical" if server is None else "server, 8 under way"
    run = partial(suite, judge=server)
    arguments = () if server is None else ("--rag-concurrency=8",)
    one = measure(run, 1, runs, arguments)
    measured = {size: measure(run, size, runs if size < 1000 else 1, arguments) for size in sizes}
    few = measured[sizes[0]]
    rows = [
        {
            "judge": judge,
            "traces": size,
            "CPU ms a trace": 1000 * (found.added_cpu_seconds - one.added_cpu_seconds) / (size - 1),
            "peak MB": found.peak_bytes / _MEGA,
            "peak MB more": (found.peak_bytes - few.peak_bytes) / _MEGA,
            "of ours": _ours(found, few) / _MEGA,
        }
        for size, found in measured.items()
    ]
    growth = rows[1]["CPU ms a trace"] / rows[0]["CPU ms a trace"]
    return rows, [
        Limit(f"{judge}: growth of the time for a trace", growth, MOST_GROWTH),
        Limit(f"{judge}: megabytes of ours", rows[1]["of ours"], MOST_MEGABYTES),
    ]


def _ours(found: Figures, few: Figures) -> float:
    """What more traces take of memory, without what pytest takes for as many more tests."""
    of_all, of_tests = found.peak_bytes - few.peak_bytes, found.own_peak_bytes - few.own_peak_bytes
    return of_all - of_tests


def main() -> int:
    command_line = parser(__doc__)
    command_line.add_argument("--runs", type=int, default=5, help="runs of the small suites")
    options = command_line.parse_args()
    sizes = (20, 200) if options.quick else (_FEW, _MANY)
    runs = 1 if options.quick else options.runs
    with suites() as suite, judge_server(0.0) as server:
        rows, limits = grow(suite, None, sizes, runs)
        more_rows, more_limits = grow(suite, server, sizes, runs)
    return report(options, [*rows, *more_rows], [*limits, *more_limits])


if __name__ == "__main__":
    sys.exit(main())
