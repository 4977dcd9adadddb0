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
from lexical_rows import Row, read_rows
from sklearn.linear_model import LogisticRegression
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
MOST_ROWS = 250
MAX_FALSE_ALARMS = 0.05
ROUNDS = 3
NEARLY = 0.01
GUARDED = 0.4
UNCLAIMED_QUANTILE = 0.4
Array = np.ndarray


@dataclass(frozen=True)
class Linear:
    """log-odds = bias + weights · features."""

    weights: Array
    bias: float

    def __call__(self, features: Array) -> Array:
        return features @ self.weights + self.bias


def fit(features: Array, labels: Array, sets: Array, c: float = 0.05) -> Linear:
    """A logistic regression with a base rate for each set; the mean of those is the bias."""
    names, index, counts = np.unique(sets, return_inverse=True, return_counts=True)
    weight = np.minimum(1, MOST_ROWS / counts)[index]
    mean, scale = features.mean(0), features.std(0) + 1e-9
    rates = 10.0 * np.eye(len(names))[index]  # ten: hardly any penalty on them
    model = LogisticRegression(C=c, max_iter=1000)
    model.fit(np.hstack([(features - mean) / scale, rates]), labels, sample_weight=weight)
    weights = model.coef_[0][: features.shape[1]] / scale
    rate = 10.0 * model.coef_[0][features.shape[1] :].mean() + model.intercept_[0]
    return Linear(weights, float(rate - mean @ weights))


class Claims:
    """The claims of all labelled responses as arrays; `starts` is where each response begins."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = [row for row in rows if row.is_unsupported is not None]
        self.sets = np.array([row.set for row in self.rows])
        self.labels = np.array([bool(row.is_unsupported) for row in self.rows])
        self.clusters = np.array([row.cluster for row in self.rows])
        self.has_claims = np.array([bool(row.claims) for row in self.rows])
        counts = [len(row.claims) for row in self.rows]
        self.owner = np.repeat(np.arange(len(counts)), counts)
        self.starts = np.flatnonzero(np.diff(self.owner, prepend=-1))
        self.features = np.array([each for row in self.rows for each in row.claims])
        self.guarded = np.array([each for row in self.rows for each in row.guarded])
        known = [each for row in self.rows for each in row.unsupported[: len(row.claims)]]
        self.is_labelled = np.array([each is not None for each in known])
        self.unsupported = np.array([bool(each) for each in known])

    def worst(self, doubts: Array) -> Array:
        """The index of the claim with the highest doubt, for each response that has claims."""
        ends = [*self.starts[1:], len(doubts)]
        return np.array([a + doubts[a:b].argmax() for a, b in zip(self.starts, ends, strict=True)])

    def join(self, values: Array, how: Callable[[Array, Array], Array]) -> Array:
        """One value for each response; without claims, that of a rather well supported one."""
        joined = how(values, self.starts)
        result = np.full(len(self.rows), np.quantile(joined, UNCLAIMED_QUANTILE))
        result[self.has_claims] = joined
        return result


def weakest_claim(claims: Claims, chosen: Array) -> tuple[Linear, Array]:
    """Doubt of a claim such that the response has that of its weakest one.

    Fitted in turns to the labels of the claims and, for the claim that is weakest so far, to those
    of the response. Guards are in the fit and not in the model: the judge applies them itself.
    """
    x = np.column_stack([claims.features, claims.guarded])
    known = claims.is_labelled & chosen[claims.owner]
    doubts = -claims.features[:, 0] - claims.features[:, 1]
    for _ in range(ROUNDS):
        worst = claims.worst(doubts)
        worst = worst[chosen[claims.owner[worst]]]
        owner = claims.owner[worst]
        model = fit(
            np.vstack([x[worst], x[known]]),
            np.r_[claims.labels[owner], claims.unsupported[known]],
            np.r_[claims.sets[owner], np.char.add(claims.sets[claims.owner[known]], " claims")],
        )
        doubts = model(x)
    model = Linear(model.weights[:-1], model.bias)
    support = 1 / (1 + np.exp(model(claims.features)))
    doubts = _logit(1 - support * np.where(claims.guarded, GUARDED, 1.0))
    return model, claims.join(doubts, np.maximum.reduceat)


def noisy_or(claims: Claims, chosen: Array) -> Array:
    """The response is supported if each claim is, as if they were independent."""
    x = np.column_stack([claims.features, claims.guarded])
    known = claims.is_labelled & chosen[claims.owner]
    model = fit(x[known], claims.unsupported[known], claims.sets[claims.owner[known]])
    return claims.join(np.logaddexp(0, model(x)), np.add.reduceat)


def whole_response(claims: Claims, chosen: Array) -> Array:
    """A model of the response: mean, lowest and highest of each feature of its claims."""
    x = np.column_stack([claims.features, claims.guarded])
    counts = np.diff([*claims.starts, len(x)])[:, None]
    parts = [how.reduceat(x, claims.starts) for how in (np.add, np.minimum, np.maximum)]
    joined = np.hstack([parts[0] / counts, *parts[1:]])
    owner = claims.owner[claims.starts]
    kept = chosen[owner]
    model = fit(joined[kept], claims.labels[owner[kept]], claims.sets[owner[kept]])
    return claims.join(model(joined), lambda values, _: values)


def _logit(probability: Array) -> Array:
    clipped = np.clip(probability, 1e-9, 1 - 1e-9)
    return np.log(clipped / (1 - clipped))


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
