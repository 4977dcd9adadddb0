"""From judged sets to figures with intervals, for each set and for the mean of the sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from pytest_trace.cli.calibration.judging import NotJudged, SetRun
from pytest_trace.cli.calibration.limits import Limit, choose_limit
from pytest_trace.cli.calibration.measuring import Measure, flag_measure, measures_of
from pytest_trace.cli.calibration.peers import PEERS, peer_measure, peer_rows
from pytest_trace.measures.agreement import Weights
from pytest_trace.measures.bootstrap import Bootstrap, Interval, interval

FEWEST_POSITIVES: Final = 30
Draws = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure and its 95 % interval; None where undefined."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReport:
    """What was found on one set. `labelled` counts the rows that are labelled supported or not."""

    name: str
    rows: int
    labelled: int
    hallucinated: int
    clusters: int
    seconds: float
    faults: tuple[NotJudged, ...]
    peer_rows: Mapping[str, int]
    figures: Mapping[str, Figure]

    @property
    def rows_per_second(self) -> float | None:
        """How fast verdicts came, by the judge or from the cache."""
        done = self.rows + len(self.faults)
        return done / self.seconds if self.seconds else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found. `mean` is that of the sets, empty for one set."""

    sets: tuple[SetReport, ...]
    mean: Mapping[str, Figure]
    limit: Limit
    is_interrupted: bool


def summarise(
    runs: Sequence[SetRun],
    *,
    max_false_alarms: float,
    resamples: int,
    advance: Callable[[], None],
) -> Report:
    """The report on sets; `advance` is called after each.

    Ctrl-C leaves out the intervals and keeps the figures.
    """
    runs = [run for run in runs if run.judged or run.faults]
    limit = choose_limit(runs, max_false_alarms)
    measures = {run.name: _measures(run, limit) for run in runs}
    values = {name: _merged(measures[name], None) for name in measures}
    is_interrupted = any(run.is_interrupted for run in runs)
    draws: dict[str, Draws] = {}
    try:
        for run in runs:
            draws[run.name] = _draws(_bootstrap(run, resamples), measures[run.name])
            advance()
    except KeyboardInterrupt:
        draws, is_interrupted = {}, True
    sets = tuple(_set_report(run, values[run.name], draws.get(run.name, {})) for run in runs)
    mean = _mean(values, draws) if len(runs) > 1 else {}
    return Report(sets=sets, mean=mean, limit=limit, is_interrupted=is_interrupted)


def _measures(run: SetRun, limit: Limit) -> list[Measure]:
    peers = [peer for peer in PEERS if peer_rows(run.judged, peer)]
    return [
        *measures_of(run.judged, limit.max_false_alarms),
        *(
            flag_measure(run.judged, flags, name)
            for name, of_sets in limit.flags.items()
            if (flags := of_sets.get(run.name)) is not None
        ),
        *(peer_measure(run.judged, peer) for peer in peers),
    ]


def _merged(measures: Iterable[Measure], weights: Weights | None) -> dict[str, float | None]:
    return {name: value for measure in measures for name, value in measure(weights).items()}


def _bootstrap(run: SetRun, resamples: int) -> Bootstrap:
    clusters = [item.labels.cluster for item in run.judged]
    return Bootstrap(clusters, resamples=resamples, seed=run.name)


def _draws(bootstrap: Bootstrap, measures: Sequence[Measure]) -> Draws:
    """For each figure what the draws gave."""
    draws: dict[str, list[float | None]] = {}
    for weights in bootstrap.weights():
        for name, value in _merged(measures, weights).items():
            draws.setdefault(name, []).append(value)
    return draws


def _set_report(run: SetRun, values: Mapping[str, float | None], draws: Draws) -> SetReport:
    labels = [item.labels for item in run.judged]
    return SetReport(
        name=run.name,
        rows=len(labels),
        labelled=sum(each.is_supported is not None for each in labels),
        hallucinated=sum(each.is_supported is False for each in labels),
        clusters=len({each.cluster for each in labels}),
        seconds=run.seconds,
        faults=run.faults,
        peer_rows={peer.column: peer_rows(run.judged, peer) for peer in PEERS},
        figures={
            name: Figure(value, None if value is None else interval(draws.get(name, ())))
            for name, value in values.items()
        },
    )


def _mean(
    values: Mapping[str, Mapping[str, float | None]], draws: Mapping[str, Draws]
) -> dict[str, Figure]:
    """Each figure's mean over the sets that have it; draws of the sets are joined one by one."""
    names = dict.fromkeys(name for of_set in values.values() for name in of_set)
    return {name: _mean_figure(name, values, draws) for name in names}


def _mean_figure(
    name: str, values: Mapping[str, Mapping[str, float | None]], draws: Mapping[str, Draws]
) -> Figure:
    having = {of: value for of in values if (value := values[of].get(name)) is not None}
    if not having:
        return Figure(None)
    drawn = [draws.get(of, {}).get(name, ()) for of in having]
    joined = [_mean_of_all(each) for each in zip(*drawn, strict=False)]
    return Figure(fmean(having.values()), interval(joined))


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    """None if any is: means over different sets are not to be compared."""
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None
