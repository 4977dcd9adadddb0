"""Which output of a model is entailment: told by the names in its configuration."""

from __future__ import annotations

import itertools

import pytest

from pytest_trace.judges.nli.labels import read_labels

THREE = ("entailment", "neutral", "contradiction")


@pytest.mark.parametrize("order", list(itertools.permutations(THREE)))
def test_labels_are_read_by_name_in_any_order(order):
    """No order is taken for granted: published models have several."""
    assert read_labels(dict(enumerate(order))) == order


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], ("contradiction", "neutral", "entailment")),
        (["Entailment", "not_entailment"], ("entailment", "not_entailment")),
        (["NOT-ENTAILMENT", "entailment"], ("not_entailment", "entailment")),
        (["non entailment", "entails"], ("not_entailment", "entailment")),
        (["contradiction", "entailment"], ("contradiction", "entailment")),
    ],
)
def test_case_and_spelling_do_not_matter(names, labels):
    """Two labels are enough where one of them is entailment."""
    assert read_labels(dict(enumerate(names))) == labels


def test_the_numbers_decide_and_not_the_order_of_the_mapping():
    """A configuration may list its outputs in any order."""
    assert read_labels({2: "neutral", 0: "entailment", 1: "contradiction"}) == (
        "entailment",
        "contradiction",
        "neutral",
    )


@pytest.mark.parametrize(
    "names",
    [
        ["LABEL_0", "LABEL_1", "LABEL_2"],
        ["LABEL_0"],
        ["entailment"],
        ["positive", "negative"],
        ["neutral", "contradiction"],
        ["entailment", "entails", "contradiction"],
        ["entailment", "neutral", "contradiction", "other"],
        ["not_entailment", "neutral", "entailment"],
        [],
    ],
)
def test_names_that_are_not_those_of_nli_are_not_guessed(names):
    """Names that say nothing, that say it twice, or that are more or fewer are refused."""
    assert read_labels(dict(enumerate(names))) is None
