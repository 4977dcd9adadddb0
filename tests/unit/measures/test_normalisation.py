"""Answers in one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import texts

from pytest_trace.errors import UnknownName
from pytest_trace.measures.normalisation import NORMALISATIONS, normalise, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Eiffel Tower!", "eiffel tower"),
        ("an apple, a pear and the theatre", "apple pear and theatre"),
        ("don't", "dont"),
        ("U.S.A.", "usa"),
        ("3.5 km/h", "35 kmh"),
        ("a", ""),
        ("?!", ""),
        ("“Paris” – n’est-ce pas", "“paris” – n’estce pas"),
        ("北京 大学", "北京 大学"),
    ],
)
def test_squad_by_hand(text, expected):
    """Lower case; no ASCII punctuation, which joins what stood around it; no English article."""
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Paris” – n’est-ce pas", "paris nestce pas"),
        ("北京大学。", "北 京 大 学"),
        ("東京タワー、333m", "東 京 タ ワ ー 333m"),
        ("The हिन्दी भाषा।", "हिन्दी भाषा"),
        ("the $5", "5"),
    ],
)
def test_multilingual_by_hand(text, expected):
    """No punctuation of any script; a character of a script without spaces stands alone."""
    assert normalise(text, "multilingual") == expected


@given(texts)
def test_forms_agree_on_ascii(text):
    """The multilingual form changes nothing in plain English, and both are their own spelling."""
    plain = text.encode("ascii", "ignore").decode()
    assert normalise(plain, "multilingual") == normalise(plain)
    for form in NORMALISATIONS:
        assert tokens(text, form) == normalise(text, form).split()


def test_an_unknown_form_is_refused():
    """The message lists what is known."""
    with pytest.raises(UnknownName, match=r"unknown normalisation 'mlqa'; known: squad, multi"):
        normalise("x", "mlqa")
