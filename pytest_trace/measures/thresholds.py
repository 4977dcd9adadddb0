"""The threshold that calls few supported responses hallucinated, and what it finds elsewhere."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

FOLDS: Final = 10
_TOLERANCE: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Scored:
    """A response with its score of being supported, its label, its set and its cluster."""

    score: float
    is_supported: bool
    set: str
    cluster: str


def threshold(cases: Sequence[Scored], max_false_alarms: float) -> float | None:
    """The highest score t such that `score < t` holds for at most that share of the supported.

    The share is the mean over the sets, so that none counts more by its size. None where no case
    is supported.
    """
    sizes = Counter(case.set for case in cases if case.is_supported)
    supported = sorted(
        (case.score, 1 / (sizes[case.set] * len(sizes))) for case in cases if case.is_supported
    )
    found, below, waiting = None, 0.0, 0.0
    last = math.nan
    for score, weight in supported:
        if score != last:
            below, waiting = below + waiting, 0.0
            if below > max_false_alarms + _TOLERANCE:
                break
            found = last = score
        waiting += weight
    return found


def flags_of_folds(
    cases: Sequence[Scored], folds: Sequence[Hashable], max_false_alarms: float
) -> list[bool] | None:
    """Which cases are flagged by the threshold of all folds but their own.

    None where the others of a fold have no supported case to choose a threshold by.
    """
    limits = {}
    for fold in set(folds):
        others = [case for case, own in zip(cases, folds, strict=True) if own != fold]
        if (limit := threshold(others, max_false_alarms)) is None:
            return None
        limits[fold] = limit
    return [case.score < limits[fold] for case, fold in zip(cases, folds, strict=True)]


def cluster_folds(cases: Sequence[Scored]) -> list[int]:
    """A fold for each case: cases of one cluster share it, and their order does not matter."""
    ordered = sorted({case.cluster for case in cases}, key=_shuffled)
    fold_of = {cluster: number % FOLDS for number, cluster in enumerate(ordered)}
    return [fold_of[case.cluster] for case in cases]


def _shuffled(cluster: str) -> bytes:
    return hashlib.sha256(cluster.encode("utf-8", "surrogatepass")).digest()
