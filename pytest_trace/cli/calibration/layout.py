"""Figures as text, and tables that fit a screen."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_trace.cli.calibration.report import Figure
from pytest_trace.measures.bootstrap import Interval
from pytest_trace.quoting import width
from pytest_trace.report.screen import Screen

_GAP = "  "
_LEAST_NAME = 8
Row = Sequence[str]


def table(title: str, head: Row, rows: Sequence[Row], screen: Screen) -> list[str]:
    """A title, a head and rows; the first column is shortened to what the others leave."""
    others = [max(width(row[column]) for row in (head, *rows)) for column in range(1, len(head))]
    room = max(_LEAST_NAME, screen.columns - sum(others) - len(_GAP) * len(others))
    names = [screen.fitted(row[0], room) for row in (head, *rows)]
    first = max(map(width, names))
    lines = [screen.shown(title)]
    for name, row in zip(names, (head, *rows), strict=True):
        cells = [_padded(cell, size) for cell, size in zip(row[1:], others, strict=True)]
        lines.append(_GAP.join([name + " " * (first - width(name)), *cells]).rstrip())
    return lines


def _padded(cell: str, size: int) -> str:
    return " " * (size - width(cell)) + cell


def shown(figure: Figure | None, screen: Screen) -> str:
    """A figure and its interval, as `.728 .65-.80`."""
    if figure is None or figure.value is None:
        return screen.undefined
    return f"{number(figure.value)} {span(figure.interval, screen)}".rstrip()


def span(interval: Interval | None, screen: Screen) -> str:
    """An interval with two digits; a dash stands between, and none at a terminal without."""
    if interval is None:
        return ""
    dash = "–" if screen.has_glyphs else " to "
    return f"{number(interval.low, 2)}{dash}{number(interval.high, 2)}"


def number(value: float | None, digits: int = 3) -> str:
    """A number without the 0 that leads: `.728`, `-.02`, `1.000`."""
    if value is None:
        return ""
    text = f"{value:.{digits}f}"
    if not float(text):
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
