"""A report as lines for a screen of 80 columns: several small tables, each about one question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pytest_trace.cli.calibration.layout import number, shown
from pytest_trace.cli.calibration.limits import FOLDED, LEFT_OUT, Limit
from pytest_trace.cli.calibration.measuring import SCORES
from pytest_trace.cli.calibration.peers import PEERS, Peer
from pytest_trace.cli.calibration.report import FEWEST_POSITIVES, Figure, Report
from pytest_trace.cli.layout import table
from pytest_trace.report.screen import Screen, plural

Figures = Mapping[str, Figure]
_MEAN: Final = "mean"
_PEER_TABLES: Final = (
    ("AUROC beside the published columns, on the rows that have them", ("adherence",)),
    (
        "RMSE beside the published columns, on the rows that have them",
        ("relevance", "utilization"),
    ),
)
_COLUMNS: Final = (
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
    for block in _blocks(report, screen):
        yield from _shown_block(block, report, screen)
    yield from _peer_tables(report, screen)


def _blocks(report: Report, screen: Screen) -> Iterator[_Block]:
    share = _percent(report.limit)
    yield _plain_block(
        f"Hallucinated responses, by rank (recall at {share} false alarms) and as decided",
        (
            ("AUROC", "auroc"),
            (f"recall at {share}", "recall_at"),
            ("balanced acc.", "balanced_accuracy"),
            ("kappa", "kappa"),
        ),
        screen,
    )
    for title, columns in _COLUMNS:
        yield _plain_block(title, columns, screen)
    yield _rmse_block(screen)
    if report.limit.value is not None:
        yield _limit_block(report.limit, screen)


def warnings(report: Report) -> Iterator[str]:
    """What a reader of the figures must know."""
    for each in report.sets:
        if each.labelled and each.hallucinated < FEWEST_POSITIVES:
            yield (
                f"{each.name} has {plural(each.hallucinated, 'hallucinated response')}: below "
                f"{FEWEST_POSITIVES} its figures say little"
            )
        if each.rows and each.clusters < 2:  # noqa: PLR2004 - one cluster says nothing of others
            yield f"{each.name} is one cluster of rows that share documents: there is no interval"


def _rows_table(report: Report, screen: Screen) -> list[str]:
    head = ("set", "rows", "hallucinated", "clusters", "not judged", "traces/s")
    rows: list[Sequence[str]] = [
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
    return table("Rows; beside each figure stands its 95 % interval", head, rows, screen)


class _Block(NamedTuple):
    """A table of figures: how it is headed, which figures it is about, and its cells."""

    title: str
    head: Sequence[str]
    names: Sequence[str]
    cells: Callable[[Figures], Sequence[str]]


def _plain_block(title: str, columns: Sequence[tuple[str, str]], screen: Screen) -> _Block:
    names = [name for _, name in columns]
    return _Block(
        title,
        [head for head, _ in columns],
        names,
        lambda figures: [shown(figures.get(name), screen) for name in names],
    )


def _rmse_block(screen: Screen) -> _Block:
    return _Block(
        "RMSE of the scores; (mean): predicting the mean of the labels for all",
        [f"{name} (mean)" for name in SCORES],
        [f"{name}_rmse" for name in SCORES],
        lambda figures: [_rmse_cell(figures, name, screen) for name in SCORES],
    )


def _rmse_cell(figures: Figures, name: str, screen: Screen) -> str:
    ours, mean = figures.get(f"{name}_rmse"), figures.get(f"{name}_rmse_of_mean")
    if mean is None or mean.value is None:
        return screen.undefined
    return f"{shown(ours, screen)} ({number(mean.value)})"


def _limit_block(limit: Limit, screen: Screen) -> _Block:
    """The threshold, tested on clusters and, where there are several sets, on sets left out."""
    value = f"{limit.value or 0.0:.4f}"
    title = f"Hallucinated below {value}, for at most {_percent(limit)} false alarms"
    columns = [("recall", f"{FOLDED}_recall"), ("false alarms", f"{FOLDED}_false_alarms")]
    if LEFT_OUT in limit.flags:
        title += "; *: by the other sets"
        columns += [
            ("recall*", f"{LEFT_OUT}_recall"),
            ("false alarms*", f"{LEFT_OUT}_false_alarms"),
        ]
    return _plain_block(title, columns, screen)


def _percent(limit: Limit) -> str:
    return f"{100 * limit.max_false_alarms:g} %"


def _shown_block(block: _Block, report: Report, screen: Screen) -> Iterator[str]:
    """The sets that have any of the figures, and the mean of the sets; nothing without any."""
    having = [each for each in report.sets if _has_any(each.figures, block.names)]
    if not having:
        return
    rows = [(each.name, *block.cells(each.figures)) for each in having]
    if len(having) > 1:
        rows.append((_MEAN, *block.cells(report.mean)))
    yield ""
    yield from table(block.title, ("set", *block.head), rows, screen)


def _has_any(figures: Figures, names: Sequence[str]) -> bool:
    return any(name in figures and figures[name].value is not None for name in names)


def _peer_tables(report: Report, screen: Screen) -> Iterator[str]:
    """One for the ranks of hallucinated responses, one for the scores."""
    for title, scores in _PEER_TABLES:
        rows = [
            row
            for peer in PEERS
            if peer.score in scores
            for row in _peer_rows(peer, report, screen)
        ]
        if rows:
            head = ("set", "tool", "score", "rows", "tool's", "judge's", "difference")
            yield ""
            yield from table(title, head, rows, screen)


def _peer_rows(peer: Peer, report: Report, screen: Screen) -> Iterator[Sequence[str]]:
    having = [each for each in report.sets if each.peer_rows[peer.column]]
    for each in having:
        count = f"{each.peer_rows[peer.column]:,}"
        yield each.name, peer.tool, peer.score, count, *_compared(peer, each.figures, screen)
    if len(having) > 1:
        yield _MEAN, peer.tool, peer.score, "", *_compared(peer, report.mean, screen)


def _compared(peer: Peer, figures: Figures, screen: Screen) -> Sequence[str]:
    theirs, ours, difference = (figures[name] for name in peer.names)
    return (
        number(theirs.value) or screen.undefined,
        number(ours.value) or screen.undefined,
        shown(difference, screen),
    )
