"""Tables that fit a screen."""

from __future__ import annotations

from collections.abc import Sequence

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
