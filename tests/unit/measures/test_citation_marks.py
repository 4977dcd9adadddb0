"""Which citations a response has, in which spelling, and what each of them stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import documents as any_document
from strategies import texts

from pytest_trace.measures.citation_marks import CitedResponse
from pytest_trace.trace import Document

DOCUMENTS = [
    Document("Laptops can be returned.", title="Returns policy", id="ret-1"),
    Document("The battery lasts 12 hours.", title="Wattlebird Air, manual", id="air-3"),
    Document("Fees.", metadata={"source": "docs/fees.md", "url": "https://shop.example/fees"}),
    Document("More."),
]


def targets(response, *, numbering_from=1, documents=DOCUMENTS):
    marks = CitedResponse(response, documents, numbering_from).marks
    return [(mark.target, mark.document) for mark in marks]


@pytest.mark.parametrize(
    ("citation", "expected"),
    [
        ("[2]", [("2", 1)]),
        ("[1, 3]", [("1", 0), ("3", 2)]),
        ("[1; 3]", [("1", 0), ("3", 2)]),
        ("[1 and 3]", [("1", 0), ("3", 2)]),
        ("[1][3]", [("1", 0), ("3", 2)]),
        ("[1-3]", [("1", 0), ("2", 1), ("3", 2)]),
        ("[1–2, 4]", [("1", 0), ("2", 1), ("4", 3)]),
        ("[3-1]", [("3", 2), ("1", 0)]),  # no range, and both ends stand there
        ("[^2]", [("2", 1)]),
        ("【2】", [("2", 1)]),
        ("【2†source】", [("2", 1)]),
        ("[2](https://shop.example/air)", [("2", 1)]),
        ("(doc 2)", [("2", 1)]),
        ("(Doc. 2)", [("2", 1)]),
        ("(Documents 1, 3)", [("1", 0), ("3", 2)]),
        ("[Document 2]", [("2", 1)]),
        ("[source: 2]", [("2", 1)]),
        ("(passage #2)", [("2", 1)]),
        ("(Quelle 2)", [("2", 1)]),
        ("(Source: Returns policy)", [("Returns policy", 0)]),
        ("(source:  returns  Policy.)", [("returns  Policy.", 0)]),
        ("(Source: Wattlebird Air, manual)", [("Wattlebird Air, manual", 1)]),
        ("(Sources: ret-1; air-3)", [("ret-1", 0), ("air-3", 1)]),
        ("(Source: Returns policy, page 3)", [("Returns policy", 0)]),
        ("(Source: 2)", [("2", 1)]),
        ("(Quellen: 2, 3)", [("2", 1), ("3", 2)]),
        ("(Source: docs/fees.md)", [("docs/fees.md", 2)]),
        ("[air-3]", [("air-3", 1)]),
        ("(Returns policy)", [("Returns policy", 0)]),
        ("(see Returns policy)", [("Returns policy", 0)]),
        ("[7]", [("7", None)]),
        ("[0]", [("0", None)]),
        ("[2-5]", [("2", 1), ("3", 2), ("4", 3), ("5", None)]),
        ("(Source: Price list)", [("Price list", None)]),
        ("(Sources: Price list; ret-1)", [("Price list", None), ("ret-1", 0)]),
        ("[^a]", [("^a", None)]),
    ],
)
def test_spellings(citation, expected):
    """Numbers count documents from 1; a name is a title, an id or a source of the metadata."""
    assert targets(f"It is so {citation}.") == expected


@pytest.mark.parametrize(
    "text",
    [
        "It is (2) or [sic] or [...] or [2024] or (see below) or [x](https://x.example/2).",
        "Use `items[1]` here.",
        "So:\n\n```python\nitems[1] = (doc, 2)\n```\n",
        "An unclosed [1 bracket and (doc 2.",
        "There are 2 documents (two).",
    ],
)
def test_what_is_no_citation(text):
    """Enumerators, remarks, years, links, code."""
    assert targets(text) == []


def test_numbers_may_start_at_0():
    """The first document is [0] then."""
    assert targets("[0] [3] [4]", numbering_from=0) == [("0", 0), ("3", 3), ("4", None)]


def test_a_number_that_is_no_position_may_be_an_id():
    """A position goes first."""
    documents = [Document("A.", id="17"), Document("B.", id="1")]
    assert targets("[17] [1]", documents=documents) == [("17", 0), ("1", 0)]


def test_of_two_documents_with_one_title_the_first_is_meant():
    """Chunks of one page share its title."""
    documents = [Document("A.", title="Page"), Document("B.", title="Page")]
    assert targets("(Source: Page)", documents=documents) == [("Page", 0)]


FOOTNOTES = """It is red [^1]. It is blue [^fees]. It is green [^2].

[^1]: Wattlebird Air, manual, page 3
[^fees]: See docs/fees.md.
[^2]: an unknown book
"""
REFERENCES = """It is red [1]. It is blue [2]. It is green [3].

**Sources:**
[1] Fees, docs/fees.md
2. Returns policy (2024)
- [3] an unknown book
"""


def test_footnotes_say_what_they_stand_for():
    """A definition that names a document goes before the number; definitions are no citations."""
    assert targets(FOOTNOTES) == [("1", 1), ("^fees", 2), ("2", 1)]


def test_a_list_of_references_says_what_its_numbers_stand_for():
    """Where the generator numbers the documents it used, and not those it was given."""
    assert targets(REFERENCES) == [("1", 2), ("2", 0), ("3", 2)]


@pytest.mark.parametrize("heading", ["Sources:", "## References", "Citations: [1] Returns policy"])
def test_what_stands_under_references_is_no_sentence(heading):
    """From its heading on; a response that starts with one is no list."""
    response = f"It is red [2].\n\n{heading}\n[1] Returns policy [2]"
    cited = CitedResponse(response, DOCUMENTS, 1)
    assert [mark.target for mark in cited.marks] == ["2"]
    assert not cited.is_reference(0)
    assert cited.is_reference(response.index(heading))
    assert targets("Sources: It is red [2].") == [("2", 1)]


def test_offsets_are_those_of_the_response():
    """Code before a citation moves nothing."""
    response = "Call `f[1]` [1, 2]."
    marks = CitedResponse(response, DOCUMENTS, 1).marks
    assert [response[mark.start : mark.end] for mark in marks] == ["[1, 2]", "[1, 2]"]


SIGNS = ("[", "]", "(", ")", "^", "1", "2", "-", ",", "`", "```", "[^1]:", "doc", "\nSources:\n")
PIECES = st.lists(st.one_of(texts, st.sampled_from(SIGNS)), max_size=12).map("".join)


@given(PIECES, st.lists(any_document, max_size=3))
def test_any_response_can_be_read(response, documents):
    """Marks stand where they say they do and mean a document that is there."""
    for mark in CitedResponse(response, documents, 1).marks:
        assert 0 <= mark.start < mark.end <= len(response)
        assert mark.document is None or 0 <= mark.document < len(documents)
