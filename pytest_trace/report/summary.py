"""The lines under the score table: what the run asked, what it took, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_trace.evaluation_config import describe_mix
from pytest_trace.report.ledger import JudgeFault, Row
from pytest_trace.report.screen import Line, Screen, plural
from pytest_trace.store.run_state import RunTotals

Sources = Mapping[str, Mapping[str, int]]
_STORED = ("memo", "recording", "cache")
_MOST_TESTS = 10


def judge_lines(
    rows: Sequence[Row], sources: Sources, screen: Screen, remarks: Mapping[str, str]
) -> list[Line]:
    """One line a judge: traces, calls, how many verdicts were stored, refusals, a remark."""
    judges = dict.fromkeys([*(row.judge for row in rows), *sorted(sources)])
    return [
        line
        for judge in judges
        for line in screen.folded(_judge_line(judge, rows, sources.get(judge, {}), remarks))
    ]


def mix_lines(rows: Sequence[Row], screen: Screen) -> list[Line]:
    """Which of the means are over traces of different configurations of retrieval."""
    return [
        line
        for judge in dict.fromkeys(row.judge for row in rows)
        if (mix := describe_mix(row.config for row in rows if row.judge == judge)) is not None
        for line in screen.folded(f"{judge}: the means are over {mix}", "bad")
    ]


def usage_lines(totals: RunTotals | None, screen: Screen) -> list[Line]:
    """What the calls to servers took: tokens, seconds, US dollars; none where none was made."""
    if totals is None or not totals.prompt_tokens:
        return []
    cost = "cost unknown" if totals.cost is None else f"${totals.cost:.4f}"
    text = (
        f"{plural(totals.calls, 'request')}: {totals.prompt_tokens:,} prompt tokens "
        f"({totals.cached_tokens:,} cached), {totals.completion_tokens:,} completion tokens "
        f"({totals.reasoning_tokens:,} reasoning), {totals.seconds:.1f} s, {cost}"
    )
    return [*screen.folded(text), *notice_lines(totals.notes, screen)]


def fault_lines(faults: Sequence[JudgeFault], screen: Screen) -> list[Line]:
    """What kept judges from deciding, each once, with the tests that met it."""
    if not faults:
        return []
    tests: dict[str, list[str]] = {}
    for fault in faults:
        tests.setdefault(fault.message, []).append(fault.nodeid)
    lines = [Line(f"{plural(len(faults), 'test')} with a judge that could not decide:", "bad")]
    for message, nodeids in tests.items():
        lines += screen.folded(message, "bad")
        lines += [Line(screen.fitted(f"  {nodeid}")) for nodeid in nodeids[:_MOST_TESTS]]
        if len(nodeids) > _MOST_TESTS:
            lines.append(Line(f"  and {len(nodeids) - _MOST_TESTS} more"))
    return lines


def skip_lines(count: int, screen: Screen) -> list[Line]:
    """How many tests were skipped because nobody could be asked: loud, they tested nothing."""
    if not count:
        return []
    return screen.folded(
        f"{plural(count, 'RAG test')} SKIPPED: the judge needs a key and there is none "
        "(rag_missing_judge=skip); nothing was judged in them",
        "bad",
    )


def notice_lines(notices: Sequence[str], screen: Screen) -> list[Line]:
    """What has to be said once, such as that the cache cannot be used."""
    return [line for notice in notices for line in screen.folded(notice, "bad")]


def _judge_line(
    judge: str,
    rows: Sequence[Row],
    counts: Mapping[str, int],
    remarks: Mapping[str, str],
) -> str:
    own = [row for row in rows if row.judge == judge]
    calls = counts.get("judge", 0)
    stored = sum(counts.get(source, 0) for source in _STORED)
    refusals = sum(row.is_refusal for row in own)
    line = (
        f"{judge}: {plural(len(own), 'trace')}, {plural(calls, 'call')}, {stored:,} cached, "
        f"{plural(refusals, 'refusal')}"
    )
    if failed := counts.get("failed", 0):
        line += f", {failed:,} not judged"
    if notes := sum(row.notes for row in own):
        line += f", {plural(notes, 'note')} on replies"
    return f"{line}; {remarks[judge]}" if judge in remarks else line
