"""Words of any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.language.words import content_words, dominant_script, has_negation, scripts, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The company's laptops", ["the", "company", "laptops"]),
        ("It doesn’t ship", ["it", "doesn't", "ship"]),
        ("1,234.5 items", ["1,234.5", "items"]),
        ("30GB", ["30", "gb"]),
        ("the U.S. market", ["the", "us", "market"]),
        ("X-200", ["x", "200"]),
        ("l’eau de l'hôtel", ["l", "eau", "de", "l", "hôtel"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("मुझे नहीं पता।", ["मुझे", "नहीं", "पता"]),
        ("退货30天", ["退", "货", "30", "天"]),
        ("ดี", ["ดี"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("ﬁle １２", ["file", "12"]),
        ("Acme™ co\u00adoperates", ["acme", "cooperates"]),
        ("10² km²", ["10", "km"]),
        ("", []),
        ("\ud800 \x00 —", []),
    ],
)
def test_words_of(text, expected):
    """Words keep their marks, numbers stay whole, and scripts without spaces give characters."""
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This is a laptop of mine", ["laptop"]),
        ("Die Garantie ist zwei Jahre", ["garantie", "zwei", "jahre"]),
        ("यह पाँच साल है", ["पाँच", "साल"]),
        ("我们的电脑", ["电", "脑"]),
        ("Here it is:", []),
        ("a 7", ["7"]),
    ],
)
def test_content_words(text, expected):
    """Articles, pronouns and auxiliaries carry no content in any of the known languages."""
    assert content_words(words(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["It doesn't", "is not", "nicht", "n'est pas", "no es", "नहीं है", "没有", "не работает", "لا"],
)
def test_negation_is_seen(text):
    """Negations of several languages are known."""
    assert has_negation(words(text))


@pytest.mark.parametrize("text", ["knot", "It does", "Die Garantie", "保修"])
def test_affirmative_text_has_no_negation(text):
    """Words that only look like a negation are none."""
    assert not has_negation(words(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Refunds take 30 days", "Latin"),
        ("请使用 Microsoft Office 软件", "Han"),
        ("返品できます", "Kana"),
        ("서울은", "Hangul"),
        ("मुझे पता", "Devanagari"),
        ("привет", "Cyrillic"),
        ("مرحبا", "Arabic"),
        ("12 | | —", None),
        ("", None),
    ],
)
def test_dominant_script(text, expected):
    """The script of most words counts, and digits and symbols have none."""
    assert dominant_script(text) == expected


def test_scripts_are_counted_in_words():
    """A Latin name in a Chinese text counts as one word."""
    assert scripts("使用iPhone") == {"Han": 2, "Latin": 1}


@given(st.text())
def test_any_text_has_words(text):
    """No text makes words or scripts fail, and words are never empty."""
    assert all(words(text))
    assert sum(scripts(text).values()) <= len(text) * 4
