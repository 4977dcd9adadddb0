"""Answers beside references: worked examples by hand, and what always holds."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import plain_texts

from pytest_trace.errors import UnknownName
from pytest_trace.measures.answers import (
    MEASURES,
    AnswerScores,
    answer_scores,
    best_overlap,
    contained,
    exact_match,
    known_references,
    rouge_l,
    token_f1,
)
from pytest_trace.measures.normalisation import normalise

WORDS = ["the", "a", "cat", "sat", "on", "Mat,", "mat!", "30", "days"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("the cat sat", "A cat sat.", 1.0),  # both are: cat sat
        ("cat", "cat sat", 2 / 3),  # P 1/1, R 1/2
        ("the cat sat on the mat", "a dog sat", 1 / 3),  # common sat: P 1/4, R 1/2
        ("cat cat", "cat", 2 / 3),  # a repeated token is matched once: P 1/2, R 1/1
        ("dog", "cat", 0.0),
        ("", "cat", 0.0),
        ("The.", "a", 1.0),  # both are empty, as in SQuAD 2.0
        ("the", "cat", 0.0),
    ],
)
def test_token_f1_by_hand(answer, reference, expected):
    """2PR/(P+R) over the tokens of both, repeats counting."""
    assert token_f1(answer, reference) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("The Eiffel Tower!", "eiffel tower", 1.0),
        ("Eiffel Tower in Paris", "eiffel tower", 0.0),
        ("tower eiffel", "eiffel tower", 0.0),
    ],
)
def test_exact_match_by_hand(answer, reference, expected):
    """Everything must be the same but case, punctuation and articles."""
    assert exact_match(answer, reference) == expected


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("police killed the gunman", "police kill the gunman", 3 / 4),  # Lin 2004: P = R = 3/4
        ("police kill the gunman", "the gunman kill police", 1 / 2),  # "the gunman": L = 2 of 4
        ("the cat", "the cat sat here", 2 / 3),  # P 2/2, R 2/4
        ("It's 3.5", "it s 3 5", 1.0),  # runs of letters and digits
        ("x", "?!", 0.0),
        ("?!", "?!", 0.0),
        ("北京大学", "北京的大学", 8 / 9),  # a character is a token: P 4/4, R 4/5
    ],
)
def test_rouge_l_by_hand(answer, reference, expected):
    """2PR/(P+R) of the longest common subsequence; articles count."""
    assert rouge_l(answer, reference) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("answer", "references", "expected"),
    [
        ("It was built in the year 1889, in Paris.", "1889", 1.0),
        ("You have thirty days.", "30 days", 0.0),
        ("We ask for 130 days", "30 days", 0.0),  # tokens, not characters
        ("the 30 free days", "30 days", 0.0),  # in a row
        ("30 the days", "30 days", 1.0),  # articles are gone
        ("either", ["or", "either"], 1.0),
        ("x", "the", None),  # nothing to look for
        ("x", ["the", "x"], 1.0),
    ],
)
def test_contained_by_hand(answer, references, expected):
    """The tokens of a reference stand in the answer as neighbours."""
    assert contained(answer, references) == expected


def test_the_best_reference_counts():
    """Each measure takes the reference that fits best; the first of equals is named."""
    scores = answer_scores("in 30 days", ["two weeks", "30 days", "in 30 days or so"])
    assert scores == AnswerScores(
        exact_match=0.0,
        token_f1=0.8,  # "30 days": P 2/3, R 2/2
        rouge_l=0.8,
        contained=1.0,
        best_reference="30 days",
    )
    assert answer_scores("30", ["30 days", "30 hours"]).best_reference == "30 days"


def test_without_a_reference_everything_is_undefined():
    """No reference, or blank ones, are never a score of 0."""
    nothing = AnswerScores(
        exact_match=None, token_f1=None, rouge_l=None, contained=None, best_reference=None
    )
    assert answer_scores("x", []) == answer_scores("x", "") == answer_scores("x", [" "]) == nothing


def test_the_overlap_says_what_is_missing_and_extra():
    """Tokens in their order, each as often as it is not matched."""
    overlap = best_overlap("the cat and the cat ran home", ["A cat ran far, far away."])
    assert overlap is not None
    assert (overlap.missing, overlap.extra) == (("far", "far", "away"), ("and", "cat", "home"))
    assert (overlap.precision, overlap.recall) == (2 / 5, 2 / 5)
    assert best_overlap("x", []) is None


def test_multilingual_answers():
    """Without spaces an answer is one token, unless characters are tokens."""
    assert token_f1("北京大学在北京", "北京大学") == 0.0
    assert token_f1("北京大学在北京", "北京大学", normalisation="multilingual") == pytest.approx(
        8 / 11
    )
    assert contained("北京大学在北京", "大学", normalisation="multilingual") == 1.0
    assert exact_match("“Paris”", "Paris", normalisation="multilingual") == 1.0


@given(SENTENCES, st.lists(SENTENCES, max_size=3))
def test_measures_are_shares_and_agree_with_each_other(answer, references):
    """Each is in [0, 1]; an exact match is a full F1, and contained if the answer has a token."""
    scores = answer_scores(answer, references)
    for measure in MEASURES:
        value = scores.value(measure)
        assert (value is None) or 0.0 <= value <= 1.0
    if scores.exact_match == 1.0:
        assert scores.token_f1 == 1.0
        assert scores.contained == 1.0 or not normalise(answer)
    assert (scores.token_f1 is None) == (not known_references(references))


@given(SENTENCES, SENTENCES)
def test_f1_and_rouge_are_symmetric(first, second):
    """Answer and reference may change places; no common subsequence is more than the overlap."""
    if first.strip() and second.strip():
        assert token_f1(first, second) == token_f1(second, first)
        assert math.isclose(rouge_l(first, second), rouge_l(second, first))


@given(plain_texts, plain_texts)
def test_any_text_can_be_compared(answer, reference):
    """Surrogates, NUL bytes and Windows line ends are no faults; scores survive JSON."""
    scores = answer_scores(answer, reference)
    assert AnswerScores.from_json(json.loads(json.dumps(scores.to_json()))) == scores
    if reference.strip():
        assert answer_scores(reference, reference).exact_match == 1.0


def test_what_is_no_reference_or_measure_is_refused():
    """A list of numbers and an unknown measure are named."""
    with pytest.raises(TypeError, match=r"a reference is 5; expected a str"):
        token_f1("5", [5])
    with pytest.raises(UnknownName, match=r"unknown measure of answers 'bleu'; known: exact_match"):
        answer_scores("x", "x").value("bleu")
