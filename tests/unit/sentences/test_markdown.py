"""Markdown blocks: what is one unit, what is prose, and what each block hangs on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.sentences.markdown import read_blocks

FRAGMENTS = (
    *("# ", "- ", "  - ", "    * ", "1. ", "2) ", "(a) ", "• ", "– ", "> ", ">> ", "| a | b |"),
    *(
        "|---|:-:|",
        "---",
        "===",
        "***",
        "```",
        "~~~~",
        "`` ",
        "a: b",
        "text:",
        "text",
        "Ünï 文",
        ".",
    ),
    *("\n", "\n", "\n", "\r\n", "\r", "\n\n", " ", "\t", "\f", "\0", "\u2028", "\ufeff", "\ud800"),
)
markdown_texts = st.lists(
    st.one_of(
        st.sampled_from(FRAGMENTS), st.text(st.characters(exclude_categories=()), max_size=3)
    ),
    max_size=40,
).map("".join)


def blocks(text):
    """The text of each block, `*` after those that are one unit."""
    return [
        text[block.start : block.end].strip() + ("*" if block.prose is None else "")
        for block in read_blocks(text)
    ]


def leads(text):
    """The text of each block that hangs on another, with the other's."""
    return [
        (text[block.start : block.end].strip(), text[block.lead.start : block.lead.end].strip())
        for block in read_blocks(text)
        if block.lead
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\nTwo", ["# One*", "Two"]),
        ("###### One ######", ["###### One ######*"]),
        ("Two\n## One", ["Two", "## One*"]),
        ("#tag\n####### seven", ["#tag\n####### seven"]),
        ("\ufeff# One", ["\ufeff# One*"]),
        ("One\n===\nTwo", ["One\n===*", "Two"]),
        ("One\n---\nTwo", ["One\n---*", "Two"]),
        ("One two\nthree\n---", ["One two\nthree", "---*"]),
        ("It ends.\n---\nTwo", ["It ends.", "---*", "Two"]),
        ("One\n\n---\n\nTwo\n\n* * *\n\n_____", ["One", "---*", "Two", "* * **", "_____*"]),
        ("One\n==\n**", ["One\n==*", "**"]),
    ],
)
def test_headings_and_rules(text, expected):
    """A heading is one unit with its underline, and a rule is one of its own."""
    assert blocks(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One\ntwo\n\nThree", ["One\ntwo", "Three"]),
        ("One\r\ntwo\r\n\r\nThree\rfour", ["One\r\ntwo", "Three\rfour"]),
        ("One\n \t\nTwo\n\n\n\n", ["One", "Two"]),
        ("One\ftwo\u2028three\x85four", ["One\ftwo\u2028three\x85four"]),
        ("One\0\n\ntwo", ["One\0", "two"]),
        ("Name: Ada\nBorn on: 1815", ["Name: Ada", "Born on: 1815"]),
        ("**Name:** Ada\n**Born**: 1815", ["**Name:** Ada", "**Born**: 1815"]),
        ("Note: this is\nwrapped", ["Note: this is\nwrapped"]),
        ("See https://a.b/c: it\nis it", ["See https://a.b/c: it\nis it"]),
    ],
)
def test_paragraphs(text, expected):
    """A blank line ends a paragraph and a line end does not, unless every line is a field."""
    assert blocks(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n* b\n+ c\n•d\n– e", ["- a", "* b", "+ c", "•d", "– e"]),
        ("1. a\n2) b\n(3) c\nd) e\niv) f", ["1. a", "2) b", "(3) c", "d) e", "iv) f"]),
        ("- a\n  b\nc\n- d", ["- a\n  b\nc", "- d"]),
        ("- a\n\n  b\n\n- c", ["- a", "b", "- c"]),
        ("1. a\n\n   b\n2. c", ["1. a", "b", "2. c"]),
        ("1. a\n\nIt was on\n12. March", ["1. a", "It was on\n12. March"]),
        ("It was\n- a", ["It was", "- a"]),
        ("It was on\n12. March", ["It was on\n12. March"]),
        ("It was:\n12. March", ["It was:", "12. March"]),
        ("It was\n– I think", ["It was\n– I think"]),
        ("-a\n-\n1.5\n2.", ["-a\n-\n1.5\n2."]),
        ("- a\n# b\n- c\n---", ["- a", "# b*", "- c", "---*"]),
    ],
)
def test_lists(text, expected):
    """An item is a block with its marker and continuation lines."""
    assert blocks(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ours:\n\n- a\n\n- b\n\nEnd.\n\n- c", [("- a", "Ours:"), ("- b", "Ours:")]),
        ("**Ours:**\n- a", [("- a", "**Ours:**")]),
        ("它们是：\n- a", [("- a", "它们是：")]),
        ("Ours.\n- a\n- b", []),
        ("Ours:\n\n# Title\n- a", []),
        ("Ours:\n\nOther.\n\n- a", []),
        ("- a\n  - b\n    - c\n  - d\n- e", [("- b", "- a"), ("- c", "- b"), ("- d", "- a")]),
        ("Ours:\n- a\n  - b", [("- a", "Ours:"), ("- b", "- a")]),
        ("1. a\n\n   b\n2. c", [("b", "1. a")]),
        ("1. a\n\n   Its:\n   - b\n2. c", [("Its:", "1. a"), ("- b", "Its:")]),
        ("Ours:\n1. a\n```\nx\n```\n2. b", [("1. a", "Ours:"), ("2. b", "Ours:")]),
        ("\t- a\n\t\t- b", [("- b", "- a")]),
        (" 9. a\n10. b", []),
        ("Ours:\n  text", []),
    ],
)
def test_leads_of_items(text, expected):
    """An item hangs on its parent or else on the list's lead-in, until the list ends."""
    assert leads(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "rows"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |\nEnd", ["| a | b |*", "| 1 | 2 |*", "End"], 1),
        ("a | b\n:-- | --:\n1 | 2\n3 | 4", ["a | b*", "1 | 2*", "3 | 4*"], 2),
        ("Text\n| a |\n|---|\n\n| 1 |", ["Text", "| a |*", "| 1 |*"], 0),
        ("| a |\r\n|---|\r\n| 1 |\r\n", ["| a |*", "| 1 |*"], 1),
        ("| a | b |\n| 1 | 2 |", ["| a | b |*", "| 1 | 2 |*"], 0),
        ("|---|", ["|---|*"], 0),
        ("a | b", ["a | b"], 0),
        ("- a | b\n|---|", ["- a | b\n|---|"], 0),
    ],
)
def test_tables(text, expected, rows):
    """A row is one unit that hangs on the header, and the delimiter row is in no block."""
    assert blocks(text) == expected
    assert [lead for _, lead in leads(text)] == [expected[0].rstrip("*")] * rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run:\n```py\nx = 1.\n\n# y\n```\nEnd", ["Run:", "```py\nx = 1.\n\n# y\n```*", "End"]),
        ("~~~\n```\n~~~\nEnd", ["~~~\n```\n~~~*", "End"]),
        ("````\n```\n````", ["````\n```\n````*"]),
        ("```\nx\n\ny\n", ["```\nx\n\ny*"]),
        ("```", ["```*"]),
        ("``` a ``` b", ["``` a ``` b"]),
        ("- ```\n  - x\n  ```\n- y", ["- ```\n  - x\n  ```*", "- y"]),
        ("> ```\n> x\nEnd", ["> ```\n> x*", "End"]),
        ("```\n> ```\n```\nEnd", ["```\n> ```\n```*", "End"]),
        ("```\r\nx\r\n```\r\nEnd", ["```\r\nx\r\n```*", "End"]),
        ("---\na: 1\nb: 2\n---\nEnd", ["---\na: 1\nb: 2\n---*", "End"]),
        ("---\r\na: 1\r\n---\r\n# End", ["---\r\na: 1\r\n---*", "# End*"]),
        ("---\n\na: 1\n---", ["---*", "a: 1\n---*"]),
        ("---\na: 1\nb: 2", ["---*", "a: 1", "b: 2"]),
    ],
)
def test_fences_and_front_matter(text, expected):
    """A fence is one unit with all it holds, unclosed too, and so is front matter."""
    assert blocks(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> a\n> b\n\nc", ["> a\n> b", "c"]),
        ("> a\nb", ["> a", "b"]),
        ("> a\n>> b\n>\n> c", ["> a", ">> b", "> c"]),
        ("> # a\n> - b\n> - c", ["> # a*", "> - b", "> - c"]),
        (">a", [">a"]),
    ],
)
def test_quotes(text, expected):
    """A quote is read like other text, its marks are part of its blocks."""
    assert blocks(text) == expected


@given(markdown_texts)
def test_blocks_fit_any_text(text):
    """Blocks are in order and apart, and outside of them are only space, quote and table marks."""
    position, outside = 0, ""
    for block in read_blocks(text):
        assert position <= block.start < block.end <= len(text)
        assert text[block.start : block.end].strip()
        outside += text[position : block.start]
        position = block.end
    assert all(letter.isspace() or letter in "|-:>\ufeff" for letter in outside + text[position:])


@given(markdown_texts)
def test_prose_keeps_every_offset(text):
    """Prose is its block with some characters blanked, none of them a letter."""
    for block in read_blocks(text):
        if block.prose is not None:
            original = text[block.start : block.end]
            assert len(block.prose) == len(original)
            blanked = [a for a, b in zip(original, block.prose, strict=True) if a != b]
            assert all(a.isspace() or a in ">\ufeff" for a in blanked)
