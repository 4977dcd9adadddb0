"""The score table: rows in, lines out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pytest_trace.explain import format_score
from pytest_trace.metrics import TraceScores
from pytest_trace.quoting import shorten, width
from pytest_trace.report.ledger import Row
from pytest_trace.report.screen import Line, Screen, Style, plural

Choice = Literal["auto", "all", "worst", "none"]

MOST_ROWS = 50
WORST_ROWS = 20
_HEAD = ("test", "R", "T", "C", "A", "support", "judge")
_COLUMNS = ("relevance", "utilization", "completeness", "adherence", "support")
_PADDING = 2  # tabulate makes a column two wider than its head
_NUMBERS_WIDTH = 4 * 4 + len("support") + _PADDING + 6 * 2  # scores, support, gaps between seven
_WIDEST_JUDGE = 24


def score_table(rows: Sequence[Row], choice: Choice, screen: Screen) -> list[Line]:
    """The table of `rows` with a row of means for each judge; empty where none is wanted."""
    if choice == "none" or not rows:
        return []
    shown, note = _chosen(rows, choice)
    means = [row for judge in _judges(rows) for row in _mean_rows(judge, rows)]
    styles: list[Style] = ["bad" if row.scores.adherence < 1 else "plain" for row in shown]
    cells = [_cells(row.nodeid, row.scores, row.judge) for row in shown]
    text = _tabulated([*cells, *means], screen)
    head, body, foot = text[:2], text[2 : 2 + len(cells)], text[2 + len(cells) :]
    return [
        *(Line(line) for line in note),
        *(Line(line) for line in head),
        *(Line(line, style) for line, style in zip(body, styles, strict=True)),
        *(Line(line, "strong") for line in foot),
    ]


def _chosen(rows: Sequence[Row], choice: Choice) -> tuple[Sequence[Row], list[str]]:
    if choice == "all" or (choice == "auto" and len(rows) <= MOST_ROWS):
        return rows, []
    worst = sorted(rows, key=lambda row: (row.scores.adherence, row.scores.mean))[:WORST_ROWS]
    if len(worst) == len(rows):
        return worst, []
    return worst, [f"the {len(worst)} worst of {len(rows)} traces; all of them: --rag-table=all"]


def _judges(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row.judge for row in rows))


def _cells(name: str, scores: TraceScores, judge: str) -> list[str]:
    return [name, *(format_score(getattr(scores, column)) for column in _COLUMNS), judge]


def _mean_rows(judge: str, rows: Sequence[Row]) -> Iterator[list[str]]:
    """The means of one judge, and of how many traces each is the mean: undefined ones are none."""
    own = [row for row in rows if row.judge == judge]
    defined = [
        [value for row in own if (value := getattr(row.scores, column)) is not None]
        for column in _COLUMNS
    ]
    means = [
        format_score(math.fsum(values) / len(values) if values else None) for values in defined
    ]
    yield [f"mean of {plural(len(own), 'trace')}", *means, judge]
    yield ["traces with that score", *(str(len(values)) for values in defined), ""]


def _tabulated(cells: Sequence[Sequence[str]], screen: Screen) -> list[str]:
    from tabulate import tabulate

    judge_width = min(_WIDEST_JUDGE, max(width(screen.shown(row[-1])) for row in cells))
    judge_width = max(len(_HEAD[-1]) + _PADDING, min(judge_width, screen.columns // 4))
    test_width = max(10, screen.columns - _NUMBERS_WIDTH - judge_width)
    fitted = [
        [
            _fit_name(row[0], test_width, screen),
            *(screen.undefined if cell == "-" else cell for cell in row[1:-1]),
            screen.fitted(row[-1], judge_width),
        ]
        for row in cells
    ]
    align = ("left", *["right"] * len(_COLUMNS), "left")
    table = tabulate(fitted, _HEAD, tablefmt="simple", disable_numparse=True, colalign=align)
    return [line.rstrip() for line in table.splitlines()]


def _fit_name(nodeid: str, columns: int, screen: Screen) -> str:
    """A test's id; where it is too wide the file is left out first, since the name tells more."""
    shown = screen.shown(nodeid)
    head, bracket, parameters = shown.partition("[")  # a parameter may hold colons
    name = head.rpartition("::")[2] + bracket + parameters
    if width(shown) > columns and name != shown:
        shown = screen.gap + name
    return shorten(shown, columns, gap=screen.gap)
