"""Reading cases: the parts that are said, and rows that are wrong."""

from __future__ import annotations

import json
import warnings

import pytest
from case_files import write_cases

from pytest_trace.datasets.reading import iter_cases, read_cases
from pytest_trace.errors import InvalidCase, SkippedRows, UnknownName

GOOD = {"question": "How long?", "documents": ["30 days."], "response": "30 days."}


def write(tmp_path, *rows):
    return write_cases(tmp_path, "jsonl", rows)


def test_parts_may_stand_elsewhere(tmp_path):
    """A field, one within another, and one whose name has a point."""
    row = {
        "prompt": "How long?",
        "output": {"text": "30 days.", "chunks": ["30 days."]},
        "gold.answer": "A month.",
        "key": "a",
        "turns": ["Hello"],
        "found": ["c1"],
        "needed": ["c1"],
        "setup": {"top_k": 5},
    }
    fields = {
        "question": "prompt",
        "documents": "output.chunks",
        "document_ids": "found",
        "response": "output.text",
        "reference": "gold.answer",
        "relevant_ids": "needed",
        "id": "key",
        "history": "turns",
        "evaluation_config": "setup",
    }
    (case,) = read_cases(write(tmp_path, row), fields=fields)
    assert (case.id, case.question, case.response, case.reference) == (
        "a",
        "How long?",
        "30 days.",
        "A month.",
    )
    assert [(item.id, item.text) for item in case.documents] == [("c1", "30 days.")]
    assert (case.relevant_ids, case.history[0].text) == (("c1",), "Hello")
    assert case.evaluation_config.top_k == 5


def test_a_field_that_is_said_to_hold_a_part_tells_no_shape(tmp_path):
    """`query` alone would be that of predictions."""
    row = {"query": "How long?", "documents": ["30 days."]}
    with pytest.raises(InvalidCase, match=r"has fields of own \(documents\) and predictions"):
        read_cases(write(tmp_path, row))
    (case,) = read_cases(write(tmp_path, row), fields={"question": "query"})
    assert (case.question, len(case.documents)) == ("How long?", 1)


def test_a_field_that_is_said_must_be_there(tmp_path):
    """A misspelt one would leave every case without that part; null is a way to have none."""
    rows = [GOOD | {"gold": None}, GOOD | {"golden": "30 days"}]
    cases = iter_cases(write(tmp_path, *rows), fields={"references": "gold"})
    assert next(cases).references == ()
    with pytest.raises(InvalidCase) as raised:
        next(cases)
    assert str(raised.value) == (
        "cases.jsonl:2 has no field 'gold', which was to hold references; "
        "it has question, documents, response, golden"
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"fields": {"answer": "x", "context": "y"}},
            UnknownName,
            (
                "a case has no part 'answer', 'context'; known: question, documents, document_ids, "
                "response, references, relevant_ids, history, id, evaluation_config"
            ),
        ),
        (
            {"fields": ["question"]},
            TypeError,
            "fields is a list; expected a dict such as {'question': 'prompt'}",
        ),
        (
            {"on_bad_row": "ignore"},
            UnknownName,
            "on_bad_row is 'ignore'; known: fail, skip",
        ),
    ],
)
def test_unknown_options_are_refused_before_the_file_is_read(tmp_path, options, error, message):
    """The message lists what is known."""
    with pytest.raises(error) as raised:
        iter_cases(tmp_path / "none.jsonl", **options)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("id", ["a"], "['a'] is a list; expected a string or a number"),
        ("references", 30, "30 is a int; expected a string or a list of strings"),
        ("references", ["a", 3], "['a', 3] is a list; expected a string or a list of strings"),
        ("relevant_ids", "p1", "a str; expected a list of ids"),
        ("relevant_ids", [True], "True is a bool; expected an id: a string or a whole number"),
        ("relevant_ids", [None], "None is a NoneType; expected an id: a string or a whole number"),
        ("history", "Hello", "a str; expected a list of earlier turns"),
        (
            "history",
            [3],
            (
                "history[0] is 3 (int); expected a str, a (role, text) pair or a dict with "
                "'role' and 'content'"
            ),
        ),
        (
            "documents",
            ["a", {"body": "b"}],
            (
                "documents[1]: a dict with the keys ['body']; expected a str, a Document, "
                "a dict with 'text', 'content' or 'page_content', "
                "or a LangChain, LlamaIndex or Haystack document"
            ),
        ),
        ("documents", {"text": "a"}, "a dict; expected a list"),
        ("documents", {"text": ["a"], "id": []}, "a dict; expected a list"),
        (
            "evaluation_config",
            512,
            "the configuration is 512 (int); expected names and values, such as chunk_size and 512",
        ),
        (
            "evaluation_config",
            {"chunk_size": "512"},
            "chunk_size is '512' (str); expected a whole number from 1",
        ),
        ("response", ["x" * 80], f"['{'x' * 58}… is a list; expected a string"),
    ],
)
def test_wrong_field_is_named(tmp_path, field, value, message):
    """The message has the line, the field, what came and what was expected."""
    with pytest.raises(InvalidCase) as raised:
        read_cases(write(tmp_path, GOOD, GOOD | {field: value}))
    assert str(raised.value) == f"cases.jsonl:2, field {field}: {message}"


