"""The models that `fit_lexical.py` compares, over the claims of labelled responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from lexical_rows import Answer, Row
from sklearn.linear_model import LogisticRegression

MOST_ROWS = 250
ROUNDS = 3
INVERSE_PENALTY = 0.05
NEWTON_STEPS = 12
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


def fit(features: Array, labels: Array, sets: Array, c: float = INVERSE_PENALTY) -> Linear:
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


def fit_beside(features: Array, labels: Array, sets: Array, known: Array, trust: Array) -> Linear:
    """What the features add to log-odds that are known, as far as each row is to be trusted.

    A logistic regression with the log-odds known + trust * (bias + weights · features), by Newton's
    method, with the penalty and the base rates of `fit`.
    """
    names, index, counts = np.unique(sets, return_inverse=True, return_counts=True)
    weight = np.minimum(1, MOST_ROWS / counts)[index]
    scale = (trust[:, None] * features).std(0) + 1e-9
    x = trust[:, None] * np.hstack([features / scale, np.eye(len(names))[index]])
    penalty = np.r_[
        np.full(features.shape[1], 1 / INVERSE_PENALTY), np.full(len(names), 0.01 / INVERSE_PENALTY)
    ]
    solution = np.zeros(x.shape[1])
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-known - x @ solution))
        slope = x.T @ (weight * (labels - probability)) - penalty * solution
        curvature = (x * (weight * probability * (1 - probability))[:, None]).T @ x
        solution += np.linalg.solve(curvature + np.diag(penalty), slope)
    weights = solution[: features.shape[1]] / scale
    return Linear(weights, float(solution[features.shape[1] :].mean()))


class Claims:
    """The claims of all labelled responses as arrays; `starts` is where each response begins."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = [row for row in rows if row.is_unsupported is not None]
        self.sets = np.array([row.set for row in self.rows])
        self.labels = np.array([bool(row.is_unsupported) for row in self.rows])
        self.clusters = np.array([row.cluster for row in self.rows])
        self.has_claims = np.array([bool(row.answer.claims) for row in self.rows])
        counts = [len(row.answer.claims) for row in self.rows]
        self.owner = np.repeat(np.arange(len(counts)), counts)
        self.starts = np.flatnonzero(np.diff(self.owner, prepend=-1))
        self.features = np.array([each for row in self.rows for each in row.answer.claims])
        self.guarded = np.array([each for row in self.rows for each in row.answer.guarded])
        known = [each for row in self.rows for each in row.unsupported]
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


def supported_share(answer: Answer, model: Linear) -> float:
    """The share of a response's claims that `model`, with its limit at 0, takes for supported."""
    if not answer.claims:
        return 0.0
    support = 1 / (1 + np.exp(model(np.array(answer.claims))))
    return float((support * np.where(answer.guarded, GUARDED, 1.0) >= 0.5).mean())


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
