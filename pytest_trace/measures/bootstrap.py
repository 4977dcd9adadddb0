"""Intervals by resampling clusters: cases that share a question or documents stay together.

Rows of one question are no independent cases, so drawing rows would give intervals that are too
narrow (Field and Welsh, Journal of the Royal Statistical Society B 69(3), 2007).
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_LEVEL: Final = 0.95
_LEAST_DEFINED: Final = 0.5


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`."""

    low: float
    high: float


class Bootstrap:
    """Draws as many clusters as there are, with replacement, so many times.

    `clusters` names the cluster of each observation. The draws depend on the seed and the number
    of clusters only.
    """

    def __init__(
        self, clusters: Sequence[Hashable], *, resamples: int = 1000, seed: str = ""
    ) -> None:
        numbers: dict[Hashable, int] = {}
        self._number_of = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
        self.cluster_count = len(numbers)
        self._resamples = resamples
        self._seed = seed

    def weights(self) -> Iterator[list[int]]:
        """For each draw, how often each observation counts; none if there is but one cluster."""
        if self.cluster_count < 2:  # noqa: PLR2004 - one cluster says nothing of others
            return
        source = random.Random(self._seed)  # noqa: S311 - a draw that can be repeated
        for _ in range(self._resamples):
            counts = [0] * self.cluster_count
            for number in source.choices(range(self.cluster_count), k=self.cluster_count):
                counts[number] += 1
            yield [counts[number] for number in self._number_of]


def interval(values: Sequence[float | None]) -> Interval | None:
    """The 95 % percentile interval of what the draws gave (Efron and Tibshirani 1993, chapter 13).

    Draws in which the measure is undefined are left out; None where they are more than half.
    """
    defined = sorted(value for value in values if value is not None)
    if not defined or len(defined) < _LEAST_DEFINED * len(values):
        return None
    tail = (1 - _LEVEL) / 2
    return Interval(_quantile(defined, tail), _quantile(defined, 1 - tail))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Between the two nearest values, linearly."""
    position = share * (len(ordered) - 1)
    lower = math.floor(position)
    upper = math.ceil(position)
    return ordered[lower] + (position - lower) * (ordered[upper] - ordered[lower])
