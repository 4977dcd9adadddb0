"""The threshold that keeps false alarms rare."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.measures.thresholds import FOLDS, Scored, cluster_folds, flags_of_folds, threshold

CASES = st.lists(
    st.builds(
        Scored, st.integers(0, 8), st.booleans(), st.sampled_from("ab"), st.sampled_from("pqrstu")
    )
)
SHARES = st.sampled_from([0.0, 0.05, 0.3, 1.0])


def cases(*scores, is_supported=True, of="a"):
    """Cases of one set, each a cluster of its own."""
    return [Scored(score, is_supported, of, f"{of}{score}") for score in scores]


def test_threshold_by_hand():
    """Of five supported responses one may be flagged: whatever is below the second."""
    supported = cases(0.1, 0.4, 0.7, 0.8, 0.9)
    assert threshold(supported, 0.2) == 0.4
    assert threshold(supported, 0.19) == 0.1
    assert threshold(supported, 0.4) == 0.7
    assert threshold(supported + cases(0.0, 0.2, is_supported=False), 0.2) == 0.4


def test_ties_are_flagged_together_or_not_at_all():
    """Three responses of one score would be three false alarms."""
    assert threshold(cases(0.4, 0.4, 0.4, 0.9), 0.5) == 0.4


def test_sets_count_alike():
    """A large set does not outweigh a small one: half of the small one is a quarter of all."""
    both = cases(0.5, 0.9, of="small") + cases(*(0.6 + n / 1000 for n in range(100)), of="large")
    assert threshold(both, 0.25) == 0.6
    assert threshold(both, 0.24) == 0.5


def test_no_threshold_without_supported_cases():
    """Without a supported response nothing is known of false alarms."""
    assert threshold(cases(0.5, is_supported=False), 0.05) is None
    assert flags_of_folds(cases(0.5), [0], 0.05) is None


@given(CASES, SHARES)
def test_false_alarms_stay_below_the_share(rows, share):
    """The threshold keeps what it promises on its own rows, and no higher score would."""
    found = threshold(rows, share)
    supported = [row for row in rows if row.is_supported]
    assert (found is None) == (not supported)
    names = {row.set for row in supported}

    def alarms(limit):
        shares = []
        for name in names:
            scores = [row.score for row in supported if row.set == name]
            shares.append(sum(score < limit for score in scores) / len(scores))
        return sum(shares) / len(shares)

    if found is not None:
        assert alarms(found) <= share + 1e-9
        assert all(alarms(score) > share for row in supported if (score := row.score) > found)


@given(CASES)
def test_folds_keep_clusters_together(rows):
    """Rows of a cluster share a fold, and there are at most ten."""
    folds = cluster_folds(rows)
    by_cluster = {row.cluster: fold for row, fold in zip(rows, folds, strict=True)}
    assert [by_cluster[row.cluster] for row in rows] == folds
    assert set(folds) == set(range(min(FOLDS, len(by_cluster))))


def test_own_fold_chooses_no_threshold():
    """A case is flagged by what the other folds allow, not by its own."""
    rows = cases(0.1, 0.2, 0.8, 0.9)
    assert threshold(rows, 0.0) == 0.1
    assert flags_of_folds(rows, ["one", "two", "two", "two"], 0.0) == [True, False, False, False]
