"""Cells of a table: the lists and objects that stand in them as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.datasets.cells import read_cell

TEXTS = st.lists(st.text())


@given(TEXTS)
def test_lists_of_texts_come_back(texts):
    """Whatever the texts, as JSON and as Python print them."""
    assert read_cell(json.dumps(texts)) == texts
    assert read_cell(json.dumps(texts, ensure_ascii=False)) == texts
    assert read_cell(repr(texts)) == texts


@given(st.lists(st.text(), min_size=2))
def test_arrays_of_texts_come_back(texts):
    """numpy puts no comma between texts; Python alone would join them into one."""
    assert read_cell(f"[{' '.join(map(repr, texts))}]") == texts
    assert read_cell("[" + "\n ".join(map(repr, texts)) + "]") == texts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[]", []),
        (" ['a'] ", ["a"]),
        ("[1 2 3]", [1, 2, 3]),
        ("('a', 'b')", ("a", "b")),
        ("{'a': [None, True]}", {"a": [None, True]}),
        ("[{'text': 'a', 'score': nan}]", [{"text": "a", "score": None}]),
        (r"['\d+']", [r"\d+"]),
        (r"['\d+' '\w+']", [r"\d+", r"\w+"]),
        ("array(['a', 'b'], dtype=object)", ["a", "b"]),
        ("{'c': array(['a', 'b'], dtype=object)}", {"c": ["a", "b"]}),
        ("{'ts': Timestamp('2026-01-02 00:00:00')}", {"ts": "Timestamp('2026-01-02 00:00:00')"}),
        ("[datetime.datetime(2026, 1, 2, 3, 4)]", ["datetime.datetime(2026, 1, 2, 3, 4)"]),
    ],
)
def test_what_python_and_numpy_print_is_read(text, value):
    """Times become text, and what is not a number is nothing."""
    assert read_cell(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain text",
        "[unclosed",
        "['a' 'b'",
        "['a' 'b' ... 'z']",  # numpy leaves out the middle of a long array
        "it's",
        "[1, 2",
        "  [",
        "[" * 10_000,
        "__import__('os').getcwd()[",
    ],
)
def test_other_text_is_refused(text):
    """Text that stands for no value is no list of anything."""
    with pytest.raises(ValueError, match=r"is neither JSON nor a Python literal$"):
        read_cell(text)


def test_nothing_is_called():
    """A call in a cell is text."""
    assert read_cell("[print('x')]") == ["print('x')"]
