"""The fitted numbers of the lexical judge, from `lexical_weights.json`.

`python benchmarks/fit_lexical.py --write` makes that file; nothing in it is written by hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from pytest_trace.judges.lexical_features import (
    RelevanceFeatures,
    SupportFeatures,
    UtilizationFeatures,
)

FILE: Final = Path(__file__).with_suffix(".json")


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A logistic model; `threshold` is the probability from which on its answer is yes."""

    weights: tuple[float, ...]
    bias: float
    threshold: float

    def log_odds(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """The bias + weights · features of each row of features."""
        scores = [self.bias] * len(rows)
        for weight, column in zip(self.weights, zip(*rows, strict=True), strict=False):
            scores = [score + weight * value for score, value in zip(scores, column, strict=True)]
        return scores

    def probabilities(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """1 / (1 + exp(-log-odds)) for each row of features."""
        return list(map(logistic, self.log_odds(rows)))


@dataclass(frozen=True, slots=True)
class LexicalWeights:
    """The models, and the probability of a response that claims nothing.

    `relevance` is about the question. `answer` is what a response that can be trusted entirely adds
    to its log-odds, from `UtilizationFeatures`; its threshold is that of the sum.
    """

    support: LinearModel
    relevance: LinearModel
    answer: LinearModel
    utilization: LinearModel
    without_claim: float


def logistic(log_odds: float) -> float:
    """The probability with these log-odds."""
    return 1 / (1 + math.exp(-log_odds))


@cache
def lexical_weights() -> LexicalWeights:
    """The weights that are shipped, read once."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    return LexicalWeights(
        support=_model(data["support"], SupportFeatures._fields),
        relevance=_model(data["relevance"], RelevanceFeatures._fields),
        answer=_model(data["answer"], UtilizationFeatures._fields),
        utilization=_model(data["utilization"], UtilizationFeatures._fields),
        without_claim=data["without_claim"],
    )


def _model(data: Mapping[str, Any], names: Sequence[str]) -> LinearModel:
    weights = tuple(data["weights"][name] for name in names)
    return LinearModel(weights, data["bias"], data["threshold"])
