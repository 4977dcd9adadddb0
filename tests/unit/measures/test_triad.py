"""The deterministic triad: worked examples by hand, what is undefined, and what always holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import solid_texts, texts

from pytest_trace.measures.triad import (
    Judgements,
    TriadScores,
    answer_relevance,
    context_relevance,
    groundedness,
    triad_scores,
)

PASSAGES = ["Laptops can be returned within 30 days.", "The shop opens at 9."]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How can laptops be returned?", 1.0),  # laptops, returned
        ("When does the shop close?", 1 / 2),  # shop of shop, close
        ("Laptops? Laptops? Phones?", 1 / 2),  # each word once
        ("Was kostet die Lieferung?", 0.0),  # kostet, Lieferung
        ("What is it?", None),
        ("", None),
    ],
)
def test_lexical_context_relevance_by_hand(question, expected):
    """The share of the question's content words that the passages have."""
    assert context_relevance(question, PASSAGES) == expected


@pytest.mark.parametrize(
    ("ids", "relevant", "expected"),
    [
        (["p1", "p2"], {"p2", "p9"}, 1.0),
        (["p1", "p2"], {"p9"}, 0.0),
        ([], {"p9"}, 0.0),
        (["p1", "p2"], None, None),  # nobody judged the question
        (["p1", "p2"], set(), None),  # nothing is relevant: nothing can be found
        ([None, "p2"], {"p2"}, 1.0),
        ([None, "p1"], {"p2"}, None),  # the passage without an id may be it
    ],
)
def test_judged_context_relevance_by_hand(ids, relevant, expected):
    """1 if a relevant passage is among them, else 0, and never 0 for what nobody knows."""
    judgements = Judgements(ids, relevant)
    assert context_relevance("laptops", PASSAGES, judgements=judgements) == expected


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Laptops can be returned within 45 days.", 3 / 4),  # laptops, returned, days; not 45
        ("Returned laptops, returned phones.", 3 / 4),  # repeats count: returned twice, laptops
        ("Returning a laptop", 0.0),  # as they are written
        ("Yes, it is.", 0.0),  # yes
        ("It is.", None),
        ("", 0.0),
        (" \n", 0.0),
    ],
)
def test_groundedness_by_hand(response, expected):
    """The share of the response's content words that the passages have."""
    assert groundedness(response, PASSAGES) == expected


def test_answer_relevance_by_hand():
    """Token F1 with the best reference; a blank response is 0, and without a reference nothing."""
    assert answer_relevance("within 30 days", ["30 days", "a month"]) == pytest.approx(0.8)
    assert answer_relevance("", ["30 days"]) == 0.0
    assert answer_relevance("", ["the"]) == 0.0
    assert answer_relevance("", []) is None
    assert answer_relevance("within 30 days", []) is None


def test_triad_by_hand():
    """The mean of 1, 3/4 and 2/7."""
    scores = triad_scores(
        "How can laptops be returned?",
        PASSAGES,
        "Laptops can be returned within 45 days.",
        ["Within 30 days."],
    )
    # laptops can be returned within 45 days / within 30 days: 2 common, P 2/7, R 2/3
    assert scores == TriadScores(context_relevance=1.0, groundedness=0.75, answer_relevance=0.4)
    assert scores.triad == pytest.approx((1 + 0.75 + 0.4) / 3)
    assert scores.is_complete
    assert scores.to_json() == {
        "context_relevance": 1.0,
        "groundedness": 0.75,
        "answer_relevance": 0.4,
        "triad": scores.triad,
    }


def test_what_is_undefined_is_told_and_counts_in_no_mean():
    """The mean is that of the defined ones, and each undefined one has a reason."""
    scores = triad_scores("What is it?", PASSAGES, "Laptops.", [])
    assert (scores.triad, scores.is_complete) == (1.0, False)
    assert scores.undefined == {
        "context_relevance": "no_content_word_in_query",
        "answer_relevance": "no_reference",
    }
    judged = triad_scores("x1", [], "It is.", judgements=Judgements([], None))
    assert judged.triad is None
    assert judged.undefined == {
        "context_relevance": "no_qrels",
        "groundedness": "no_content_word_in_generation",
        "answer_relevance": "no_reference",
    }
    assert judged.flags == ("no_passages",)


def test_an_empty_generation_is_zero_and_flagged():
    """It is grounded in nothing and answers nothing."""
    scores = triad_scores("laptops", PASSAGES, " ", ["30 days"])
    assert scores == TriadScores(
        context_relevance=1.0, groundedness=0.0, answer_relevance=0.0, flags=("empty_generation",)
    )
    assert scores.triad == pytest.approx(1 / 3)


def test_words_of_other_scripts():
    """A character of a script without spaces is a word; marks stay with their letters."""
    assert groundedness("北京", ["他在北京。"]) == 1.0
    assert groundedness("दिल्ली", ["वह दिल्ली में है।"]) == 1.0


@given(texts, st.lists(texts, max_size=3), texts, st.lists(texts, max_size=2))
def test_every_score_is_a_share_or_has_a_reason(question, passages, response, references):
    """Whatever the texts: in [0, 1], or None with a reason."""
    scores = triad_scores(question, passages, response, references)
    for name in ("context_relevance", "groundedness", "answer_relevance"):
        value = getattr(scores, name)
        assert (value is None) == (name in scores.undefined)
        assert value is None or 0.0 <= value <= 1.0


@given(solid_texts, st.lists(texts, max_size=2))
def test_what_is_copied_is_grounded(passage, others):
    """A passage itself, and its own question, have all of their words in it."""
    assert groundedness(passage, [*others, passage]) in {1.0, None}
    assert context_relevance(passage, [passage, *others]) in {1.0, None}
