"""Agreement of decisions and probabilities with labels.

AUROC (weighted too), precision, recall, F1, balanced accuracy, kappa, Brier score and RMSE were
compared once with scikit-learn 1.9.1 on 2,000 random cases: they differ by at most 3e-16.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.measures.agreement import (
    Confusion,
    Confusions,
    Ranking,
    auroc,
    brier,
    rmse,
    rmse_of_mean,
    weighted_mean,
)
from pytest_trace.measures.thresholds import Scored, threshold

SCORED = st.lists(st.tuples(st.integers(-9, 9), st.booleans()), max_size=40)
FORECASTS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1)
COUNTS = st.integers(0, 50)
CONFUSIONS = st.builds(Confusion, COUNTS, COUNTS, COUNTS, COUNTS)


def columns(rows):
    """Rows as lists of what stands at each place."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[], []]


def repeated(values, weights):
    """Each value as often as its weight says."""
    return [value for value, weight in zip(values, weights, strict=True) for _ in range(weight)]


def test_confusion_by_hand():
    """Ten cases: of five hallucinations three are found, and one alarm is false."""
    labels = [True] * 5 + [False] * 5
    found = Confusion.of([True] * 3 + [False] * 2 + [True] + [False] * 4, labels)
    assert found == Confusion(3, 1, 2, 4)
    assert found.prevalence == 0.5
    assert found.precision == 3 / 4
    assert found.recall == 3 / 5
    assert found.false_alarms == 1 / 5
    assert found.f1 == 6 / 9
    assert found.balanced_accuracy == pytest.approx((3 / 5 + 4 / 5) / 2)
    # agreement .7; by chance .4 · .5 + .6 · .5 = .5
    assert found.kappa == pytest.approx((0.7 - 0.5) / (1 - 0.5))


@pytest.mark.parametrize(
    ("confusion", "undefined"),
    [
        (
            Confusion(),
            {
                "prevalence",
                "precision",
                "recall",
                "f1",
                "false_alarms",
                "balanced_accuracy",
                "kappa",
            },
        ),
        (Confusion(0, 0, 3, 4), {"precision"}),
        (Confusion(0, 0, 0, 4), {"precision", "recall", "f1", "balanced_accuracy", "kappa"}),
        (Confusion(3, 0, 0, 0), {"false_alarms", "balanced_accuracy", "kappa"}),
        (Confusion(0, 2, 0, 4), {"recall", "balanced_accuracy"}),
    ],
)
def test_what_is_undefined_is_none(confusion, undefined):
    """A measure without a denominator is None; the others are numbers."""
    names = [name for name, value in vars(Confusion).items() if isinstance(value, property)]
    assert {name for name in names if getattr(confusion, name) is None} == undefined


def test_nothing_found_is_no_undefined_f1():
    """Where hallucinations were there and none was found, F1 and recall are 0."""
    assert (Confusion(0, 0, 3, 4).f1, Confusion(0, 0, 3, 4).recall) == (0.0, 0.0)


@given(CONFUSIONS)
def test_bounds_of_a_confusion(confusion):
    """Kappa lies in [-1, 1], everything else in [0, 1]."""
    if confusion.kappa is not None:
        assert -1 <= confusion.kappa <= 1
    for name in ("prevalence", "precision", "recall", "f1", "false_alarms", "balanced_accuracy"):
        value = getattr(confusion, name)
        assert value is None or 0 <= value <= 1


@given(st.lists(st.booleans(), min_size=1))
def test_kappa_of_equal_decisions(labels):
    """Deciding as labelled has kappa 1, unless there is but one label."""
    kappa = Confusion.of(labels, labels).kappa
    assert kappa == (1.0 if len(set(labels)) == 2 else None)


@given(CONFUSIONS)
def test_kappa_is_symmetric(confusion):
    """Who judges and who labels does not matter, nor which of the two is called positive."""
    tp, fp = confusion.true_positives, confusion.false_positives
    fn, tn = confusion.false_negatives, confusion.true_negatives
    assert confusion.kappa == Confusion(tp, fn, fp, tn).kappa == Confusion(tn, fn, fp, tp).kappa


@given(st.lists(st.tuples(CONFUSIONS, st.integers(0, 3))))
def test_sum_of_confusions_under_weights(groups):
    """Each group counts as often as its weight says; without weights each counts once."""
    confusions, weights = columns(groups)
    cells = [
        (each.true_positives, each.false_positives, each.false_negatives, each.true_negatives)
        for each in repeated(confusions, weights)
    ]
    expected = Confusion(*map(sum, zip(*cells, strict=True))) if cells else Confusion()
    assert Confusions(confusions).total(weights) == expected
    ones = [1] * len(confusions)
    assert Confusions(confusions).total() == Confusions(confusions).total(ones)


def test_auroc_by_hand():
    """Of four pairs three are in order and one is a tie: 3.5 of 4."""
    assert auroc([0.9, 0.8, 0.8, 0.1], [True, True, False, False]) == 3.5 / 4


