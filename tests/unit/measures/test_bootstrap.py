"""Intervals by resampling clusters."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.measures.agreement import weighted_mean
from pytest_trace.measures.bootstrap import Bootstrap, Interval, interval


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=30))
def test_draws_are_of_whole_clusters(clusters):
    """Rows of one cluster count equally often, and as many clusters are drawn as there are."""
    bootstrap = Bootstrap(clusters, resamples=5)
    draws = list(bootstrap.weights())
    assert len(draws) == (5 if len(set(clusters)) > 1 else 0)
    for weights in draws:
        of = dict(zip(clusters, weights, strict=True))
        assert [of[cluster] for cluster in clusters] == weights
        assert sum(of.values()) == bootstrap.cluster_count == len(set(clusters))


def test_draws_are_the_same_again():
    """The same seed gives the same draws, another seed gives others."""
    clusters = list(range(50))
    first, again, other = (
        list(Bootstrap(clusters, resamples=3, seed=seed).weights()) for seed in ("a", "a", "b")
    )
    assert first == again != other


def test_draws_do_not_depend_on_the_python_version():
    """The first draw is what it was when this was written."""
    draws = Bootstrap("abcdefgh", seed="shop", resamples=2).weights()
    assert list(draws) == [[0, 1, 1, 3, 0, 1, 1, 1], [1, 1, 0, 0, 0, 4, 0, 2]]


def test_interval_by_hand():
    """Of 0 … 100 the middle 95 % reach from 2.5 to 97.5; the order does not matter."""
    values = [float(value) for value in range(101)]
    random.Random(7).shuffle(values)
    found = interval(values)
    assert (found.low, found.high) == (pytest.approx(2.5), pytest.approx(97.5))
    assert interval([3.0]) == Interval(3.0, 3.0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([None, None], None),
        ([1.0, None, None], None),
        ([1.0, None], Interval(1.0, 1.0)),
    ],
)
def test_undefined_draws_are_left_out(values, expected):
    """Where most draws are undefined there is no interval."""
    assert interval(values) == expected


def mean_interval(values, clusters):
    """The interval of a mean."""
    draws = Bootstrap(clusters, resamples=400).weights()
    return interval([weighted_mean(values, weights) for weights in draws])


def test_clusters_widen_the_interval():
    """Forty rows of ten questions are not forty cases: the interval is about twice as wide."""
    values = [float(number % 2) for number in range(10) for _ in range(4)]
    by_question = mean_interval(values, [number for number in range(10) for _ in range(4)])
    by_row = mean_interval(values, list(range(40)))
    assert by_question.low < 0.5 < by_question.high
    ratio = (by_question.high - by_question.low) / (by_row.high - by_row.low)
    assert 1.6 < ratio < 2.4
