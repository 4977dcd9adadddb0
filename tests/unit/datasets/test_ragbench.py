"""RAGBench rows, read from a small file of our own."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest
from building import supported
from pyarrow import parquet

from pytest_trace.datasets.ragbench import PEERS, read_ragbench
from pytest_trace.errors import InvalidCase, MissingExtra
from pytest_trace.metrics import TraceScores, score
from pytest_trace.verdict import SentenceSupport

INFORMATION = pa.list_(
    pa.struct(
        {
            "explanation": pa.string(),
            "fully_supported": pa.bool_(),
            "response_sentence_key": pa.string(),
            "supporting_sentence_keys": pa.list_(pa.string()),
        }
    )
)
PAIRS = pa.list_(pa.list_(pa.string()))
KEYS = pa.list_(pa.string())
SCHEMA = {
    "id": pa.string(),
    "question": pa.string(),
    "documents": KEYS,
    "response": pa.string(),
    "dataset_name": pa.string(),
    "documents_sentences": pa.list_(PAIRS),
    "response_sentences": PAIRS,
    "sentence_support_information": INFORMATION,
    "unsupported_response_sentence_keys": KEYS,
    "adherence_score": pa.bool_(),
    "overall_supported_explanation": pa.string(),
    "relevance_explanation": pa.string(),
    "all_relevant_sentence_keys": KEYS,
    "all_utilized_sentence_keys": KEYS,
    **{name: pa.float64() for name in PEERS},
    "relevance_score": pa.float64(),
    "utilization_score": pa.float64(),
    "completeness_score": pa.float64(),
}
ROW = {
    "id": "shop_1",
    "question": "How long do I have?",
    "documents": ["Returns take 30 days. Bring the receipt.", "We open at 9."],
    "response": "You have 30 days. Have a nice day!",
    "dataset_name": "shop_test",
    "documents_sentences": [
        [["0a", "Returns take 30 days."], ["0b", "Bring the receipt."]],
        [["1a", "We open at 9."]],
    ],
    "response_sentences": [["a", "You have 30 days."], ["b", "Have a nice day!"]],
    "sentence_support_information": [
        {
            "explanation": "0a says so.",
            "fully_supported": None,
            "response_sentence_key": "a.",
            "supporting_sentence_keys": ["0a"],
        },
        {
            "explanation": "A courtesy.",
            "fully_supported": None,
            "response_sentence_key": "b",
            "supporting_sentence_keys": ["general"],
        },
    ],
    "unsupported_response_sentence_keys": [],
    "adherence_score": True,
    "overall_supported_explanation": "All of it.",
    "relevance_explanation": "The first document.",
    "all_relevant_sentence_keys": ["0a", "0b"],
    "all_utilized_sentence_keys": ["0a"],
    "gpt3_adherence": 1.0,
    "relevance_score": 2 / 3,
    "utilization_score": 1 / 3,
    "completeness_score": 0.5,
}


@pytest.fixture
def write(tmp_path):
    """Write rows, each like the one above but for what is given, and give the file's path."""

    def write(*rows, leave_out=()):
        path = tmp_path / "rows.parquet"
        schema = pa.schema({name: SCHEMA[name] for name in SCHEMA if name not in leave_out})
        parquet.write_table(pa.Table.from_pylist([ROW | row for row in rows], schema), path)
        return path

    return write


@pytest.fixture
def read(write):
    """Write one row and read it."""

    def read(**fields):
        (row,) = read_ragbench(write(fields))
        return row

    return read


def test_row_is_a_trace_with_its_own_sentences(read):
    """Keys follow position; the texts are the row's."""
    row = read()
    assert (row.id, row.trace) == ("shop_1", row.sentences.trace)
    assert (row.trace.question, row.trace.response) == (ROW["question"], ROW["response"])
    assert [document.text for document in row.trace.documents] == ROW["documents"]
    assert row.trace.metadata == {"dataset_name": "shop_test"}
    assert {key: sentence.text for key, sentence in row.sentences.by_key.items()} == {
        "doc_0_s0": "Returns take 30 days.",
        "doc_0_s1": "Bring the receipt.",
        "doc_1_s0": "We open at 9.",
        "resp_s0": "You have 30 days.",
        "resp_s1": "Have a nice day!",
    }


def test_row_has_what_the_labels_say(read):
    """Relevant and utilized keys, the support of each sentence, its mark and the explanations."""
    verdict = read().verdict
    assert (verdict.relevant, verdict.utilized) == ({"doc_0_s0", "doc_0_s1"}, {"doc_0_s0"})
    assert verdict.support == (
        supported(0, "doc_0_s0", reason="0a says so."),
        SentenceSupport("resp_s1", supported=True, mark="general", reason="A courtesy."),
    )
    assert (verdict.relevance_explanation, verdict.support_explanation) == (
        "The first document.",
        "All of it.",
    )
    assert verdict.notes == ()


