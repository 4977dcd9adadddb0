"""The score table: rows in, lines out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pytest_trace.explain import format_score
from pytest_trace.quoting import shorten, width
from pytest_trace.report.ledger import Row
from pytest_trace.report.means import mean
from pytest_trace.report.screen import Line, Screen, Style, plural

Choice = Literal["auto", "all", "worst", "none"]

MOST_ROWS = 50
WORST_ROWS = 20
_COLUMNS = {
    "relevance": "R",
    "utilization": "T",
    "completeness": "C",
    "adherence": "A",
    "support": "support",
    "agreement": "agree",  # of votes, where there were any
}
_PADDING = 2  # tabulate makes a column two wider than its head, or as wide as its widest cell
_GAP = 2
_SCORE_WIDTH = 4
_WIDEST_JUDGE, _LEAST_JUDGE = 24, 12
_NARROW = 23  # "traces with that score" fits


def score_table(rows: Sequence[Row], choice: Choice, screen: Screen) -> list[Line]:
    """The table of `rows` with a row of means for each judge; empty where none is wanted."""
    if choice == "none" or not rows:
        return []
    shown, note = _chosen(rows, choice)
    columns = [name for name in _COLUMNS if name != "agreement" or _has_votes(rows)]
    means = [row for judge in _judges(rows) for row in _mean_rows(judge, rows, columns)]
    styles: list[Style] = ["bad" if row.scores.adherence < 1 else "plain" for row in shown]
    cells = [_cells(row, columns) for row in shown]
    text = _tabulated([*cells, *means], columns, screen)
    head, body, foot = text[:2], text[2 : 2 + len(cells)], text[2 + len(cells) :]
    return [
        *(Line(line) for line in note),
        *(Line(line) for line in head),
        *(Line(line, style) for line, style in zip(body, styles, strict=True)),
        *(Line(line, "strong") for line in foot),
    ]


def _has_votes(rows: Iterable[Row]) -> bool:
    return any(row.agreement is not None for row in rows)


def _chosen(rows: Sequence[Row], choice: Choice) -> tuple[Sequence[Row], list[str]]:
    if choice == "all" or (choice == "auto" and len(rows) <= MOST_ROWS):
        return rows, []
    worst = sorted(rows, key=lambda row: (row.scores.adherence, row.scores.mean))[:WORST_ROWS]
    if len(worst) == len(rows):
        return worst, []
    return worst, [f"the {len(worst)} worst of {len(rows)} traces; all of them: --rag-table=all"]


def _judges(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row.judge for row in rows))


def _value(row: Row, column: str) -> float | None:
    value: float | None = getattr(row if column == "agreement" else row.scores, column)
    return value


def _cells(row: Row, columns: Sequence[str]) -> list[str]:
    return [row.nodeid, *(format_score(_value(row, column)) for column in columns), row.judge]


def _mean_rows(judge: str, rows: Sequence[Row], columns: Sequence[str]) -> Iterator[list[str]]:
    """The means of one judge, and of how many traces each is the mean: undefined ones are none."""
    own = [row for row in rows if row.judge == judge]
    means = [mean(_value(row, column) for row in own) for column in columns]
    shown = [format_score(value) for value, _ in means]
    yield [f"mean of {plural(len(own), 'trace')}", *shown, judge]
    yield ["traces with that score", *(str(count) for _, count in means), ""]


def _tabulated(cells: Sequence[Sequence[str]], columns: Sequence[str], screen: Screen) -> list[str]:
    from tabulate import tabulate

    head = ("test", *(_COLUMNS[column] for column in columns), "judge")
    widths = [max(_SCORE_WIDTH, len(name) + _PADDING) for name in head[1:-1]]
    judge_width = min(_WIDEST_JUDGE, max(width(screen.shown(row[-1])) for row in cells))
    judge_width = max(len(head[-1]) + _PADDING, min(judge_width, screen.columns // 4))
    rest = screen.columns - sum(widths) - judge_width - _GAP * (len(head) - 1)
    if rest < _NARROW:  # the judge stands in the line below as well
        rest, judge_width = _shifted(rest, judge_width)
    fitted = [
        [
            _fit_name(row[0], max(10, rest), screen),
            *(screen.undefined if cell == "-" else cell for cell in row[1:-1]),
            screen.fitted(row[-1], judge_width),
        ]
        for row in cells
    ]
    align = ("left", *["right"] * len(columns), "left")
    table = tabulate(fitted, head, tablefmt="simple", disable_numparse=True, colalign=align)
    return [line.rstrip() for line in table.splitlines()]


def _shifted(name: int, judge: int) -> tuple[int, int]:
    """The widths of name and judge, with room moved from a wide judge to a narrow name."""
    moved = max(0, min(_NARROW - name, judge - _LEAST_JUDGE))
    return name + moved, judge - moved


def _fit_name(nodeid: str, columns: int, screen: Screen) -> str:
    """A test's id; where it is too wide the file is left out first, since the name tells more."""
    shown = screen.shown(nodeid)
    head, bracket, parameters = shown.partition("[")  # a parameter may hold colons
    name = head.rpartition("::")[2] + bracket + parameters
    if width(shown) > columns and name != shown:
        shown = screen.gap + name
    return shorten(shown, columns, gap=screen.gap)
