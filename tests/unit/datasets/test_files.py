"""Files of rows: every form gives the same cases, and says where a row stands."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys

import pyarrow as pa
import pytest
from case_files import FORMS, save_dataset, save_splits, write_cases
from pyarrow import parquet

from pytest_trace.datasets.reading import iter_cases, read_cases
from pytest_trace.errors import InvalidCase, MissingExtra

ROWS = [
    {
        "id": "refund",
        "question": "How long do I have?",
        "documents": ['Returns take "30" days.', "We open\nat 9."],
        "response": "30 days.",
        "references": ["30 days", "A month"],
        "relevant_ids": ["p1"],
    },
    {
        "id": "hours",
        "question": "When do you open?",
        "documents": [],
        "response": None,
        "references": [],
        "relevant_ids": [],
    },
]


def texts(case):
    return [document.text for document in case.documents]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_cases(tmp_path, form):
    """Lists, quotes, line ends in texts and what is missing survive in each."""
    first, second = read_cases(write_cases(tmp_path, form, ROWS))
    assert (first.id, first.question, first.response) == (
        "refund",
        "How long do I have?",
        "30 days.",
    )
    assert texts(first) == ['Returns take "30" days.', "We open\nat 9."]
    assert (first.references, first.relevant_ids) == (("30 days", "A month"), ("p1",))
    assert (second.documents, second.response) == ((), None)
    assert (second.references, second.relevant_ids) == ((), ())


@pytest.mark.parametrize(
    ("form", "places"),
    [
        ("jsonl", ["cases.jsonl:1", "cases.jsonl:2"]),
        ("jsonl.gz", ["cases.jsonl.gz:1", "cases.jsonl.gz:2"]),
        ("json", ["cases.json, row 1", "cases.json, row 2"]),
        ("csv", ["cases.csv:2", "cases.csv:4"]),  # the first row has a line end in a cell
        ("parquet", ["cases.parquet, row 1", "cases.parquet, row 2"]),
        ("dataset", ["cases, row 1", "cases, row 2"]),
    ],
)
def test_a_case_says_where_it_stands(tmp_path, form, places):
    """By line where a file has lines, else by the number of its row."""
    rows = [row | {"documents": ["a\nb"] if row["id"] == "refund" else ["c"]} for row in ROWS]
    if form == "csv":
        rows = [row | {"question": "How\nlong?"} for row in rows]
    cases = read_cases(write_cases(tmp_path, form, rows))
    assert [case.where for case in cases] == places
    assert all(place.endswith(str(case.line)) for case, place in zip(cases, places, strict=True))


@pytest.mark.parametrize(
    ("form", "place"),
    [
        ("jsonl", "cases.jsonl:501"),
        ("csv", "cases.csv:502"),
        ("parquet", "cases.parquet, row 501"),
        ("dataset", "cases, row 501"),
    ],
)
def test_cases_come_before_a_later_row_is_looked_at(tmp_path, form, place):
    """A row that is wrong stops the reading where it stands, behind 500 good ones."""
    rows = [{"question": f"{n}?", "documents": [" " if n == 500 else "x"]} for n in range(600)]
    cases = iter_cases(write_cases(tmp_path, form, rows))
    assert [next(cases).question for _ in range(500)][-1] == "499?"
    with pytest.raises(InvalidCase, match=f"^{place}, field documents: documents hold no text"):
        next(cases)


def test_what_was_read_of_a_parquet_file_is_let_go(tmp_path):
    """Memory is that of a group of rows, not of those before it as well."""
    path = tmp_path / "cases.parquet"
    rows = [{"question": "How long?", "documents": ["x" * 10_000]} for _ in range(1000)]
    table = pa.Table.from_pylist(rows)
    parquet.write_table(table, path, row_group_size=25, use_dictionary=False, compression="none")
    del table
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() - before for _ in iter_cases(path))
    assert most < path.stat().st_size / 10


def test_rows_are_numbered_through_batches_and_shards(tmp_path):
    """A row's number is that in the whole dataset."""
    shards = [[{"question": str(n)} for n in range(start, start + 600)] for start in (0, 600)]
    cases = read_cases(save_dataset(tmp_path / "shop", shards))
    assert [case.question for case in cases] == [str(n) for n in range(1200)]
    assert cases[-1].where == "shop, row 1200"