def test_published_scores_and_peers_are_kept(read):
    """What RAGBench scored, and what other tools gave the row where they did."""
    row = read()
    assert row.published == TraceScores(
        relevance=2 / 3, utilization=1 / 3, completeness=0.5, adherence=1.0, support=None
    )
    assert row.peers == dict.fromkeys(PEERS) | {"gpt3_adherence": 1.0}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {
            "unsupported_response_sentence_keys": ["a"],
            "adherence_score": False,
        },
        {
            "all_relevant_sentence_keys": [],
            "relevance_score": 0.0,
            "completeness_score": 1.0,
        },
    ],
)
def test_recomputed_scores_are_the_published_ones(read, fields):
    """With RAGBench's formula and marks, its labels give its scores."""
    row = read(**fields)
    found = score(row.sentences, row.verdict, formula="ragbench", marks="ragbench")
    for name in ("relevance", "utilization", "completeness", "adherence"):
        assert getattr(found, name) == pytest.approx(getattr(row.published, name), abs=1e-9)


@pytest.mark.parametrize("key", ["0b", "0b.", "[0b]", " 0B ", "'0b'", "(0B):"])
def test_document_keys_are_read_in_every_spelling(read, key):
    """The labelling model decorated keys."""
    row = read(all_relevant_sentence_keys=[key], all_utilized_sentence_keys=[key])
    assert row.verdict.relevant == row.verdict.utilized == {"doc_0_s1"}
    assert row.verdict.notes == ()


@pytest.mark.parametrize("key", ["b", "b.", "[b]", " B "])
def test_response_keys_are_read_in_every_spelling(read, key):
    """A sentence is supported unless it is listed as unsupported, however it is written."""
    verdict = read(unsupported_response_sentence_keys=[key]).verdict
    assert [item.supported for item in verdict.support] == [True, False]


def test_letters_go_on_after_z(read):
    """The 27th sentence of a document is `0aa`, at its position."""
    letters = [*"abcdefghijklmnopqrstuvwxyz", "aa", "ab"]
    sentences = [[f"0{letter}", f"Sentence {letter}."] for letter in letters]
    row = read(
        documents=["", " "],
        documents_sentences=[sentences, []],
        all_relevant_sentence_keys=["0ab"],
        all_utilized_sentence_keys=["0z"],
    )
    assert (row.verdict.relevant, row.verdict.utilized) == ({"doc_0_s27"}, {"doc_0_s25"})
    assert row.sentences.by_key["doc_0_s26"].text == "Sentence aa."


def test_keys_named_twice_or_unknown_are_told(read):
    """They are counted once or dropped, and the notes say which they were."""
    support = {"response_sentence_key": "a", "supporting_sentence_keys": ["0a", "7c"]}
    verdict = read(
        all_relevant_sentence_keys=["0a", "0A.", "3b"],
        all_utilized_sentence_keys=["0a", "supported_without_sentence", "0a, 0b"],
        unsupported_response_sentence_keys=["z"],
        sentence_support_information=[support],
    ).verdict
    assert (verdict.relevant, verdict.utilized) == ({"doc_0_s0"}, {"doc_0_s0"})
    assert verdict.support[0].document_keys == ("doc_0_s0",)
    assert verdict.notes == (
        "relevant names twice: 0a",
        "relevant names unknown: 3b",
        "utilized names unknown: supported_without_sentence, 0a, 0b",
        "support of resp_s0 names unknown: 7c",
        "unsupported names unknown: z",
    )


@pytest.mark.parametrize(
    ("keys", "mark", "document_keys"),
    [
        (["general"], "general", ()),
        (["numerical_reasoning", "0a", "1a"], "numerical_reasoning", ("doc_0_s0", "doc_1_s0")),
        (["supported_without_sentence"], "supported_without_sentence", ()),
        ([" Well_Known_Fact."], "well_known_fact", ()),
        ([], None, ()),
        (None, None, ()),
    ],
)
def test_marks_are_kept(read, keys, mark, document_keys):
    """Of the supporting keys, those that are marks say how a sentence is supported."""
    support = {"response_sentence_key": "a", "supporting_sentence_keys": keys}
    found = read(sentence_support_information=[support]).verdict.support[0]
    assert (found.mark, found.document_keys, found.supported) == (mark, document_keys, True)


@pytest.mark.parametrize("information", [None, []])
def test_missing_support_information_is_no_evidence(read, information):
    """A row without it has supported sentences with nothing to show for it."""
    row = read(sentence_support_information=information)
    assert row.verdict.support == (
        SentenceSupport("resp_s0", supported=True),
        SentenceSupport("resp_s1", supported=True),
    )
    assert score(row.sentences, row.verdict, marks="ragbench").adherence == 1.0
    assert score(row.sentences, row.verdict).adherence == 0.0


