"""Whether a probability is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.measures.reliability import Bin, calibration_error, equal_mass_bins

FORECASTS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1)


def columns(rows):
    """Rows as lists of what stands at each place."""
    return [list(column) for column in zip(*rows, strict=True)]


def repeated(values, weights):
    """Each value as often as its weight says."""
    return [value for value, weight in zip(values, weights, strict=True) for _ in range(weight)]


def test_bins_by_hand():
    """Two bins of four cases; each has the mean of its probabilities and the share of outcomes."""
    bins = equal_mass_bins([0.9, 0.1, 0.7, 0.3], [1, 0, 0, 1], most=2)
    assert bins == [Bin(pytest.approx(0.2), 0.5, 2), Bin(pytest.approx(0.8), 0.5, 2)]
    assert calibration_error(bins) == pytest.approx(0.3)


def test_cases_of_one_probability_share_a_bin():
    """A judge that says but two things has two bins, however many are asked for."""
    bins = equal_mass_bins([0.25] * 6 + [1.0] * 4, [1, 0, 0, 0, 0, 0, 1, 1, 1, 0])
    assert bins == [Bin(0.25, pytest.approx(1 / 6), 6), Bin(1.0, 0.75, 4)]
    assert calibration_error(bins) == pytest.approx(0.6 * (0.25 - 1 / 6) + 0.4 * 0.25)


def test_no_bins():
    """Nothing, or nothing that counts, has no bin and no calibration error."""
    assert equal_mass_bins([], []) == equal_mass_bins([0.5], [1], [0]) == []
    assert calibration_error([]) is None


@given(FORECASTS, st.randoms(use_true_random=False))
def test_bins_hold_every_case_in_any_order(rows, source):
    """Every case is in one bin, bins rise, and the order of the cases does not matter."""
    bins = equal_mass_bins(*columns(rows))
    assert sum(each.count for each in bins) == len(rows)
    assert len(bins) <= 10
    means = [each.mean_probability for each in bins]
    assert means == sorted(means)
    assert 0 <= calibration_error(bins) <= 1 + 1e-12
    source.shuffle(rows)
    assert equal_mass_bins(*columns(rows)) == bins


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 3))))
def test_weights_of_bins_are_repetition(rows):
    """A weight of 3 is the same case three times."""
    probabilities, outcomes, weights = columns(rows) if rows else ([], [], [])
    again = equal_mass_bins(repeated(probabilities, weights), repeated(outcomes, weights))
    bins = equal_mass_bins(probabilities, outcomes, weights)
    assert [each.count for each in bins] == [each.count for each in again]
    assert calibration_error(bins) == pytest.approx(calibration_error(again))
