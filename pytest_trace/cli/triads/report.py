"""What a run of `rag-trace triad` found: figures as JSON, Markdown and lines for a screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_trace.cli.layout import table
from pytest_trace.cli.triads.judging import TRACE_SCORES
from pytest_trace.cli.triads.limits import LIMITS, TRACE_LIMITS
from pytest_trace.cli.triads.rows import SCORES
from pytest_trace.cli.triads.tallies import MOVES, Comparison, Totals
from pytest_trace.quoting import visible
from pytest_trace.report.screen import Screen, plural

_UNDEFINED: Final = "–"
_HEADS: Final = ("context relevance", "groundedness", "answer relevance", "triad")
_MOST_BAD_ROWS: Final = 10


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of every configuration, and the settings that gave them."""

    settings: dict[str, Any]
    totals: Sequence[Totals]

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "settings": self.settings,
            "configurations": {each.name: each.to_json() for each in self.totals},
        }

    @property
    def _comparisons(self) -> list[tuple[Totals, Comparison]]:
        return [(each, each.comparison) for each in self.totals if each.comparison is not None]

    def screen_lines(self, screen: Screen) -> Iterator[str]:
        """The means, and those beside the baseline, as tables."""
        rows = [
            [each.name, f"{each.rows:,}", *self._means(each, screen.undefined)]
            for each in self.totals
        ]
        yield from table("Mean scores", ("configuration", "rows", *_HEADS), rows, screen)
        if self._comparisons:
            rows = [
                [each.name, f"{found.common:,}", *_deltas(found, screen.undefined)]
                for each, found in self._comparisons
            ]
            title = f"Beside {self.settings['baseline']}, on the queries that both have"
            yield ""
            yield from table(title, ("configuration", "common", *_HEADS), rows, screen)

    def markdown(self) -> Iterator[str]:
        """The report as lines of Markdown."""
        yield from ("# RAG triad", "", *self._settings_lines(), "", "## Mean scores", "")
        yield from self._mean_table()
        yield from ("", *self._low_table(), "", "## Undefined scores and flags", "")
        yield from self._undefined_lines()
        if any(each.trace is not None for each in self.totals):
            yield from ("", f"## TRACe scores by {self.settings['judge']['name']}", "")
            yield from self._trace_table()
        if self._comparisons:
            yield from ("", f"## Beside the baseline `{self.settings['baseline']}`", "")
            yield from self._baseline_lines()
        yield from ("", "## What these numbers cannot tell", "")
        yield from (f"- {limit}" for limit in LIMITS)
        if "judge" in self.settings:
            yield from (f"- {limit}" for limit in TRACE_LIMITS)

    def _settings_lines(self) -> Iterator[str]:
        shown = self.settings
        yield f"- evaluator: `lexical` (deterministic), normalisation `{shown['normalisation']}`"
        if "judge" in shown:
            name, version = shown["judge"]["name"], shown["judge"]["version"]
            yield f"- beside it, in columns of its own: `{name}`, version `{version}`"
        top = shown["context_top_k"]
        passages = "all passages" if top is None else f"the first {top} passages"
        yield f"- shown to the generator: {passages}"
        qrels = f"`{_cell(shown['qrels'])}`" if shown["qrels"] else "none"
        yield f"- judgements: {qrels}"
        yield f"- a score below {shown['low_score']:.10g} is low"

    def _mean_table(self) -> Iterator[str]:
        head = ("configuration", "rows", *_HEADS, "triad of complete rows")
        rows = [
            [
                each.name,
                f"{each.rows:,}",
                *(
                    f"{mean} ({len(each.scores[name].values):,})"
                    for name, mean in zip(SCORES, self._means(each, _UNDEFINED), strict=True)
                ),
                f"{_number(each.complete.mean)} ({len(each.complete.values):,})",
            ]
            for each in self.totals
        ]
        yield from _markdown_table(head, rows)
        yield ""
        yield "In brackets: the rows over which the mean is taken. A complete row has all three."

    def _low_table(self) -> Iterator[str]:
        yield from ("## Low scores", "")
        rows = [
            [each.name, *(f"{each.scores[name].low:,}" for name in SCORES)] for each in self.totals
        ]
        yield from _markdown_table(("configuration", *_HEADS), rows)

    def _undefined_lines(self) -> Iterator[str]:
        rows = [
            [each.name, what, reason, f"{count:,}"]
            for each in self.totals
            for what, reason, count in _reasons(each)
        ]
        if rows:
            yield from _markdown_table(("configuration", "score", "reason", "rows"), rows)
        else:
            yield "Every score of every row is defined, and no row is flagged."
        for each in self.totals:
            if each.bad_rows:
                yield ""
                yield f"`{_cell(each.name)}`: {plural(len(each.bad_rows), 'line')} skipped"
                yield ""
                yield from (f"- {_cell(text)}" for text in each.bad_rows[:_MOST_BAD_ROWS])
                if len(each.bad_rows) > _MOST_BAD_ROWS:
                    yield f"- and {len(each.bad_rows) - _MOST_BAD_ROWS:,} more, in metrics.json"

    def _trace_table(self) -> Iterator[str]:
        rows = [
            [
                each.name,
                *(
                    f"{_number(tally.mean)} ({len(tally.values):,})"
                    for tally in (each.trace or {}).values()
                ),
            ]
            for each in self.totals
        ]
        yield from _markdown_table(("configuration", *TRACE_SCORES), rows)

    def _baseline_lines(self) -> Iterator[str]:
        head = ("configuration", "common rows", "only here", "only in baseline", *_HEADS)
        yield from _markdown_table(
            head,
            [
                [
                    each.name,
                    *(
                        f"{count:,}"
                        for count in (found.common, found.only_here, found.only_in_baseline)
                    ),
                    *_deltas(found, _UNDEFINED),
                ]
                for each, found in self._comparisons
            ],
        )
        yield ""
        yield "Differences are means over the common rows on which both have the score."
        for each, found in self._comparisons:
            if found.other_query:
                yield (
                    f"`{_cell(each.name)}` words the query otherwise in "
                    f"{plural(found.other_query, 'common row')}."
                )
        if any(found.judged for _, found in self._comparisons):
            yield from ("", "Relevant passages that moved:", "")
            rows = [
                [each.name, f"{found.judged:,}", *(f"{found.moves[name]:,}" for name in MOVES)]
                for each, found in self._comparisons
            ]
            yield from _markdown_table(("configuration", "judged rows", *MOVES), rows)

    @staticmethod
    def _means(totals: Totals, undefined: str) -> list[str]:
        return [_number(totals.scores[name].mean, undefined) for name in SCORES]


def _deltas(found: Comparison, undefined: str) -> list[str]:
    means = (found.deltas[name].mean for name in SCORES)
    return [undefined if mean is None else f"{mean:+.3f}" for mean in means]


def _reasons(totals: Totals) -> Iterator[tuple[str, str, int]]:
    for name, tally in totals.scores.items():
        for reason, count in sorted(tally.undefined.items()):
            yield name, reason, count
    for name, tally in (totals.trace or {}).items():
        for reason, count in sorted(tally.undefined.items()):
            yield f"trace.{name}", reason, count
    for flag, count in sorted(totals.flags.items()):
        yield "(flag)", flag, count


def _number(value: float | None, undefined: str = _UNDEFINED) -> str:
    return undefined if value is None else f"{value:.3f}"


def _markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return visible(text).replace("|", "\\|")