def test_empty_lists_and_scores_may_be_null(read):
    """A null list names nothing; a null or NaN score is undefined."""
    row = read(
        all_relevant_sentence_keys=None,
        all_utilized_sentence_keys=None,
        unsupported_response_sentence_keys=None,
        completeness_score=None,
        relevance_score=float("nan"),
        ragas_faithfulness=float("nan"),
        question=None,
    )
    assert (row.verdict.relevant, row.verdict.utilized) == (frozenset(), frozenset())
    assert (row.published.relevance, row.published.completeness) == (None, None)
    assert (row.peers["ragas_faithfulness"], row.trace.question) == (None, "")


def test_text_is_built_where_the_sentences_do_not_stand_in_it(read):
    """RAGBench's splitter rewrote white space: such a text holds the row's sentences, joined."""
    row = read(
        documents=["Returns take\n30 days.\n\nBring the receipt.", "We  open at 9."],
        response="You have\r\n30 days. Have a nice day!",
    )
    assert [document.text for document in row.trace.documents] == [
        "Returns take 30 days. Bring the receipt.",
        "We open at 9.",
    ]
    assert row.trace.response == "You have 30 days. Have a nice day!"


def test_text_around_the_sentences_is_kept(read):
    """A text in which the sentences stand in order stays as it is, their offsets with it."""
    row = read(response="  You have 30 days.\n\n * Have a nice day! ")
    assert row.trace.response == "  You have 30 days.\n\n * Have a nice day! "
    assert (row.sentences.by_key["resp_s1"].start, row.sentences.by_key["resp_s1"].end) == (24, 40)


def test_sentences_without_text_have_no_key(read):
    """A blank sentence is no evidence; those after it keep their own labels."""
    sentences = [["0a", "Returns take 30 days."], ["0b", " "], ["0c", "Bring the receipt."]]
    row = read(
        documents_sentences=[sentences, [["1a", "We open at 9."]]],
        all_relevant_sentence_keys=["0c"],
    )
    assert row.verdict.relevant == {"doc_0_s1"}
    assert row.sentences.by_key["doc_0_s1"].text == "Bring the receipt."


def test_rows_come_in_order(write):
    """A file of many rows is read to its end."""
    rows = read_ragbench(str(write(*({"id": f"row {number}"} for number in range(600)))))
    assert [row.id for row in rows] == [f"row {number}" for number in range(600)]


def test_optional_columns_may_be_absent(write):
    """Without peers, explanations and support information a row is still one."""
    optional = ("sentence_support_information", "relevance_explanation", "dataset_name", *PEERS)
    (row,) = read_ragbench(write({}, leave_out=optional))
    assert row.peers == dict.fromkeys(PEERS)
    assert (row.verdict.relevance_explanation, row.trace.metadata) == (None, {})
    assert [item.supported for item in row.verdict.support] == [True, True]


def test_another_parquet_file_is_refused(write):
    """The message names the columns that lack, before any row is read."""
    path = write({}, leave_out=("adherence_score", "documents_sentences"))
    with pytest.raises(InvalidCase) as raised:
        read_ragbench(path)
    assert str(raised.value) == (
        f"{path} is no RAGBench file: it lacks the columns documents_sentences, adherence_score"
    )


def test_file_that_is_no_parquet_is_refused(tmp_path):
    """The message says so."""
    path = tmp_path / "rows.parquet"
    path.write_text("id,question")
    with pytest.raises(InvalidCase, match=r"rows\.parquet is no Parquet file: "):
        read_ragbench(path)


def test_file_that_is_not_there_is_refused(tmp_path):
    """The message names file and reason."""
    path = tmp_path / "rows.parquet"
    with pytest.raises(InvalidCase) as raised:
        read_ragbench(path)
    assert str(raised.value) == f"cannot read {path}: No such file or directory"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"response": None, "response_sentences": None}, "response is blank ('')"),
        ({"adherence_score": None}, "adherence_score is null; expected true or false"),
        ({"documents": ["one"]}, "2 lists of sentences came for 1 documents"),
        ({"response_sentences": []}, "the response has no sentence"),
    ],
)
def test_row_that_is_no_trace_is_refused(write, fields, message):
    """The message names the file, the row and its id, after the rows before it were read."""
    path = write({}, fields)
    rows = read_ragbench(path)
    assert next(rows).id == "shop_1"
    with pytest.raises(InvalidCase) as raised:
        next(rows)
    assert str(raised.value).startswith(f"{path}, row 2 (id shop_1): {message}")


def test_without_pyarrow_the_extra_is_named(write, monkeypatch):
    """The error says what to install."""
    path = write({})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'pytest-rag-trace\[data\]'$") as raised:
        read_ragbench(path)
    assert isinstance(raised.value, ImportError)


def test_pyarrow_loads_at_first_use():
    """Importing the reader costs no pyarrow."""
    code = "import sys, pytest_trace.datasets.ragbench; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
