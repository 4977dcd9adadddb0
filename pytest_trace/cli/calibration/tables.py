"""A report as lines for a screen of 80 columns: several small tables, each about one question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pytest_trace.cli.calibration.layout import number, shown, span, table
from pytest_trace.cli.calibration.limits import FOLDED, LEFT_OUT
from pytest_trace.cli.calibration.measuring import SCORES
from pytest_trace.cli.calibration.peers import PEERS, Peer
from pytest_trace.cli.calibration.report import FEWEST_POSITIVES, Figure, Report, SetReport
from pytest_trace.report.screen import Screen

Figures = Mapping[str, Figure]
_MEAN: Final = "mean of the sets"
_COLUMNS: Final = (
    (
        "Hallucinated responses, ranked by probability and as the judge decides",
        (("AUROC", "auroc"), ("balanced acc.", "balanced_accuracy"), ("kappa", "kappa")),
    ),
    (
        "Hallucinated responses, as the judge decides",
        (
            ("precision", "precision"),
            ("recall", "recall"),
            ("F1", "f1"),
            ("false alarms", "false_alarms"),
        ),
    ),
    (
        "Document sentences that are relevant (R) or utilized (T)",
        (
            ("R AUROC", "relevance_auroc"),
            ("R F1", "relevance_f1"),
            ("T AUROC", "utilization_auroc"),
            ("T F1", "utilization_f1"),
        ),
    ),
    (
        "Probability of support against the label; (share): predicting the share for all",
        (
            ("Brier", "brier"),
            ("(share)", "brier_of_share"),
            ("calibration error", "calibration_error"),
        ),
    ),
)


def tables(report: Report, screen: Screen) -> Iterator[str]:
    """All tables that have anything to show, an empty line in front of each."""
    yield ""
    yield from _rows_table(report, screen)
    for title, columns in _COLUMNS:
        yield from _figures_table(title, columns, report, screen)
    yield from _rmse_table(report, screen)
    yield from _limit_table(report, screen)
    yield from _peer_tables(report, screen)


def warnings(report: Report) -> Iterator[str]:
    """What a reader of the figures must know."""
    for each in report.sets:
        if each.labelled and each.hallucinated < FEWEST_POSITIVES:
            yield (
                f"{each.name} has {each.hallucinated} hallucinated responses: below "
                f"{FEWEST_POSITIVES} its figures say little"
            )
        if each.rows and each.clusters < 2:  # noqa: PLR2004 - one cluster says nothing of others
            yield f"{each.name} is one cluster of rows that share documents: there is no interval"


def _rows_table(report: Report, screen: Screen) -> list[str]:
    head = ("set", "rows", "hallucinated", "clusters", "not judged", "traces/s")
    rows = [
        (
            each.name,
            f"{each.rows:,}",
            shown(each.figures["hallucinated"], screen),
            f"{each.clusters:,}",
            f"{len(each.faults):,}",
            f"{each.rows_per_second:,.0f}" if each.rows_per_second else screen.undefined,
        )
        for each in report.sets
    ]
    if report.mean:
        mean = shown(report.mean["hallucinated"], screen)
        rows.append((_MEAN, "", mean, "", "", ""))
    return table("", head, rows, screen)


def _figures_table(
    title: str, columns: Sequence[tuple[str, str]], report: Report, screen: Screen
) -> list[str]:
    def cells(figures: Figures) -> list[str]:
        return [shown(figures.get(name), screen) for _, name in columns]

    names = [name for _, name in columns]
    return _titled(title, ("set", *(head for head, _ in columns)), names, cells, report, screen)


def _rmse_table(report: Report, screen: Screen) -> list[str]:
    def cells(figures: Figures) -> list[str]:
        return [_rmse_cell(figures, name, screen) for name in SCORES]

    names = [f"{name}_rmse" for name in SCORES]
    title = "RMSE of the scores; (mean): predicting the mean of the labels for all"
    head = ("set", *(f"{name} (mean)" for name in SCORES))
    return _titled(title, head, names, cells, report, screen)


def _rmse_cell(figures: Figures, name: str, screen: Screen) -> str:
    ours, mean = figures.get(f"{name}_rmse"), figures.get(f"{name}_rmse_of_mean")
    if mean is None or mean.value is None:
        return screen.undefined
    return f"{shown(ours, screen)} ({number(mean.value)})"


def _limit_table(report: Report, screen: Screen) -> list[str]:
    limit = report.limit
    if limit.value is None or not limit.flags:
        return []
    columns = [
        (head, f"{name}_{of}")
        for name, heads in (
            (FOLDED, ("recall", "false alarms")),
            (LEFT_OUT, ("recall, left out", "false alarms, l. o.")),
        )
        for head, of in zip(heads, ("recall", "false_alarms"), strict=True)
        if name in limit.flags
    ]
    share = f"{limit.max_false_alarms:.0%}".replace("%", " %")
    title = (
        f"Calling hallucinated what has a probability below {limit.value:.4f} (false alarms "
        f"≤ {share})"
    )
    return _figures_table(screen.shown(title), columns, report, screen)


def _titled(
    title: str,
    head: Sequence[str],
    names: Sequence[str],
    cells: Callable[[Figures], list[str]],
    report: Report,
    screen: Screen,
) -> list[str]:
    """A table of the sets that have any of the figures, and of their mean."""
    having = [each for each in report.sets if _has_any(each.figures, names)]
    if not having:
        return []
    rows = [(each.name, *cells(each.figures)) for each in having]
    if len(having) > 1:
        rows.append((_MEAN, *cells(report.mean)))
    return ["", *table(title, head, rows, screen)]


def _has_any(figures: Figures, names: Sequence[str]) -> bool:
    return any(name in figures and figures[name].value is not None for name in names)


def _peer_tables(report: Report, screen: Screen) -> Iterator[str]:
    for title, is_shown in (
        ("AUROC beside the published columns, on the rows that have them", ("adherence",)),
        (
            "RMSE beside the published columns, on the rows that have them",
            ("relevance", "utilization"),
        ),
    ):
        rows = [
            _peer_row(peer, each, screen)
            for peer in PEERS
            if peer.score in is_shown
            for each in report.sets
            if each.peer_rows[peer.column]
        ]
        if rows:
            head = ("set", "tool", "rows", "score", "tool's", "judge's", "difference")
            yield ""
            yield from table(title, head, rows, screen)


def _peer_row(peer: Peer, each: SetReport, screen: Screen) -> tuple[str, ...]:
    theirs, ours, difference = (each.figures[name] for name in peer.names)
    return (
        each.name,
        peer.tool,
        f"{each.peer_rows[peer.column]:,}",
        peer.score,
        number(theirs.value) or screen.undefined,
        number(ours.value) or screen.undefined,
        f"{number(difference.value) or screen.undefined} {span(difference.interval, screen)}",
    )
