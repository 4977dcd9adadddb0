"""Rows of generation runs: fields, shapes, and what is wrong with a line."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import pytest

from pytest_trace.datasets.prediction_fields import Fields
from pytest_trace.datasets.predictions import Passage, Prediction, read_predictions
from pytest_trace.errors import InvalidCase, UnknownName

ROW = {
    "query_id": "q1",
    "query": "How long?",
    "passages": [{"id": "p1", "text": "30 days.", "score": 1.5}],
    "generation": "30 days",
    "references": ["30 days", "a month"],
    "metadata": {"topic": "returns"},
}


def written(folder, *rows, name="run.jsonl"):
    """A file of rows, or of lines as they are."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def read(folder, *rows, fields=()):
    """The rows of a file."""
    return list(read_predictions(written(folder, *rows), Fields.parse(fields)))


def test_our_own_fields(tmp_path):
    """Every field of a row is read; blank lines are skipped and counted as lines."""
    first, second = read(tmp_path, ROW, "  ", ROW | {"query_id": 7, "passages": []})
    assert first == Prediction(
        where="run.jsonl:1",
        id="q1",
        has_id=True,
        query="How long?",
        passages=(Passage("30 days.", "p1", 1.5),),
        generation="30 days",
        references=("30 days", "a month"),
        metadata={"topic": "returns"},
    )
    assert (second.where, second.id, second.passages) == ("run.jsonl:3", "7", ())


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q", "contexts": ["C"], "answer": "A", "ground_truth": "G"},
        {"question": "Q", "contexts": ["C"], "answer": "A", "ground_truths": ["G"]},
        {
            "user_input": "Q",
            "retrieved_contexts": ["C"],
            "response": "A",
            "reference": "G",
        },
        {"question": "Q", "documents": ["C"], "response": "A", "answers": {"text": ["G"]}},
        {"input": "Q", "retrieval_context": ["C"], "actual_output": "A", "expected_output": "G"},
        {"question": "Q", "context": "C", "prediction": "A", "answers": ["G", " "]},
        {"query": "Q", "ctxs": [{"contents": "C"}], "output": "A", "answers": ["G"]},
    ],
)
def test_common_shapes(tmp_path, row):
    """The names of other tools are known; a row without an id has its line."""
    (found,) = read(tmp_path, row)
    assert (found.query, [each.text for each in found.passages]) == ("Q", ["C"])
    assert (found.generation, found.references) == ("A", ("G",))
    assert (found.id, found.has_id) == ("1", False)


@pytest.mark.parametrize("name", ["id", "doc_id", "docid", "pid", "passage_id", "_id"])
@pytest.mark.parametrize("text", ["text", "contents", "content", "passage_text", "page_content"])
def test_names_within_passages(tmp_path, name, text):
    """A passage's id may be a number; title and score are optional."""
    (row,) = read(tmp_path, ROW | {"passages": [{name: 5, text: "C", "title": "T"}]})
    assert row.passages == (Passage("C", "5", None, "T"),)
    assert row.passages[0].content == "T\nC"


def test_fields_by_other_names(tmp_path):
    """`ours=theirs` goes before what is known, and may be a path."""
    row = {
        "query": "not this",
        "prompt": "Q",
        "output": {"text": "A"},
        "hits": [{"chunk": {"body": "C", "key": 3}, "sim": 0.5}],
        "gold.answer": "G",
    }
    fields = ["query=prompt", "generation=output.text", "passages=hits", "references=gold.answer"]
    fields += ["passages.text=chunk.body", "passages.id=chunk.key", "passages.score=sim"]
    (found,) = read(tmp_path, row, fields=fields)
    assert (found.query, found.generation, found.references) == ("Q", "A", ("G",))
    assert found.passages == (Passage("C", "3", 0.5),)


