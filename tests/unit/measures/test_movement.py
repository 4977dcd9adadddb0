"""Relevant passages that move between two configurations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.measures.movement import Moved, Movement, movement, relevant_ranks

RANKS = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 9))


def test_movement_by_hand():
    """With two shown: what crosses that line enters or leaves, the rest rises, falls or stays."""
    before = {"a": 1, "b": 2, "c": 3, "d": 7, "e": 9, "g": 8}
    now = {"a": 1, "c": 2, "b": 4, "d": 5, "f": 6, "g": 9}
    assert movement(now, before, shown=2) == Movement(
        entered=(Moved("c", 2, 3),),
        left=(Moved("b", 4, 2),),
        rose=(Moved("d", 5, 7), Moved("f", 6, None)),
        fell=(Moved("g", 9, 8), Moved("e", None, 9)),
        stayed=(Moved("a", 1, 1),),
    )


def test_where_all_are_shown_what_is_retrieved_enters():
    """Without a limit nothing is retrieved and not shown."""
    found = movement({"a": 2, "b": 5}, {"b": 1, "c": 3}, shown=None)
    assert found == Movement(
        entered=(Moved("a", 2, None),), left=(Moved("c", None, 3),), fell=(Moved("b", 5, 1),)
    )
    assert found.to_json() == {
        "entered": [{"id": "a", "rank": 2, "baseline_rank": None}],
        "left": [{"id": "c", "rank": None, "baseline_rank": 3}],
        "rose": [],
        "fell": [{"id": "b", "rank": 5, "baseline_rank": 1}],
        "stayed": [],
    }


def test_a_passage_that_is_listed_twice_has_its_first_rank():
    """Only the relevant are ranked; passages without an id are passed over."""
    assert relevant_ranks(["x", "a", None, "a", "b"], {"a", "b", "z"}) == {"a": 2, "b": 5}


@given(RANKS, RANKS, st.none() | st.integers(1, 9))
def test_each_passage_moves_one_way_and_back(now, before, shown):
    """Every passage is in one list; seen from the other side it is in the opposite one."""
    there, back = movement(now, before, shown=shown), movement(before, now, shown=shown)
    listed = [
        moved.id
        for lists in (there.entered, there.left, there.rose, there.fell, there.stayed)
        for moved in lists
    ]
    assert sorted(listed) == sorted(now.keys() | before.keys())
    for ours, theirs in (("entered", "left"), ("rose", "fell"), ("stayed", "stayed")):
        assert {each.id for each in getattr(there, ours)} == {
            each.id for each in getattr(back, theirs)
        }
