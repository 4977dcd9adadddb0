"""A reliability plot as SVG: how often responses of a probability are supported indeed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from pytest_trace.cli.calibration.judging import Judged
from pytest_trace.cli.calibration.measuring import probabilities_of
from pytest_trace.judges import Judge, judge_name
from pytest_trace.measures.agreement import brier
from pytest_trace.measures.reliability import Bin, calibration_error, equal_mass_bins

_WIDTH: Final = 440
_HEIGHT: Final = 540
_LEFT: Final = 70
_TOP: Final = 84
_SIDE: Final = 340
_STRIP_TOP: Final = _TOP + _SIDE + 14
_STRIP: Final = 40
_BARS: Final = 20
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_INK, _FAINT, _BLUE = "#222222", "#bbbbbb", "#1f5fa8"


def plot_of(judge: Judge, judged: Sequence[Judged]) -> str:
    """The plot of all rows with a label and a probability."""
    _, probabilities, outcomes = probabilities_of(judged)
    bins = equal_mass_bins(probabilities, outcomes)
    error, squared = calibration_error(bins), brier(probabilities, outcomes)
    about = [f"{len(probabilities):,} responses in {len(bins)} bins of about equal size"]
    if error is not None and squared is not None:
        about.append(f"calibration error {error:.3f}, Brier score {squared:.3f}")
    title = f"Reliability of {judge_name(judge)}, version {judge.version}"
    return reliability_svg(title, about, bins, probabilities)


def reliability_svg(
    title: str, about: Sequence[str], bins: Sequence[Bin], probabilities: Sequence[float]
) -> str:
    """The plot of `bins`, and below it where the probabilities lie."""
    said = (f"{each.mean_probability:.2f} said, {each.share:.2f} are" for each in bins)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">'
    )
    lines = [
        head,
        f"<title>{_safe(title)}</title>",
        f"<desc>{_safe('; '.join(said))}</desc>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        _text(_LEFT, 24, title, size=15),
        *(_text(_LEFT, 46 + 17 * number, line) for number, line in enumerate(about)),
        *_axes(),
        *_points(bins),
        *_strip(probabilities),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _axes() -> Iterator[str]:
    for tick in _TICKS:
        x, y = _at(tick, tick)
        yield _line((x, _TOP), (x, _TOP + _SIDE), f'stroke="{_FAINT}" stroke-width="0.5"')
        yield _line((_LEFT, y), (_LEFT + _SIDE, y), f'stroke="{_FAINT}" stroke-width="0.5"')
        yield _text(_LEFT - 8, y + 4, f"{tick:g}", anchor="end")
        yield _text(x, _STRIP_TOP + _STRIP + 18, f"{tick:g}", anchor="middle")
    yield _line(_at(0, 0), _at(1, 1), f'stroke="{_INK}" stroke-dasharray="4 4"')
    middle = _LEFT + _SIDE / 2
    yield _text(
        middle, _STRIP_TOP + _STRIP + 38, "the judge's probability of support", anchor="middle"
    )
    yield (
        f'<g transform="translate(22 {_TOP + _SIDE / 2:g}) rotate(-90)">'
        f"{_text(0, 0, 'share labelled supported', anchor='middle')}</g>"
    )


def _points(bins: Sequence[Bin]) -> Iterator[str]:
    """A point for each bin; its area goes with the number of its cases."""
    places = [(*_at(each.mean_probability, each.share), each) for each in bins]
    path = " ".join(f"{x:g},{y:g}" for x, y, _ in places)
    yield f'<polyline points="{path}" fill="none" stroke="{_BLUE}" stroke-width="1.5"/>'
    most = max((each.count for each in bins), default=1)
    for x, y, each in places:
        radius = 1.5 + 4 * (each.count / most) ** 0.5
        yield (
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:.2f}" fill="{_BLUE}" fill-opacity="0.75">'
            f"<title>{each.count} cases: {each.mean_probability:.3f} said, {each.share:.3f} are"
            "</title></circle>"
        )


def _strip(probabilities: Sequence[float]) -> Iterator[str]:
    """How many cases have which probability."""
    counts = [0] * _BARS
    for probability in probabilities:
        counts[min(_BARS - 1, int(probability * _BARS))] += 1
    most = max(counts) or 1
    size = _SIDE / _BARS
    for number, count in enumerate(counts):
        height = _STRIP * count / most
        yield (
            f'<rect x="{_LEFT + number * size + 1:g}" y="{_STRIP_TOP + _STRIP - height:.2f}" '
            f'width="{size - 2:g}" height="{height:.2f}" fill="{_BLUE}" fill-opacity="0.45"/>'
        )
    bottom = _STRIP_TOP + _STRIP
    yield _text(_LEFT - 8, bottom - _STRIP / 2 + 4, "responses", anchor="end")
    yield _line((_LEFT, bottom), (_LEFT + _SIDE, bottom), f'stroke="{_INK}"')


def _at(probability: float, share: float) -> tuple[float, float]:
    """Where a point lies; two digits are finer than a screen."""
    return round(_LEFT + _SIDE * probability, 2), round(_TOP + _SIDE * (1 - share), 2)


def _line(start: tuple[float, float], end: tuple[float, float], style: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" {style}/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{_INK}">'
        f"{_safe(text)}</text>"
    )


def _safe(text: str) -> str:
    """Text that XML can hold."""
    printable = "".join(each if each.isprintable() else "?" for each in text)
    return escape(printable)
