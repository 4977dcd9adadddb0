"""Our measures of answers equal those of the field's own code (`make test-reference`).

SQuAD's F1 and exact match are those of its evaluation script, as transformers carries it; ROUGE-L
is Google's rouge-score. They live in an environment of their own: they bring numpy and nltk.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from transformers.data.metrics.squad_metrics import compute_exact, compute_f1, normalize_answer

from pytest_trace import exact_match, rouge_l, token_f1
from pytest_trace.language.words import runs
from pytest_trace.measures.normalisation import normalise

WORDS = [
    "the",
    "a",
    "An",
    "cat",
    "Cat's",
    "sat",
    "30",
    "3.5%",
    "U.S.",
    "don't",
    "—",
    "Über",
    "北京",
]
ANSWERS = st.one_of(
    st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
)
ASCII = st.one_of(
    st.text(st.characters(max_codepoint=127), max_size=60),
    st.lists(st.sampled_from([word for word in WORDS if word.isascii()]), max_size=20).map(
        " ".join
    ),
)
REFERENCES = st.lists(ANSWERS.filter(str.strip), min_size=1, max_size=3)


@given(ANSWERS)
@settings(max_examples=500)
def test_normalisation_is_that_of_squad(text):
    """On any text."""
    assert normalise(text) == normalize_answer(text)


@given(ANSWERS, REFERENCES)
@settings(max_examples=500)
def test_exact_match_and_f1_are_those_of_squad(answer, references):
    """On any texts, bit for bit; the best of several references counts."""
    assert exact_match(answer, references) == max(
        compute_exact(each, answer) for each in references
    )
    assert token_f1(answer, references) == max(compute_f1(each, answer) for each in references)


@given(ASCII, ASCII.filter(str.strip))
@settings(max_examples=500)
def test_rouge_l_is_that_of_rouge_score(answer, reference):
    """On ASCII texts, which are all that its own tokenizer reads."""
    theirs = RougeScorer(["rougeL"]).score(reference, answer)["rougeL"].fmeasure
    assert rouge_l(answer, reference) == pytest.approx(theirs, abs=1e-12)


class Runs:
    """Our tokens, for a scorer that brings its own otherwise."""

    def tokenize(self, text):
        return runs(text)


@given(ANSWERS, REFERENCES)
@settings(max_examples=500)
def test_rouge_l_of_other_scripts(answer, references):
    """On any texts, once it has our tokens."""
    scorer = RougeScorer(["rougeL"], tokenizer=Runs())
    theirs = scorer.score_multi(references, answer)["rougeL"].fmeasure
    assert rouge_l(answer, references) == pytest.approx(theirs, abs=1e-12)


def test_long_answers():
    """Subsequences of hundreds of tokens, longer than a machine word."""
    rng = random.Random(3)
    scorer = RougeScorer(["rougeL"])
    for _ in range(20):
        first, second = (
            " ".join(rng.choices(["red", "green", "blue", "the", "7"], k=rng.randint(100, 400)))
            for _ in range(2)
        )
        theirs = scorer.score(second, first)["rougeL"].fmeasure
        assert rouge_l(first, second) == pytest.approx(theirs, abs=1e-12)
        assert token_f1(first, second) == compute_f1(second, first)
