"""Fits the weights of the judge `lexical` to labelled rows, and says what they are worth.

    python benchmarks/fit_lexical.py [--data FOLDER] [--write]

Printed are 'left-out set', weights fitted without the set they are measured on, and apart from
that 'shipped weights, same domain', with 95 % intervals by bootstrap over questions. `--write`
makes `pytest_trace/judges/lexical_weights.json`. Needs the dependency group `fit`; exit code 2
without data.

Relevance is also measured with responses that do not answer the question in place of the rows' own:
a refusal, the response of another row, and the copy of a sentence that is not relevant.

Every set has a base rate of its own in the fit, which is dropped afterwards, so that only what
tells responses of one set apart is learned; no set weighs more than 250 of its rows.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from lexical_measures import ALL, RAGBENCH, auroc, interval, limit_of, mean, print_areas
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
from lexical_relevance import (
    RelevanceModel,
    Sentences,
    Taken,
    best_threshold,
    in_place,
    used_by_label,
)
from lexical_rows import Row, read_rows

from pytest_trace.judges.lexical_features import (
    RelevanceFeatures,
    SupportFeatures,
    UtilizationFeatures,
)
from pytest_trace.judges.lexical_weights import FILE

DATA = [
    {"name": "RAGBench (rungalileo/ragbench)", "licence": "CC BY 4.0"},
    {"name": "RAGTruth QA (through vectara/FaithJudge)", "licence": "MIT"},
    {"name": "BEGIN (google/BEGIN-dataset)", "licence": "CC BY 4.0 / CDLA"},
    {"name": "SummEdits (salesforce/factualNLG)", "licence": "Apache-2.0"},
    {"name": "ClapNQ (primeqa/clapnq), relevance only", "licence": "Apache-2.0"},
]


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
        found = interval(lambda i, y=labels, f=flagged: mean(f[i][y[i]]), clusters)
        alarms = interval(lambda i, y=labels, f=flagged: mean(f[i][~y[i]]), clusters)
        print(f"{name:<12}{here.sum():>6}  {area:<20}{found:<20}{alarms}")
    sets = [claims.sets == name for name in RAGBENCH]
    area = mean([auroc(claims.labels[s], doubts[s]) for s in sets])
    found = mean([mean(flags[s & claims.labels]) for s in sets])
    alarms = mean([mean(flags[s & ~claims.labels]) for s in sets])
    print(f"mean of RAGBench    {area:<20.3f}{found:<20.3f}{alarms:.3f}")
    print(f"false alarms over all supported responses: {mean(flags[~claims.labels]):.3f}")


def print_utilization(data: Sentences) -> Linear:
    """The AUROC of each set by a fit without it and by the shipped one, which is returned."""
    taken = np.array([each for row in data.rows for each in row.answer.taken])
    shipped = fit(taken, data.labels, data.sets)
    left_out = np.zeros(len(data.labels))
    for name in np.unique(data.sets):
        here = data.sets == name
        left_out[here] = fit(taken[~here], data.labels[~here], data.sets[~here])(taken[here])
    scores = {"left out": left_out, "shipped": shipped(taken)}
    print_areas("utilization", data, {name: (each, ALL) for name, each in scores.items()})
    return shipped


def print_relevance(data: Sentences, claims: Claims) -> RelevanceModel:
    """Likewise, by the question alone and with several kinds of responses."""
    own = [row.answer for row in data.rows]
    answers = {"with response": (own, ALL)}
    answers |= {name: in_place(data, name) for name in ("refusal", "another", "stray")}
    scores = {name: (np.zeros(len(data.labels)), kept) for name, (_, kept) in answers.items()}
    for name in np.unique(data.sets):
        here = data.sets == name
        model = RelevanceModel.fitted(data, ~here, support_at_limit(claims, claims.sets != name))
        for kind, (responses, _) in answers.items():
            scores[kind][0][here] = model(data, responses)[here]
    shipped = RelevanceModel.fitted(
        data, np.ones(len(data.labels), bool), support_at_limit(claims, claims.sets != "")
    )
    left_out = scores["with response"][0], scores["refusal"][0]
    scores = {"question": (left_out[1], ALL), **scores, "shipped": (shipped(data, own), ALL)}
    print_areas("relevance", data, scores)
    for what, kept in used_by_label(data).items():
        two = {"question": (left_out[1], kept), "with response": (left_out[0], kept)}
        print_areas(f"relevance, {what} alone", data, two)
    return shipped


def support_at_limit(claims: Claims, chosen: Array) -> Linear:
    """The model of claims, with the threshold at log-odds of 0."""
    model, doubts = weakest_claim(claims, chosen)
    limit = limit_of(doubts[chosen], ~claims.labels[chosen])
    return Linear(model.weights, model.bias - limit)


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
        print(f"{name:<16} RAGBench {mean([areas[s] for s in RAGBENCH]):.3f}  {people}")
    print_support("left-out set", claims, doubts["weakest claim"], doubts["flags"] > 0)
    shipped = weakest_claim(claims, np.ones(len(claims.rows), bool))[1]
    limit = limit_of(shipped, ~claims.labels)
    print_support("shipped weights, same domain", claims, shipped, shipped > limit)
    written = _written(rows, claims, shipped, limit)
    if options.write:
        FILE.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
        print(f"\nwritten: {FILE.name}")
    return 0


def _written(rows: Sequence[Row], claims: Claims, doubts: Array, limit: float) -> dict:
    asked_for, used = Sentences.of(rows, "relevant"), Sentences.of(rows, "utilized")
    relevant = print_relevance(asked_for, claims)
    utilized = print_utilization(used)
    own = [row.answer for row in asked_for.rows]
    least = best_threshold(relevant.question(asked_for.asked), asked_for)
    trust = Taken.of(asked_for, relevant.support, own).trust
    most = best_threshold(relevant(asked_for, own), asked_for, least, trust)
    taken = np.array([each for row in used.rows for each in row.answer.taken])
    unclaimed = float(1 / (1 + np.exp(np.quantile(doubts, UNCLAIMED_QUANTILE) - limit)))
    return {
        "version": 2,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "data": DATA,
        "support": as_json(relevant.support, SupportFeatures._fields, 0.5, sign=-1),
        "without_claim": round(unclaimed, 2),
        "relevance": as_json(relevant.question, RelevanceFeatures._fields, least),
        "answer": as_json(relevant.answer, UtilizationFeatures._fields, most),
        "utilization": as_json(
            utilized, UtilizationFeatures._fields, best_threshold(utilized(taken), used)
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