def test_a_list_may_be_laid_out(tmp_path):
    """A JSON file is read whole, however it is indented."""
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(ROWS, indent=2), encoding="utf-8")
    assert [case.id for case in read_cases(path)] == ["refund", "hours"]


def test_json_may_hold_an_object_a_line(tmp_path):
    """Many files with an object a line are named .json."""
    path = tmp_path / "cases.json"
    path.write_text('{"question": "A?"}\n\n{"question": "B?"}\n', encoding="utf-8")
    assert [case.where for case in read_cases(path)] == ["cases.json:1", "cases.json:3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"question": "A?"},', "cases.json is no JSON: Expecting value at line 1, column 21"),
        (
            '{"rows": []}',
            (
                "cases.json is an object with rows; expected a list of objects, one a case, "
                "or the results of promptfoo or DeepEval"
            ),
        ),
        (
            '"text"',
            (
                "cases.json is str; expected a list of objects, one a case, "
                "or the results of promptfoo or DeepEval"
            ),
        ),
        ('["text"]', "cases.json, row 1 is a str; expected a JSON object"),
        ("[" * 100_000, "cases.json is no JSON: it is nested too deeply"),
    ],
)
def test_json_of_another_kind_is_refused(tmp_path, text, message):
    """The message says what came."""
    path = tmp_path / "cases.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": ' + "9" * 5000 + "}", "cases.jsonl:1 is no JSON: Exceeds the limit (4300"),
        ('{"id": ' + "[" * 100_000, "cases.jsonl:1 is no JSON: it is nested too deeply"),
    ],
)
def test_json_that_python_cannot_hold_is_refused(tmp_path, line, message):
    """What json raises beside its own error is a wrong row as well."""
    path = tmp_path / "cases.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    assert str(raised.value).startswith(message)


CSV = "question,documents\r\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CSV + "A?\r\n", "cases.csv:2 has 1 cells; expected 2, as the head"),
        (
            CSV + 'A?,"[""x""]"\r\nB?,plain text\r\n',
            (
                "cases.csv:3, field documents: 'plain text' cannot be read as a list; "
                'write it in JSON: ["first", "second"]'
            ),
        ),
        (CSV + 'A?,"[1\r\n', "cases.csv:2 is no row of a table: unexpected end of data"),
        (CSV + 'A?,"a" b\r\n', "cases.csv:2 is no row of a table: ',' expected after '\"'"),
        (
            "question;documents\r\nA?;[]\r\n",
            (
                "cases.csv has one column, 'question;documents'; expected the names of the fields "
                "with ',' between them"
            ),
        ),
        ("id,question,id\r\n1,A?,2\r\n", "cases.csv has more than one column 'id'"),
        (CSV, "{path} holds no case; expected one row a case"),
        ("", "{path} holds no case; expected one row a case"),
    ],
)
def test_wrong_table_is_refused(tmp_path, text, message):
    """The message names the line where the row begins, and what is wrong."""
    path = tmp_path / "cases.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    assert str(raised.value) == message.format(path=path)


def test_table_may_have_blank_lines_a_mark_and_an_unnamed_column(tmp_path):
    """As spreadsheets and pandas write them; lines are counted all the same."""
    path = tmp_path / "cases.csv"
    path.write_bytes(b"\xef\xbb\xbf,question\r\n\r\n0,A?\r\n\r\n1,B?\r\n")
    cases = read_cases(path)
    assert [(case.question, case.line) for case in cases] == [("A?", 3), ("B?", 5)]


def test_cells_may_be_long(tmp_path):
    """A document longer than csv's own limit is read, and that limit stays as it was."""
    page = "word " * 50_000
    limit = csv.field_size_limit()
    path = write_cases(tmp_path, "csv", [{"question": "A?", "documents": [page]}])
    (case,) = iter_cases(path)
    assert (texts(case), csv.field_size_limit()) == ([page], limit)


@pytest.mark.parametrize("form", ["jsonl.gz", "csv.gz"])
def test_damaged_compression_is_refused(tmp_path, form):
    """A file that was cut off names itself."""
    path = write_cases(tmp_path, form, ROWS)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InvalidCase, match=r"^cannot read the cases in .*: Compressed file ended"):
        read_cases(path)