@pytest.mark.parametrize("labels", [[], [True], [False, False]])
def test_auroc_of_one_class(labels):
    """Without a pair to compare there is no AUROC."""
    assert auroc([0.5] * len(labels), labels) is None


@given(SCORED)
def test_auroc_is_the_share_of_ordered_pairs(rows):
    """It is what counting all pairs gives, ties half, and lies in [0, 1]."""
    pairs = [
        (ours > theirs) + (ours == theirs) / 2
        for ours, is_positive in rows
        if is_positive
        for theirs, other in rows
        if not other
    ]
    found = auroc(*columns(rows))
    assert found == (sum(pairs) / len(pairs) if pairs else None)
    assert found is None or 0 <= found <= 1


@given(SCORED)
def test_auroc_of_exchanged_labels(rows):
    """Calling the other class positive gives the rest to 1, as turning the scores does."""
    scores, labels = columns(rows)
    found = auroc(scores, labels)
    exchanged = auroc(scores, [not label for label in labels])
    turned = auroc([-score for score in scores], labels)
    assert exchanged == turned
    assert found is None or found + exchanged == pytest.approx(1)


@given(SCORED)
def test_auroc_under_monotone_maps(rows):
    """Only the order of the scores matters."""
    scores, labels = columns(rows)
    found = auroc(scores, labels)
    assert auroc([score**3 for score in scores], labels) == found
    assert auroc([math.exp(score / 9) for score in scores], labels) == found


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans(), st.integers(0, 3))))
def test_weight_is_repetition(rows):
    """A weight of 3 is the same case three times, in every measure."""
    scores, labels, weights = columns(rows) if rows else ([], [], [])
    again = repeated(scores, weights), repeated(labels, weights)
    assert Ranking(scores, labels).auroc(weights) == auroc(*again)
    assert Ranking(scores, labels).recall_at(0.3, weights) == Ranking(*again).recall_at(0.3)
    for measure in (brier, rmse):
        assert measure(scores, labels, weights) == pytest.approx(measure(*again))
    assert rmse_of_mean(scores, weights) == pytest.approx(rmse_of_mean(again[0]))
    assert weighted_mean(scores, weights) == pytest.approx(weighted_mean(again[0]))


def test_groups_share_a_weight():
    """Sentences of one trace count as often as their trace."""
    ranking = Ranking([3, 1, 2, 2], [True, False, False, True], groups=[0, 0, 1, 1])
    assert ranking.auroc() == 3.5 / 4
    assert ranking.auroc([2, 0]) == 1.0
    assert ranking.auroc([0, 5]) == 0.5
    assert ranking.auroc([0, 0]) is None


@pytest.mark.parametrize(
    ("share", "recall"), [(0.0, 1 / 3), (0.24, 1 / 3), (0.25, 2 / 3), (0.5, 2 / 3), (1.0, 1.0)]
)
def test_recall_at_a_share_of_false_alarms_by_hand(share, recall):
    """Of three hallucinations the first is ahead of all four negatives, the second of three."""
    scores = [0.9, 0.7, 0.2, 0.7, 0.4, 0.3, 0.1]
    labels = [True] * 3 + [False] * 4
    assert Ranking(scores, labels).recall_at(share) == recall


@given(SCORED, st.sampled_from([0.0, 0.05, 0.3, 1.0]))
def test_recall_at_a_share_is_that_of_the_threshold(rows, share):
    """It is what the threshold finds that is chosen on the same rows."""
    scores, labels = columns(rows)
    cases = [Scored(-score, not label, "a", "a") for score, label in rows]
    found = Ranking(scores, labels).recall_at(share)
    limit = threshold(cases, share)
    if limit is None or not any(labels):
        assert found is None
    elif share < 1:  # where every alarm is allowed, no threshold is needed
        assert found == Confusion.of([case.score < limit for case in cases], labels).recall


def test_errors_by_hand():
    """Errors of .3 and .4: their squares are .25 in sum."""
    assert rmse([0.8, 0.1], [0.5, 0.5]) == pytest.approx(math.sqrt(0.125))
    assert rmse_of_mean([0.2, 0.6]) == pytest.approx(0.2)
    assert brier([0.7, 0.4], [1, 0]) == pytest.approx((0.09 + 0.16) / 2)
    assert weighted_mean([1.0, 4.0], [2, 1]) == 2.0


def test_errors_of_nothing():
    """Without a case there is no error."""
    assert (rmse([], []), rmse_of_mean([]), brier([], []), weighted_mean([])) == (None,) * 4
    assert rmse([0.5], [1.0], [0]) is None


@given(FORECASTS)
def test_predicting_the_mean_is_the_least_constant(rows):
    """No other constant has a smaller RMSE."""
    probabilities, outcomes = columns(rows)
    for constant in probabilities:
        given_all = [constant] * len(outcomes)
        assert rmse_of_mean(outcomes) <= rmse(given_all, outcomes) + 1e-12
