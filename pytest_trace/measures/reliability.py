"""Whether a probability is one: of cases that are said to be .7 sure, 70 % come true."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_trace.measures.agreement import Weights

BINS: Final = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases of similar probability: their mean, the share that came true, and how many they are."""

    mean_probability: float
    share: float
    count: int


def equal_mass_bins(
    probabilities: Sequence[float],
    outcomes: Sequence[float],
    weights: Weights | None = None,
    *,
    most: int = BINS,
) -> list[Bin]:
    """At most `most` bins of about equal size, by rising probability.

    Cases of one probability share a bin, that of their middle rank: the order of the cases never
    matters, and a judge with few distinct probabilities gets few bins.
    """
    weights = [1] * len(probabilities) if weights is None else weights
    total = sum(weights)
    ordered = sorted(zip(probabilities, outcomes, weights, strict=True))
    sums: dict[int, list[float]] = {}
    rank = 0
    for probability, came_true, count in _merged(ordered):
        number = min(most - 1, int(most * (rank + count / 2) / total))
        rank += count
        values = sums.setdefault(number, [0.0, 0.0, 0])
        values[0] += probability * count
        values[1] += came_true
        values[2] += count
    return [Bin(p / count, came / count, int(count)) for p, came, count in sums.values()]


def _merged(ordered: Iterable[tuple[float, float, int]]) -> Iterator[tuple[float, float, int]]:
    """For each probability the sum of its outcomes and how many there are, if any."""
    last, came_true, total = math.nan, 0.0, 0
    for probability, outcome, count in ordered:
        if probability != last and total:
            yield last, came_true, total
            came_true, total = 0.0, 0
        last, came_true, total = probability, came_true + outcome * count, total + count
    if total:
        yield last, came_true, total


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Σ n_b / n · |share_b - mean probability_b|, 0 at best; None without a bin.

    The expected calibration error of Naeini et al. (AAAI 2015) with bins of equal mass (Nguyen
    and O'Connor, EMNLP 2015), which leave none nearly empty. Chance alone keeps it above 0.
    """
    gaps = math.fsum(each.count * abs(each.share - each.mean_probability) for each in bins)
    total = sum(each.count for each in bins)
    return gaps / total if total else None
