"""Verdicts: what they check when they are made, and their JSON."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from building import supported
from hypothesis import given
from strategies import judged_traces, through_json

from pytest_trace.errors import InvalidVerdict
from pytest_trace.verdict import SentenceSupport, Verdict

SUPPORT = SentenceSupport("resp_s0", supported=True, document_keys=("doc_0_s0",))


def test_collections_become_sets_and_tuples():
    """Lists are as good as what the fields hold; keys named twice are there once."""
    verdict = Verdict(relevant=["doc_0_s0", "doc_0_s0"], utilized=[], support=[SUPPORT])
    assert (verdict.relevant, verdict.support) == (frozenset({"doc_0_s0"}), (SUPPORT,))
    assert supported(0, "b", "a", "b").document_keys == ("b", "a")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"mark": "obvious"},
            (
                "resp_s0 has the mark 'obvious'; known: general, numerical_reasoning, "
                "supported_without_sentence, well_known_fact"
            ),
        ),
        ({"supported": "false"}, "resp_s0 has supported='false'; expected True or False"),
        ({"supported": None}, "resp_s0 has supported=None; expected True or False"),
        (
            {"document_keys": "doc_0_s0"},
            "document_keys of resp_s0 is the str 'doc_0_s0'; expected several keys: ['doc_0_s0']",
        ),
        (
            {"probability": 1.5},
            "the probability of resp_s0 is 1.5; expected a number in [0, 1]",
        ),
        (
            {"probability": "high"},
            "the probability of resp_s0 is 'high'; expected a number in [0, 1]",
        ),
    ],
)
def test_support_that_says_nothing_clear_is_refused(fields, message):
    """InvalidVerdict names the sentence, what came and what was expected."""
    with pytest.raises(InvalidVerdict) as raised:
        SentenceSupport(**{"key": "resp_s0", "supported": True} | fields)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"support": [SUPPORT, SUPPORT]}, "support has resp_s0 more than once"),
        ({"relevant": "doc_0_s0"}, "relevant is the str 'doc_0_s0'; expected several keys"),
        ({"probability": math.nan}, "the probability of the verdict is nan; expected a number"),
        ({"relevant_probability": {"doc_0_s0": -0.1}}, "the probability of doc_0_s0 is -0.1"),
        ({"utilized_probability": {"doc_1_s0": 2}}, "the probability of doc_1_s0 is 2"),
    ],
)
def test_verdict_that_contradicts_itself_is_refused(fields, message):
    """Support twice, a str for a set of keys and impossible probabilities raise InvalidVerdict."""
    with pytest.raises(InvalidVerdict) as raised:
        Verdict(**{"relevant": (), "utilized": (), "support": [SUPPORT]} | fields)
    assert str(raised.value).startswith(message)


def test_probability_of_any_real_type_becomes_a_float():
    """Judges may count in numpy or fractions; JSON cannot."""
    probability = supported(probability=Fraction(1, 4)).probability
    assert (type(probability), probability) == (float, 0.25)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["resp_s0", "resp_s1"], "support lacks resp_s1; it must have each of the 2"),
        (["resp_s1"], "support lacks resp_s1 and has the unknown resp_s0; it must have"),
        ([], "support has the unknown resp_s0; it must have each of the 0"),
    ],
)
def test_support_must_have_each_response_sentence(keys, message):
    """`require_keys` names the sentences that lack and those that nobody knows."""
    with pytest.raises(InvalidVerdict) as raised:
        Verdict(relevant=(), utilized=(), support=[SUPPORT]).require_keys(keys)
    assert str(raised.value).startswith(message)


def test_support_of_exactly_the_response_is_accepted():
    """`require_keys` is silent where nothing lacks."""
    verdict = Verdict(relevant=(), utilized=(), support=[SUPPORT])
    verdict.require_keys(["resp_s0"])
    assert verdict.support == (SUPPORT,)


@given(judged_traces())
def test_json_round_trip_is_the_identity(judged):
    """Whatever a judge said, it comes back from JSON as it was."""
    _, verdict = judged
    assert Verdict.from_json(through_json(verdict.to_json())) == verdict


def test_json_is_sorted_and_leaves_out_what_is_unknown():
    """The same verdict always reads the same in a diff."""
    verdict = Verdict(relevant={"doc_0_s1", "doc_0_s0"}, utilized=(), support=[SUPPORT])
    assert verdict.to_json() == {
        "relevant": ["doc_0_s0", "doc_0_s1"],
        "utilized": [],
        "support": [{"key": "resp_s0", "supported": True, "document_keys": ["doc_0_s0"]}],
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"relevant": []}, "a verdict needs utilized, support; got only ['relevant']"),
        (
            {"relevant": [], "utilized": [], "support": [{"key": "resp_s0"}]},
            "the support of a sentence needs supported; got only ['key']",
        ),
    ],
)
def test_json_without_a_field_is_refused(data, message):
    """The message names what lacks and what there is."""
    with pytest.raises(InvalidVerdict) as raised:
        Verdict.from_json(data)
    assert str(raised.value) == message