def test_null_is_empty(tmp_path):
    """A generation, passages or references that are null are empty."""
    nulls = dict.fromkeys(("generation", "passages", "references", "metadata", "query_id"))
    (row,) = read(tmp_path, ROW | nulls)
    assert (row.generation, row.passages, row.references, row.metadata) == ("", (), (), {})
    assert not row.has_id


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": 5}, r"run\.jsonl:2, field query: 5 is a int; expected a string"),
        ({"query_id": 1.5}, r"run\.jsonl:2, field query_id: 1\.5 is a float; expected a string or"),
        ({"query_id": True}, r"field query_id: True is a bool"),
        (
            {"passages": {"text": "x"}},
            r"field passages: \{'text': 'x'\} is a dict; expected a list",
        ),
        (
            {"passages": ["a", 5]},
            r"field passages\[1\]: 5 is a int; expected a string or an object",
        ),
        (
            {"passages": [{"id": 1}]},
            r"field passages\[0\]\.text: is missing; .* --field passages\.te",
        ),
        (
            {"passages": [{"text": None, "score": "x"}]},
            r"passages\[0\]\.score: 'x' is a str; .* num",
        ),
        ({"references": ["a", 5]}, r"field references\[1\]: 5 is a int; expected a string"),
        ({"metadata": []}, r"field metadata: \[\] is a list; expected an object"),
    ],
)
def test_a_wrong_field_is_named(tmp_path, change, message):
    """Line, field, what came and what was expected."""
    with pytest.raises(InvalidCase, match=message):
        read(tmp_path, ROW, ROW | change)


@pytest.mark.parametrize("name", ["query", "passages", "generation"])
def test_a_missing_field_is_named(tmp_path, name):
    """With the fields that the row has, and how to name it."""
    row = {key: value for key, value in ROW.items() if key != name}
    with pytest.raises(InvalidCase, match=rf"field {name}: is missing; .*--field {name}=…"):
        read(tmp_path, row)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query": ', r"run\.jsonl:1 is no JSON: Expecting value at column 10"),
        ("[1]", r"run\.jsonl:1 is a list; expected a JSON object"),
        ('{"query": NaN}', r"run\.jsonl:1 is no JSON: NaN is no number of JSON"),
        ("[" * 100_000, r"run\.jsonl:1 is no JSON"),
    ],
)
def test_a_line_that_is_no_object_is_named(tmp_path, line, message):
    """By its number, and column where there is one."""
    with pytest.raises(InvalidCase, match=message):
        read(tmp_path, line)


def test_encodings(tmp_path):
    """A byte order mark passes, gzip is read, anything but UTF-8 is named by its line."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(ROW).encode())
    assert [row.id for row in read_predictions(path)] == ["q1"]
    packed = tmp_path / "run.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(ROW).encode()))
    assert [row.where for row in read_predictions(packed)] == ["run.jsonl.gz:1"]
    path.write_bytes(json.dumps(ROW).encode() + b'\n{"query": "\xff"}\n')
    with pytest.raises(InvalidCase, match=r"run\.jsonl:2 is not UTF-8"):
        list(read_predictions(path))
    packed.write_bytes(gzip.compress(b"x" * 100)[:-12])
    with pytest.raises(InvalidCase, match=r"cannot read the predictions in .*run\.jsonl\.gz"):
        list(read_predictions(packed))
    with pytest.raises(InvalidCase, match=r"cannot read the predictions in .*none: No such file"):
        list(read_predictions(tmp_path / "none"))


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("query", r"the field 'query' is no OURS=THEIRS"),
        ("query=", r"the field 'query=' is no OURS=THEIRS"),
        ("prompt=query", r"unknown field 'prompt'; known: query_id, query, passages"),
    ],
)
def test_wrong_field_mappings(pair, message):
    """What is no pair, or maps what is not ours."""
    with pytest.raises(UnknownName, match=message):
        Fields.parse([pair])


def test_an_id_that_was_named_must_be_there(tmp_path):
    """The line would stand in silently for an id that the user expects."""
    with pytest.raises(
        InvalidCase, match=r"field qkey: is missing, and --field names it as the id"
    ):
        read(tmp_path, ROW, fields=["query_id=qkey"])


def test_rows_are_read_one_at_a_time(tmp_path):
    """Memory does not grow with the file."""
    path = written(tmp_path, *[ROW | {"metadata": {"text": "x" * 1000}}] * 3000)
    tracemalloc.start()
    assert sum(1 for _ in read_predictions(path)) == 3000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000 < path.stat().st_size