def test_plain_text_named_gz_is_refused(tmp_path):
    """gzip's own words say so."""
    path = tmp_path / "cases.jsonl.gz"
    path.write_text('{"question": "A?"}', encoding="utf-8")
    with pytest.raises(InvalidCase, match=r"^cannot read the cases in .*: Not a gzipped file"):
        read_cases(path)


def test_file_of_another_kind_is_refused(tmp_path):
    """The message lists what is read."""
    path = tmp_path / "cases.xlsx"
    path.touch()
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    assert str(raised.value) == (
        f"{path} is no file of cases by its name; expected .jsonl, .json, .csv, .tsv, .parquet, "
        "or a folder that datasets' save_to_disk wrote"
    )


def test_missing_file_without_a_known_name_is_missing(tmp_path):
    """It may have been meant as a dataset on disk."""
    with pytest.raises(InvalidCase, match=r"^cannot read the cases in .*shop: No such file"):
        read_cases(tmp_path / "shop")


@pytest.mark.parametrize("form", ["parquet", "dataset"])
def test_table_that_is_none_is_refused(tmp_path, form):
    """The message names the file and has Arrow's reason."""
    path = write_cases(tmp_path, form, ROWS)
    file = path if form == "parquet" else path / "data-00000-of-00001.arrow"
    file.write_bytes(b"no table at all, but long enough to be looked at" * 3)
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    what = "Parquet file" if form == "parquet" else "Arrow stream"
    assert str(raised.value).startswith(f"{file} is no {what}: ")


def test_table_that_is_cut_off_is_refused(tmp_path):
    """A stream that ends early is no shorter dataset."""
    path = save_dataset(tmp_path / "shop", [[{"question": str(n)} for n in range(3000)]])
    file = path / "data-00000-of-00001.arrow"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 2 // 3])
    with pytest.raises(InvalidCase, match="data-00000-of-00001"):
        read_cases(path)


def test_the_only_split_is_read(tmp_path):
    """A saved DatasetDict of one split needs no name."""
    (case,) = read_cases(save_splits(tmp_path / "shop", {"test": [{"question": "A?"}]}))
    assert case.where == "test, row 1"


def test_one_of_several_splits_is_named(tmp_path):
    """Rows to learn from and rows to measure on are not mixed."""
    rows = {"train": [{"question": "A?"}], "test": [{"question": "B?"}]}
    path = save_splits(tmp_path / "shop", rows)
    with pytest.raises(InvalidCase) as raised:
        read_cases(path)
    assert str(raised.value) == (
        f"{path} has 2 splits; name one of them: {path / 'train'}, {path / 'test'}"
    )
    assert [case.question for case in read_cases(path / "test")] == ["B?"]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, "{path} is no dataset: it has no state.json; expected a folder that datasets'"),
        ("[]", "{path}/state.json is a list; expected a JSON object"),
        ("{", "{path}/state.json is no JSON: "),
        (
            '{"_data_files": [], "_indices_data_files": [{"filename": "i.arrow"}]}',
            "{path} was saved by an old version of datasets with a selection beside its rows; ",
        ),
    ],
)
def test_folder_that_is_no_dataset_is_refused(tmp_path, state, message):
    """The message says what the folder lacks."""
    if state is not None:
        (tmp_path / "state.json").write_text(state, encoding="utf-8")
    with pytest.raises(InvalidCase) as raised:
        read_cases(tmp_path)
    assert str(raised.value).startswith(message.format(path=tmp_path))


@pytest.mark.parametrize("form", ["parquet", "dataset"])
def test_tables_need_pyarrow(tmp_path, monkeypatch, form):
    """Without it the message names the extra."""
    path = write_cases(tmp_path, form, ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'pytest-rag-trace\[data\]'$"):
        read_cases(path)


def test_text_needs_no_pyarrow(tmp_path):
    """JSONL and CSV are read without loading it."""
    paths = [str(write_cases(tmp_path, form, ROWS)) for form in ("jsonl", "csv", "json")]
    program = (
        "import sys; from pytest_trace import read_cases\n"
        f"print([len(read_cases(path)) for path in {paths!r}], 'pyarrow' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[2, 2, 2] False\n"


def test_compressed_lines_are_read(tmp_path):
    """Upper-case endings are those of the same forms."""
    path = tmp_path / "CASES.JSONL.gz"
    path.write_bytes(gzip.compress(b'{"question": "A?"}\n'))
    assert [case.question for case in read_cases(path)] == ["A?"]
