"""Configurations go by row by row: scored, compared with the baseline, counted and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO, cast

from pytest_trace.cli.triads.baseline import Baseline, Difference
from pytest_trace.cli.triads.judging import GoodRow, TraceColumns, TraceRow
from pytest_trace.cli.triads.pooled import Workers
from pytest_trace.cli.triads.rows import BadRow, ScoredRow, dumps
from pytest_trace.cli.triads.tallies import Comparison, Totals
from pytest_trace.datasets.predictions import raw_lines
from pytest_trace.errors import InvalidCase

_NO_COMPARISON = ', "delta": null, "movement": null}'


class Configuration(NamedTuple):
    """A generation run by its name."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Run:
    """How configurations are run. `advance` is called with the number of rows that came by."""

    workers: Workers
    columns: TraceColumns | None
    baseline: Baseline | None
    skips_bad_rows: bool
    advance: Callable[[int], None]

    def all_of(
        self, configurations: Sequence[Configuration], rows: TextIO, low: TextIO
    ) -> Iterator[Totals]:
        """Each configuration, the baseline first; rows go to `rows`, low ones to `low` as well."""
        for configuration in sorted(configurations, key=self._is_other):
            yield self._one(configuration, rows, low)

    def _is_other(self, configuration: Configuration) -> bool:
        return self.baseline is not None and configuration.name != self.baseline.name

    def _one(self, configuration: Configuration, rows: TextIO, low: TextIO) -> Totals:
        totals = Totals(configuration.name, configuration.path.name)
        if self.baseline is not None and self._is_other(configuration):
            totals.comparison = Comparison(self.baseline.name)
        for row, judged in self._judged(self._good(configuration, totals)):
            difference = self._compared(row, totals)
            totals.add(row)
            if judged is not None:
                totals.add_trace(judged)
            text = _line(row, judged, difference)
            rows.write(text)
            if row.low:
                low.write(text)
        if not totals.rows:
            raise InvalidCase(f"{configuration.path} holds no row that can be scored")
        if totals.comparison is not None and self.baseline is not None:
            totals.comparison.only_in_baseline = len(self.baseline) - totals.comparison.common
        return totals

    def _good(self, configuration: Configuration, totals: Totals) -> Iterator[GoodRow]:
        """The rows that could be scored; the first of the others ends it, if it must."""
        seen: dict[str, str] = {}
        for chunk in self.workers.scored(raw_lines(configuration.path), configuration.name):
            for line, row in chunk:
                if (fault := _fault(row, seen)) is None:
                    yield line, cast("ScoredRow", row)
                elif self.skips_bad_rows:
                    totals.bad_rows.append(fault)
                else:
                    raise InvalidCase(fault)
            self.advance(len(chunk))

    def _judged(self, rows: Iterator[GoodRow]) -> Iterator[tuple[ScoredRow, TraceRow | None]]:
        if self.columns is not None:
            return self.columns.of(rows)
        return ((row, None) for _, row in rows)

    def _compared(self, row: ScoredRow, totals: Totals) -> Difference | None:
        if self.baseline is None:
            return None
        if totals.comparison is None:
            self.baseline.keep(row)
            return None
        difference = self.baseline.difference(row)
        totals.comparison.add(difference)
        return difference


def _fault(row: ScoredRow | BadRow, seen: dict[str, str]) -> str | None:
    """What is wrong with a row; `seen` has the query ids of those before, and where they stand."""
    if isinstance(row, BadRow):
        return row.message
    if (before := seen.setdefault(row.query_id, row.where)) != row.where:
        return (
            f"{row.where} has the query_id {row.query_id!r}, as {before} has; "
            "a configuration answers each query once"
        )
    return None


def _line(row: ScoredRow, judged: TraceRow | None, difference: Difference | None) -> str:
    trace = "" if judged is None else f', "trace": {dumps(judged.to_json())}'
    compared = _NO_COMPARISON if difference is None else f", {dumps(difference.to_json())[1:]}"
    return f"{row.body}{trace}{compared}\n"
