"""Names in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.language.names import names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acme Corp sells laptops in Germany.", ["Acme Corp", "Germany"]),
        ("The X-200 ships from Berlin.", ["X-200", "Berlin"]),
        ("Ask NASA or Dr. Miller.", ["NASA", "Miller"]),
        ("In 2024 Contoso's revenue grew.", ["Contoso"]),
        ("Use an iPhone with YouTube.", ["iPhone", "YouTube"]),
        ("请使用iPhone或Microsoft Office。", ["iPhone", "Microsoft Office"]),
        ("by J. K. Rowling", ["Rowling"]),
        ("two TVs and PCs", ["TV", "PC"]),
        ("Открыт в Москве", ["Москве"]),
        ("Von Neumann was born in Budapest.", ["Neumann", "Budapest"]),
    ],
)
def test_names_are_found(text, expected):
    """Capitalised names, acronyms and product codes are names."""
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Laptops can be returned. However, phones cannot.",
        "Refund Policy For Laptops",
        "REFUNDS ARE NEVER POSSIBLE HERE",
        "I think I'm in May",
        "Die Garantie für den Laptop beträgt zwei Jahre.",
        "Das Unternehmen wurde 1998 in Leipzig gegründet.",
        "Der Umsatz stieg stark.",
        "- Open the box\n- Close the lid",
        "no capitals at all",
        "保修期为两年",
        "Manual Pairing: press the button",
        "Go there - Choose the box",
        "50GB and 3PLs",
        "",
    ],
)
def test_capitals_without_a_name(text):
    """Starts of sentences, headings, German nouns and months are no names."""
    assert names(text) == []


def test_german_names_need_a_sign():
    """Where all nouns are capitalised, codes, acronyms and titled persons are still names."""
    assert names("Das Gerät X-200 von Herr Müller ist bei der NASA.") == ["X-200", "Müller", "NASA"]


@given(st.text())
def test_any_text_is_read(text):
    """No text makes reading fail."""
    assert all(names(text))
