"""Fits the weights of the judge `lexical` to labelled rows, and says what they are worth.

    python benchmarks/fit_lexical.py [--data FOLDER] [--write]

Printed are 'left-out set', weights fitted without the set they are measured on, and apart from
that 'shipped weights, same domain', with 95 % intervals by bootstrap over questions. `--write`
makes `pytest_trace/judges/lexical_weights.json`. Needs the dependency group `fit`; exit code 2
without data.

Every set has a base rate of its own in the fit, which is dropped afterwards, so that only what
tells responses of one set apart is learned; no set weighs more than 250 of its rows.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lexical_models import (
    UNCLAIMED_QUANTILE,
    Array,
    Claims,
    Linear,
    fit,
    noisy_or,
    weakest_claim,
    whole_response,
)
from lexical_rows import Row, read_rows
from sklearn.metrics import f1_score, roc_auc_score

from pytest_trace.judges.lexical_features import (
    RelevanceFeatures,
    SupportFeatures,
    UtilizationFeatures,
)
from pytest_trace.judges.lexical_weights import FILE

RAGBENCH = ("covidqa", "delucionqa", "emanual", "expertqa", "hagrid", "hotpotqa", "msmarco")
DATA = [
    {"name": "RAGBench (rungalileo/ragbench)", "licence": "CC BY 4.0"},
    {"name": "RAGTruth QA (through vectara/FaithJudge)", "licence": "MIT"},
    {"name": "BEGIN (google/BEGIN-dataset)", "licence": "CC BY 4.0 / CDLA"},
    {"name": "SummEdits (salesforce/factualNLG)", "licence": "Apache-2.0"},
    {"name": "ClapNQ (primeqa/clapnq), relevance only", "licence": "Apache-2.0"},
]
MAX_FALSE_ALARMS = 0.05
NEARLY = 0.01


def limit_of(doubts: Array, is_supported: Array) -> float:
    """The doubt above which no more than `MAX_FALSE_ALARMS` of the supported responses are."""
    return float(np.quantile(doubts[is_supported], 1 - MAX_FALSE_ALARMS, method="higher"))


def auroc(labels: Array, scores: Array) -> float:
    return float(roc_auc_score(labels, scores)) if 0 < labels.sum() < len(labels) else np.nan


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


def left_out_support(claims: Claims) -> dict[str, Array]:
    """The doubts of each kind of model, each set by a fit without it, and the flags of ours."""
    names = ("weakest claim", "noisy-or", "whole response", "blend")
    doubts = {name: np.zeros(len(claims.rows)) for name in (*names, "flags")}
    for name in np.unique(claims.sets):
        others, here = claims.sets != name, claims.sets == name
        ours = weakest_claim(claims, others)[1]
        each = [ours, noisy_or(claims, others), whole_response(claims, others)]
        each.append(sum((one - one.mean()) / one.std() for one in each))
        for key, values in zip(names, each, strict=True):
            doubts[key][here] = values[here]
        doubts["flags"][here] = ours[here] > limit_of(ours[others], ~claims.labels[others])
    return doubts


def print_support(title: str, claims: Claims, doubts: Array, flags: Array) -> None:
    print(f"\n{title}\n{'set':<12}{'rows':>6}  {'AUROC':<20}{'found':<20}false alarms")
    for name in np.unique(claims.sets):
        here = claims.sets == name
        labels, scores, flagged = claims.labels[here], doubts[here], flags[here]
        clusters = claims.clusters[here]
        area = interval(lambda i, y=labels, s=scores: auroc(y[i], s[i]), clusters)
        found = interval(lambda i, y=labels, f=flagged: _mean(f[i][y[i]]), clusters)
        alarms = interval(lambda i, y=labels, f=flagged: _mean(f[i][~y[i]]), clusters)
        print(f"{name:<12}{here.sum():>6}  {area:<20}{found:<20}{alarms}")
    sets = [claims.sets == name for name in RAGBENCH]
    area = _mean([auroc(claims.labels[s], doubts[s]) for s in sets])
    found = _mean([_mean(flags[s & claims.labels]) for s in sets])
    alarms = _mean([_mean(flags[s & ~claims.labels]) for s in sets])
    print(f"mean of RAGBench    {area:<20.3f}{found:<20.3f}{alarms:.3f}")
    print(f"false alarms over all supported responses: {_mean(flags[~claims.labels]):.3f}")


def _mean(values: Sequence[float] | Array) -> float:
    return float(np.mean(values)) if len(values) else np.nan


@dataclass(frozen=True)
class Sentences:
    """All document sentences with a label of relevance or of utilization."""

    features: Array
    labels: Array
    sets: Array

    @classmethod
    def of(cls, rows: Sequence[Row], name: str) -> Sentences:
        found = [(each, label, row.set) for row in rows for each, label in getattr(row, name)]
        features, labels, sets = zip(*found, strict=True)
        return cls(np.array(features), np.array(labels), np.array(sets))


def print_sentences(what: str, data: Sentences) -> Linear:
    """The AUROC of each set by a fit without it and by the shipped one, which is returned."""
    shipped = fit(data.features, data.labels, data.sets)
    print(f"\n{what}, AUROC over document sentences\n{'set':<12}{'left out':>10}{'shipped':>10}")
    areas = {}
    for name in np.unique(data.sets):
        here = data.sets == name
        model = fit(data.features[~here], data.labels[~here], data.sets[~here])
        x, y = data.features[here], data.labels[here]
        areas[name] = auroc(y, model(x)), auroc(y, shipped(x))
        print(f"{name:<12}{areas[name][0]:>10.3f}{areas[name][1]:>10.3f}")
    means = [_mean([areas[name][column] for name in RAGBENCH]) for column in (0, 1)]
    print(f"mean of RAGBench{means[0]:>6.3f}{means[1]:>10.3f}")
    return shipped


def best_threshold(model: Linear, data: Sentences) -> float:
    """The highest probability whose mean F1 over the sets is nearly the best there is."""
    probability = 1 / (1 + np.exp(-model(data.features)))
    sets = [data.sets == name for name in np.unique(data.sets)]
    grid = np.arange(0.1, 0.9, 0.01)
    means = np.array(
        [_mean([f1_score(data.labels[s], probability[s] >= limit) for s in sets]) for limit in grid]
    )
    return round(float(grid[means >= means.max() - NEARLY].max()), 2)


def as_json(model: Linear, names: Sequence[str], threshold: float, sign: int = 1) -> dict:
    weights = {n: round(sign * float(w), 4) for n, w in zip(names, model.weights, strict=True)}
    return {"bias": round(sign * model.bias, 4), "threshold": threshold, "weights": weights}


def main() -> int:
    options = _options()
    rows = read_rows(options.data) if options.data.is_dir() else []
    if not rows:
        print(
            f"no labelled data in {options.data}: put RAGBench's Parquet files and the JSONL files "
            "there, or name their folder with --data or PYTEST_TRACE_SHARED",
            file=sys.stderr,
        )
        return 2
    claims = Claims(rows)
    doubts = left_out_support(claims)
    for name in ("noisy-or", "whole response", "blend", "weakest claim"):
        areas = {
            s: auroc(*(a[claims.sets == s] for a in (claims.labels, doubts[name])))
            for s in np.unique(claims.sets)
        }
        people = "  ".join(f"{s} {areas[s]:.3f}" for s in areas if s not in RAGBENCH)
        print(f"{name:<16} RAGBench {_mean([areas[s] for s in RAGBENCH]):.3f}  {people}")
    print_support("left-out set", claims, doubts["weakest claim"], doubts["flags"] > 0)
    model, shipped = weakest_claim(claims, np.ones(len(claims.rows), bool))
    limit = limit_of(shipped, ~claims.labels)
    print_support("shipped weights, same domain", claims, shipped, shipped > limit)
    written = _written(rows, model, shipped, limit)
    if options.write:
        FILE.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
        print(f"\nwritten: {FILE.name}")
    return 0


def _written(rows: Sequence[Row], model: Linear, doubts: Array, limit: float) -> dict:
    relevance, utilization = Sentences.of(rows, "relevance"), Sentences.of(rows, "utilization")
    relevant = print_sentences("relevance", relevance)
    utilized = print_sentences("utilization", utilization)
    shifted = Linear(model.weights, model.bias - limit)  # the threshold is at 0.5
    unclaimed = float(1 / (1 + np.exp(np.quantile(doubts, UNCLAIMED_QUANTILE) - limit)))
    return {
        "version": 1,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "data": DATA,
        "support": as_json(shifted, SupportFeatures._fields, 0.5, sign=-1),
        "without_claim": round(unclaimed, 2),
        "relevance": as_json(
            relevant, RelevanceFeatures._fields, best_threshold(relevant, relevance)
        ),
        "utilization": as_json(
            utilized, UtilizationFeatures._fields, best_threshold(utilized, utilization)
        ),
    }


def _options() -> argparse.Namespace:
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("PYTEST_TRACE_SHARED") or shared),
        metavar="FOLDER",
        help="the folder with the labelled files (default: %(default)s)",
    )
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name}")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