def test_table_of_texts_holds_every_part(tmp_path):
    """Lists and objects are JSON or what Python prints; an empty cell holds nothing."""
    row = {
        "question": "How long?",
        "documents": json.dumps([{"text": "30 days.", "id": "p1"}]),
        "response": "",
        "references": "[1] is where it stands",
        "relevant_ids": "[1, 'p2']",
        "history": '[{"role": "user", "content": "Hello"}]',
        "evaluation_config": "{'chunk_size': 512}",
        "minimum": 0.3,
    }
    (case,) = read_cases(write_cases(tmp_path, "csv", [row]))
    assert (case.documents[0].id, case.response) == ("p1", None)
    assert case.references == ("[1] is where it stands",)
    assert (case.relevant_ids, case.history[0].text) == (("1", "p2"), "Hello")
    assert case.evaluation_config.chunk_size == 512
    assert (case["minimum"], case["response"]) == ("0.3", "")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            {"evaluation_config": "small chunks"},
            "field evaluation_config: the configuration is 'small chunks' (str); expected names",
        ),
        ({"relevant_ids": "p1"}, "field relevant_ids: 'p1' cannot be read as a list; write it in"),
        ({"history": "Hello"}, "field history: 'Hello' cannot be read as a list; write it in JSON"),
        ({"documents": "{'text': 'a'}"}, "field documents: \"{'text': 'a'}\" cannot be read as a"),
    ],
)
def test_cell_that_is_no_list_or_object_is_named(tmp_path, cells, message):
    """A declaration that cannot be read is never dropped."""
    with pytest.raises(InvalidCase) as raised:
        read_cases(write_cases(tmp_path, "csv", [{"question": "How long?"} | cells]))
    assert str(raised.value).startswith(f"cases.csv:2, {message}")


def test_blank_references_are_none(tmp_path):
    """There is nothing to compare an answer with."""
    (case,) = read_cases(write(tmp_path, GOOD | {"references": ["", " ", "30 days"]}))
    assert case.references == ("30 days",)
    (case,) = read_cases(write(tmp_path, GOOD | {"reference": ""}))
    assert (case.references, case.reference) == ((), None)


def test_empty_response_stays_empty(tmp_path):
    """In JSON a generator that said nothing is told from one that was not asked."""
    said, unsaid = read_cases(write(tmp_path, GOOD | {"response": ""}, {"question": "Why?"}))
    assert (said.response, unsaid.response) == ("", None)


def test_wrong_rows_may_be_left_out_with_a_warning(tmp_path):
    """The warning counts and names them; it comes when all is read."""
    path = write(tmp_path, GOOD, GOOD | {"question": 3}, GOOD, {"prompt": "x"})
    with path.open("a", encoding="utf-8") as file:
        file.write("no JSON\n")
    with pytest.warns(SkippedRows) as warned:
        cases = read_cases(path, on_bad_row="skip")
    assert [case.line for case in cases] == [1, 3]
    assert str(warned[0].message).splitlines() == [
        "cases.jsonl: left out 3 of 5 rows, which cannot be read:",
        "  cases.jsonl:2, field question: 3 is a int; expected a string",
        (
            "  cases.jsonl:4 has only fields by which no shape is known (prompt); "
            "say the shape (own, predictions, ragas, deepeval, trulens, promptfoo) "
            "or the field of a part, such as question=FIELD"
        ),
        "  cases.jsonl:5 is no JSON: Expecting value at column 1",
    ]


def test_rows_of_a_table_may_be_left_out(tmp_path):
    """What follows a row that is none is read on."""
    path = tmp_path / "cases.csv"
    text = 'question,documents\nA?,"[""x""]"\nB?\nC?,"a" b\nD?,"[\'y\']"\n'
    path.write_text(text, encoding="utf-8")
    skipped = []
    cases = read_cases(path, on_bad_row="skip", on_skipped=skipped.append)
    assert [(case.question, case.line) for case in cases] == [("A?", 2), ("D?", 5)]
    assert [str(error).partition(" ")[0] for error in skipped] == ["cases.csv:3", "cases.csv:4"]


def test_whoever_is_told_of_wrong_rows_gets_no_warning(tmp_path):
    """`on_skipped` takes each as it is met."""
    path = write(tmp_path, {"question": 3}, GOOD)
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cases = iter_cases(path, on_bad_row="skip", on_skipped=told.append)
        assert next(cases).line == 2
    assert [str(error) for error in told] == [
        "cases.jsonl:1, field question: 3 is a int; expected a string"
    ]


def test_of_many_wrong_rows_the_first_are_named(tmp_path):
    """A warning stays readable."""
    path = write(tmp_path, GOOD, *[{"question": 3}] * 1025)
    with pytest.warns(SkippedRows) as warned:
        read_cases(path, on_bad_row="skip")
    lines = str(warned[0].message).splitlines()
    assert lines[0] == "cases.jsonl: left out 1,025 of 1,026 rows, which cannot be read:"
    assert (len(lines), lines[-1]) == (22, "  and 1,005 more")


def test_file_of_wrong_rows_holds_no_case(tmp_path):
    """Leaving out everything would test nothing."""
    path = write(tmp_path, {"question": 3}, {"question": 4})
    with pytest.warns(SkippedRows), pytest.raises(InvalidCase) as raised:
        read_cases(path, on_bad_row="skip")
    assert str(raised.value) == (
        f"{path} holds no case that can be read: all 2 rows are wrong; "
        "expected one JSON object a line"
    )


def test_file_that_is_none_is_never_left_out(tmp_path):
    """What cannot be opened is no wrong row."""
    with pytest.raises(InvalidCase, match=r"^cannot read the cases in "):
        read_cases(tmp_path / "none.jsonl", on_bad_row="skip")
