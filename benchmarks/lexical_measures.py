"""What `fit_lexical.py` measures models by, and prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from lexical_models import Array
from lexical_relevance import Sentences
from sklearn.metrics import roc_auc_score

RAGBENCH = ("covidqa", "delucionqa", "emanual", "expertqa", "hagrid", "hotpotqa", "msmarco")
MAX_FALSE_ALARMS = 0.05
ALL = slice(None)


def limit_of(doubts: Array, is_supported: Array) -> float:
    """The doubt above which no more than `MAX_FALSE_ALARMS` of the supported responses are."""
    return float(np.quantile(doubts[is_supported], 1 - MAX_FALSE_ALARMS, method="higher"))


def auroc(labels: Array, scores: Array) -> float:
    return float(roc_auc_score(labels, scores)) if 0 < labels.sum() < len(labels) else np.nan


def mean(values: Sequence[float] | Array) -> float:
    return float(np.mean(values)) if len(values) else np.nan


def interval(measure: Callable[[Array], float], clusters: Array, draws: int = 200) -> str:
    """The measure of all rows, and its 95 % interval over draws of questions."""
    _, index = np.unique(clusters, return_inverse=True)
    groups = [np.flatnonzero(index == number) for number in range(index.max() + 1)]
    source = np.random.default_rng(0)
    values = []
    for _ in range(draws):
        drawn = source.integers(len(groups), size=len(groups))
        values.append(measure(np.concatenate([groups[number] for number in drawn])))
    low, high = np.nanquantile(values, [0.025, 0.975])
    return f"{measure(np.arange(len(clusters))):.3f} [{low:.2f} {high:.2f}]"


def print_areas(
    what: str, data: Sentences, scores: Mapping[str, tuple[Array, Array | slice]]
) -> None:
    """The AUROC over document sentences; each score with the sentences that it is for."""
    print(f"\n{what}, AUROC over document sentences\n{'set':<17}" + _cells(scores))
    table = {}
    for name in np.unique(data.sets):
        areas = []
        for values, kept in scores.values():
            here = np.flatnonzero(data.sets == name)
            here = here[np.isin(here, np.arange(len(values))[kept])]
            areas.append(auroc(data.labels[here], values[here]))
        table[name] = areas
        print(f"{name:<17}" + _cells(f"{area:.3f}" for area in areas))
    means = np.mean([table[name] for name in RAGBENCH], axis=0)
    print(f"{'mean of RAGBench':<17}" + _cells(f"{mean:.3f}" for mean in means))


def _cells(values: Iterable[str]) -> str:
    return "".join(f"{value:>15}" for value in values)
