"""Figures as text."""

from __future__ import annotations

from pytest_trace.cli.calibration.report import Figure
from pytest_trace.measures.bootstrap import Interval
from pytest_trace.report.screen import Screen


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
