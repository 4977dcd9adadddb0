"""How many traces a second `lexical` evaluates in one process, and what the ledger keeps of each.

    python benchmarks/throughput.py [--traces 1000] [--quick] [--json FILE]

The traces have 3 documents of 120 words and a response of 3 sentences; splitting, judging and
scoring are all counted. Memory is what stays allocated for each further trace in the ledger.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc

from made_traces import traces
from results import parser, report

from pytest_trace import evaluate
from pytest_trace.report.ledger import Ledger


def traces_per_second(count: int) -> float:
    """The best of three passes over `count` traces, each after a warm-up."""
    made = list(traces(count))
    for trace in made[:50]:
        evaluate(trace)
    rates = []
    for _ in range(3):
        start = time.perf_counter()
        for trace in made:
            evaluate(trace)
        rates.append(count / (time.perf_counter() - start))
    return max(rates)


def ledger_bytes_per_trace(count: int) -> float:
    """Bytes that stay allocated for each trace, after the first tenth."""
    ledger = Ledger()
    tracemalloc.start()
    first = max(1, count // 10)
    for number, trace in enumerate(traces(count)):
        if number == first:
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
        ledger.add(f"tests/test_answers.py::test_it[{number}]", [evaluate(trace)])
    gc.collect()
    return (tracemalloc.get_traced_memory()[0] - before) / (count - first)


def main() -> int:
    command_line = parser(__doc__)
    command_line.add_argument("--traces", type=int, default=1000)
    options = command_line.parse_args()
    count = 100 if options.quick else options.traces
    row = {
        "traces": count,
        "traces a second": traces_per_second(count),
        "ledger bytes a trace": ledger_bytes_per_trace(count),
    }
    return report(options, [row])


if __name__ == "__main__":
    sys.exit(main())
