"""How a sentence is cut into claims, and where it is left whole."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import texts

from pytest_trace.measures.claim_spans import claim_spans

CLAUSES = [
    (
        "Laptops can be returned within 30 days, and phones can be returned within 14 days.",
        ["Laptops can be returned within 30 days", "phones can be returned within 14 days."],
    ),
    (
        "The phone is light but the battery is weak.",
        ["The phone is light", "the battery is weak."],
    ),
    (
        "The fee was 10% in May and the fee is 20% now.",
        ["The fee was 10% in May", "the fee is 20% now."],
    ),
    (
        "The shop opens at 9; the café opens at 10; both close at 18.",  # "both" joins them
        None,
    ),
    (
        "The shop opens at 9; the café opens at 10.",
        ["The shop opens at 9", "the café opens at 10."],
    ),
    (
        "Der Akku hält 12 Stunden; das Gerät wiegt 300 g.",
        ["Der Akku hält 12 Stunden", "das Gerät wiegt 300 g."],
    ),
]
SHARED_SUBJECTS = [
    (
        "The battery lasts 12 hours [1] and weighs 300 g [2].",
        [("The battery lasts 12 hours [1]", None), ("weighs 300 g [2].", "The battery")],
    ),
    (
        "The company was founded in 1990, and it acquired Acme in 2005.",
        [
            ("The company was founded in 1990", None),
            ("it acquired Acme in 2005.", "The company"),
        ],
    ),
    (
        "Marie Curie discovered radium and won two Nobel Prizes.",
        [("Marie Curie discovered radium", None), ("won two Nobel Prizes.", "Marie Curie")],
    ),
    (
        "In 1990, the company was sold and its name was changed.",
        [("In 1990, the company was sold", None), ("its name was changed.", "the company")],
    ),
    (
        "The car is red, has four wheels and weighs 900 kg.",
        [
            ("The car is red", None),
            ("has four wheels", "The car"),
            ("weighs 900 kg.", "The car"),
        ],
    ),
    (
        "It was released in 1996 and is the third album.",  # "it" alone says nothing more
        [("It was released in 1996", None), ("is the third album.", None)],
    ),
    (
        "2. UTVs typically have a high payload and are wider than ATVs.",
        [
            ("2. UTVs typically have a high payload", None),
            ("are wider than ATVs.", "UTVs"),
        ],
    ),
    (
        "Paris, the capital of France, is big and has many museums.",
        [("Paris, the capital of France, is big", None), ("has many museums.", "Paris")],
    ),
]
RELATIVES = [
    (
        "The battery, which lasts 12 hours, is replaceable.",
        [("The battery, which lasts 12 hours", None), ("is replaceable.", "The battery")],
    ),
    (
        "It ships with a battery, which lasts 12 hours.",
        [("It ships with a battery", None), ("which lasts 12 hours.", "a battery")],
    ),
    (
        "She starred in “The Chamber”, which is based on a novel.",
        [("She starred in “The Chamber”", None), ("which is based on a novel.", "“The Chamber”")],
    ),
]
LISTS = [
    (
        "The kit contains a hammer, a saw, and nails [2].",
        [
            ("The kit contains a hammer", None),
            ("a saw", "The kit contains"),
            ("nails [2].", "The kit contains"),
        ],
    ),
    (
        "The kit is available in red, green and blue.",
        [
            ("The kit is available in red", None),
            ("green", "The kit is available in"),
            ("blue.", "The kit is available in"),
        ],
    ),
    (
        "Apple Computer was founded by Steve Jobs, Steve Wozniak, and Ronald Wayne.",
        [
            ("Apple Computer was founded by Steve Jobs", None),
            ("Steve Wozniak", "Apple Computer was founded by"),
            ("Ronald Wayne.", "Apple Computer was founded by"),
        ],
    ),
]
WHOLE = [
    "Laptops can be returned within 30 days.",
    "If you return it and it is complete, you get the money back.",
    "The manual says that the box is red and the lid is blue.",
    "The shop is closed because it is late and the lights are off.",
    "It is neither red nor blue, and it is not green.",
    "Items that are new and unused can be returned.",
    "Customers who are members and staff are exempt.",
    "Items bought in the shop and items bought online can be returned.",
    "Research and development is expensive in this field.",
    "The battery, which lasts 12 hours, and the charger, which is new, of course.",
    "Aloe can help to treat gums, lips, and hands.",
    "It has a hammer and a saw, nails, screws.",
    "The price of bread and butter is 5 euros.",
    "Press the button and hold it for 5 seconds.",
    "It is not available in red, green, and blue.",
    "You can have it in red, green or blue.",
    "The Mansion is the oldest house, an important site and landmark.",  # an apposition
    "Boxers have broad, short skulls and a square muzzle.",  # two adjectives
    "The fee is 5 euros, payable in cash and by card.",
    "It was signed on April 1, 1976 by Ann, Bob, and Carl.",  # a date in the list
    "The rates are 5, 10, and 20 %.",
    "The hormone is stored in and released from the gland.",
    "The firm is owned and operated by Acme.",
    "This will verify the latch is closed and the door can be opened.",
    "It supports the kind of work and the kind of help they need.",
    "The charger (and the cable is included) has a long warranty.",
    'He wrote "the box is red and the lid is blue" on the wall.',
    "Options: a small one; a large one; none.",
    "Is it red, and is the lid blue?",
    "| red and is | blue and is |\n|---|---|",
    "It is `a and it is b` in the code, which is short.",
    "The list contains " + "a hammer, " * 100 + "and a saw.",
]


def cut(sentence):
    return [(sentence[span.start : span.end], span.context) for span in claim_spans(sentence)]


@pytest.mark.parametrize(("sentence", "claims"), CLAUSES)
def test_coordinated_clauses_are_claims(sentence, claims):
    """Each with a subject and a verb of its own; other languages are cut at semicolons."""
    assert cut(sentence) == [(claim, None) for claim in claims or [sentence]]


@pytest.mark.parametrize(("sentence", "claims"), SHARED_SUBJECTS)
def test_a_claim_without_its_subject_carries_it_as_context(sentence, claims):
    """A second verb or a pronoun needs what the clause before is about."""
    assert cut(sentence) == claims


@pytest.mark.parametrize(("sentence", "claims"), RELATIVES)
def test_a_relative_clause_behind_a_comma_is_a_claim(sentence, claims):
    """With the noun that it speaks of as context."""
    assert cut(sentence) == claims


@pytest.mark.parametrize(("sentence", "claims"), LISTS)
def test_items_of_a_list_are_claims(sentence, claims):
    """Each of three or more, with what leads to the list as context."""
    assert cut(sentence) == claims


def test_a_list_behind_a_second_verb_carries_the_subject_too():
    """What leads to the list stands behind its own context."""
    claims = cut("The kit costs 5 euros but it contains a hammer, a saw, and nails.")
    assert claims == [("The kit costs 5 euros but it contains a hammer, a saw, and nails.", None)]
    claims = cut("The kit is cheap but it contains a hammer, a saw, and nails.")
    assert claims == [
        ("The kit is cheap", None),
        ("it contains a hammer", "The kit"),
        ("a saw", "The kit it contains"),
        ("nails.", "The kit it contains"),
    ]


@pytest.mark.parametrize("sentence", WHOLE)
def test_in_doubt_a_sentence_stays_whole(sentence):
    """Conditions, attributions, negations, fixed pairs, appositions, quotes, tables, questions."""
    assert cut(sentence) == [(sentence, None)]


@given(texts)
@example("A is b, and C is d.")
@example(", and ; which , is and")
@example("and and and is is is , , ,")
@example("It is: , and is and ; it")
def test_claims_are_parts_of_the_sentence_in_order(text):
    """Whatever the text is, no claim overlaps another and together they lose only joints."""
    spans = claim_spans(text)
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    for span, following in pairwise(spans):
        assert span.start < span.end <= following.start
        joint = text[span.end : following.start].strip(" \t,;")
        assert joint in {"", "and", "but"}


WORDS = "it the battery is and , which but lasts a red ; who has hours list : blue 5 Acme won to in"


@given(st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=14).map(" ".join))
def test_any_order_of_words_can_be_cut(text):
    """The rules look at neighbours, which need not be there, and no claim is empty."""
    spans = claim_spans(text)
    assert len(spans) == 1 or all(text[span.start : span.end].strip(" ,;") for span in spans)
