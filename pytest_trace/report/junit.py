"""The five properties that a test's row has in a JUnit file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_trace.explain import format_score
from pytest_trace.report.ledger import Row

_SCORES = ("relevance", "utilization", "completeness", "adherence")


def properties(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """The lowest of each TRACe score among the traces of a test, and who judged them.

    An undefined score is "-": it is neither high nor low.
    """
    for name in _SCORES:
        values = [value for row in rows if (value := getattr(row.scores, name)) is not None]
        yield f"rag_{name}", format_score(min(values, default=None))
    yield "rag_judge", ", ".join(dict.fromkeys(row.judge for row in rows))
