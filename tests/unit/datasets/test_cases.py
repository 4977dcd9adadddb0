"""Cases: rows of a JSONL file."""

from __future__ import annotations

import json

import pytest

from pytest_trace.datasets.reading import read_cases
from pytest_trace.errors import InvalidCase
from pytest_trace.trace import Document

ROW = {"question": "How long?", "documents": ["30 days."], "response": "30 days."}


@pytest.fixture
def write(tmp_path):
    """Write a cases file and give its path."""

    def write(*lines):
        path = tmp_path / "cases.jsonl"
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text("\n".join(texts), encoding="utf-8")
        return path

    return write


def test_row_is_a_case(write):
    """Known fields are attributes, every field can be read by its name."""
    row = ROW | {"id": "refund", "reference": "A month.", "minimum": 0.3}
    (case,) = read_cases(write(row))
    assert (case.id, case.line, case.path, case.where) == (
        "refund",
        1,
        "cases.jsonl",
        "cases.jsonl:1",
    )
    assert (case.question, case.response, case.reference) == ("How long?", "30 days.", "A month.")
    assert (case.documents, case["documents"]) == ((Document("30 days."),), ["30 days."])
    assert (case["minimum"], case.get("minimum"), case.get("maximum", 1)) == (0.3, 0.3, 1)


def test_missing_field_is_named_with_those_there_are(write):
    """A misspelt field says where and what else the row has."""
    (case,) = read_cases(write({"question": "How long?", "minimun": 1}))
    with pytest.raises(KeyError) as raised:
        case["minimum"]
    assert raised.value.args == ("cases.jsonl:1 has no field 'minimum'; it has question, minimun",)


@pytest.mark.parametrize(
    ("row", "identifier"),
    [({"id": "a"}, "a"), ({"id": 7}, "7"), ({"id": 0}, "0"), ({}, "3"), ({"id": None}, "3")],
)
def test_case_without_an_id_has_its_line_number(write, row, identifier):
    """Blank lines count as lines and are no cases."""
    (case,) = read_cases(write("", "  ", {"question": "How long?"} | row, ""))
    assert (case.id, case.line) == (identifier, 3)


def test_file_may_start_with_a_byte_order_mark(tmp_path):
    """Editors on Windows write one, and end lines their way."""
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b'{"question": "1"}\r\n{"question": "2"}\r\n')
    assert [case.id for case in read_cases(path)] == ["1", "2"]


def test_line_separators_within_texts_end_no_row(write):
    """U+2028 and U+0085 are characters of a JSON string."""
    (case,) = read_cases(write('{"question": "a\u2028b\u0085c"}'))
    assert case.question == "a\u2028b\u0085c"


def test_complete_row_is_a_trace(write):
    """The trace has the row's texts and says which case it is."""
    row = ROW | {"id": "r1", "history": ["Hi"], "reference": "A month."}
    (case,) = read_cases(write(row))
    trace = case.trace()
    assert (trace.question, trace.documents[0].text, trace.response) == (
        "How long?",
        "30 days.",
        "30 days.",
    )
    assert (trace.history[0].text, trace.reference) == ("Hi", "A month.")
    assert trace.metadata == {"case": "r1"}


def test_relevant_ids_of_a_row_go_into_the_trace(write):
    """Where `assert_recall_at` finds them, as a list or as grades by id."""
    row = ROW | {"id": "r1"}
    listed, graded = read_cases(
        write(row | {"relevant_ids": ["a", "b"]}, row | {"relevant_ids": {"a": 2}})
    )
    assert listed.relevant_ids == ("a", "b")
    assert listed.trace().metadata == {"case": "r1", "relevant_ids": ["a", "b"]}
    assert graded.trace().metadata["relevant_ids"] == {"a": 2}


def test_application_gives_what_the_row_lacks(write):
    """A row of questions becomes a trace with what was retrieved and answered."""
    (case,) = read_cases(write({"question": "How long?"}))
    trace = case.trace(documents=[], response="I don't know.")
    assert (trace.documents, trace.response) == ((), "I don't know.")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"question": "q"},
            (
                "cases.jsonl:1 has no documents and no response; "
                "give it: case.trace(documents=…, response=…)"
            ),
        ),
        (
            {"question": "q", "documents": []},
            "cases.jsonl:1 has no response; give it: case.trace(response=…)",
        ),
        (
            ROW | {"response": " "},
            (
                "cases.jsonl:1: response is blank (' '); there is nothing to judge: "
                "assert on the empty response before you build the trace"
            ),
        ),
    ],
)
def test_row_that_makes_no_trace_is_refused(write, row, message):
    """The message names the line and the field."""
    (case,) = read_cases(write(row))
    with pytest.raises(InvalidCase) as raised:
        case.trace()
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [ROW, '{"question": }'],
            "cases.jsonl:2 is no JSON: Expecting value at column 14",
        ),
        (["[1]"], "cases.jsonl:1 is a list; expected a JSON object"),
        (
            [{"question": 3}],
            "cases.jsonl:1, field question: 3 is a int; expected a string",
        ),
        (
            [{"documents": "30 days."}],
            "cases.jsonl:1, field documents: a str; expected a list",
        ),
        (
            [{"documents": [" "]}],
            (
                "cases.jsonl:1, field documents: documents hold no text (1 of 1 are blank); "
                "pass documents=[] if retrieval found nothing"
            ),
        ),
    ],
)
def test_wrong_row_is_refused(write, lines, message):
    """The message names the line, the field, what came and what was expected."""
    with pytest.raises(InvalidCase) as raised:
        read_cases(write(*lines))
    assert str(raised.value) == message


def test_file_without_a_row_is_refused(write):
    """A test of no cases would pass by testing nothing."""
    path = write("", " ")
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    assert str(raised.value) == f"{path} holds no case; expected one JSON object a line"


def test_file_that_cannot_be_read_is_refused(tmp_path):
    """The message names the file and the reason."""
    path = tmp_path / "none.jsonl"
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    assert str(raised.value) == f"cannot read the cases in {path}: No such file or directory"


def test_file_in_another_encoding_is_refused(tmp_path):
    """The message says that it is no UTF-8."""
    path = tmp_path / "cases.jsonl"
    path.write_bytes('{"question": "Größe?"}'.encode("latin-1"))
    with pytest.raises(InvalidCase, match=r"^cases\.jsonl is not UTF-8: 'utf-8' codec can't"):
        read_cases(path)
