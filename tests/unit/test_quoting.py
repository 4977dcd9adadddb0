"""Texts of others on a line of ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from pytest_trace.quoting import fold, quote, shorten, visible, width

WIDE = "文字" * 40
CLUSTERS = ("❤️", "👩\u200d👩\u200d👧", "क्षि", "🇩🇪", "e\u0301", "1️⃣", "👍🏽", "한")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain Ünïcode 文 🙂", "plain Ünïcode 文 🙂"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\0\x1b[31m\x7f", "\\x00\\x1b[31m\\x7f"),
        ("\u202eevil\u2028", "\\u202eevil\\u2028"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_what_nobody_sees_is_written_as_an_escape(text, shown):
    """Control, format and surrogate characters are escaped; joiners of words are not."""
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("文字", 4), ("e\u0301", 1), ("🙂", 2), ("", 0)]
)
def test_width_is_in_columns(text, columns):
    """A wide character takes two columns, a combining mark none."""
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("short", 5, "short"),
        ("abcdefghij", 8, "abc...ij"),
        ("abcdefghij", 9, "abc...hij"),
        (WIDE, 11, "文字...文字"),
        ("abcdef", 4, "..."),
        ("abcdef", 2, ".."),
        ("abcdef", 0, ""),
        ("abcdef", -3, ""),
    ],
)
def test_long_text_loses_its_middle(text, columns, shown):
    """Beginnings and ends tell most; where nothing fits, only the gap is left."""
    assert shorten(text, columns) == shown


def test_gap_may_be_another():
    """A terminal that has it shows an ellipsis."""
    assert shorten("abcdefghij", 5, gap="…") == "ab…ij"


@given(
    st.lists(st.one_of(st.sampled_from(CLUSTERS), texts), max_size=30).map("".join),
    st.integers(0, 60),
)
def test_shortened_text_fits(text, columns):
    """Whatever clusters a text holds, it is never wider than asked."""
    assert width(shorten(visible(text), columns)) <= columns


def test_stacked_marks_are_cut():
    """Marks take no column, but not even they go on for ever."""
    assert len(shorten("a" + "\u0301" * 100_000 + "b" * 50, 20)) < 200


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  two\n lines\t", '"two lines"'),
        ("NUL \0", '"NUL \\x00"'),
        ("x" * 40, '"xxxxxxxx...xxxxxxx"'),
    ],
)
def test_quoted_text_stands_on_one_line(text, shown):
    """White space is one blank, the rest visible, the whole in quotes of bounded width."""
    assert quote(text, 20) == shown


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three four", ["one two", "  three", "  four"]),
        ("", [""]),
        ("abcdefghijklm", ["ab...lm"]),
        ("文字 文字 文字", ["文字 文字", "  文字"]),
    ],
)
def test_text_is_folded_between_words(text, lines):
    """Lines break between words and are indented from the second on; a long word is shortened."""
    assert list(fold(text, 9, indent="  ")) == lines


@given(texts, st.integers(6, 30))
def test_folded_lines_fit(text, columns):
    """No line is wider than asked."""
    assert all(width(line) <= columns for line in fold(text, columns, indent="  "))
