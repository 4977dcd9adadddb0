"""Labelled traces from RAGBench, research sets and plain JSONL."""

from __future__ import annotations

import gzip

import pytest
from labelling import PLAIN, RESEARCH, write_jsonl, write_parquet

from pytest_trace.datasets.labels import label_files, read_labels
from pytest_trace.errors import InvalidCase

SENTENCES = {"doc_0_s0": [0, 21], "doc_0_s1": [22, 40]}


@pytest.fixture
def read(tmp_path):
    """Write lines to `shop.jsonl` and read its rows."""

    def read(*rows, name="shop.jsonl"):
        return read_labels(write_jsonl(tmp_path / name, *rows)).rows

    return read


@pytest.fixture
def fault(read):
    """What is said of a row that is wrong."""

    def fault(row, **fields):
        row = row | fields if isinstance(row, dict) else row
        with pytest.raises(InvalidCase) as raised:
            read("", row)
        return str(raised.value)

    return fault


def own(sentences, **keys):
    """A row of a research set with sentences of its own."""
    return RESEARCH | {
        "relevant_doc_sentences": {
            "sentences": sentences,
            "relevant": None,
            "utilized": None,
            **keys,
        }
    }


def test_plain_row(read):
    """Question, documents, response and label are enough; the set is the file, the id the line."""
    (row,) = read("", PLAIN)
    assert (row.id, row.set, row.language) == ("2", "shop", None)
    assert (row.is_supported, row.relevant, row.utilized) == (True, None, None)
    trace = row.sentences.trace
    assert (trace.question, trace.response) == (PLAIN["question"], PLAIN["response"])
    assert [sentence.key for sentence in row.sentences.documents] == [
        "doc_0_s0",
        "doc_0_s1",
        "doc_1_s0",
    ]


def test_plain_row_with_everything(read):
    """Id and language are kept; documents and history may have the shapes of a trace."""
    documents = [{"text": "Returns take 30 days.", "title": "Returns"}]
    (row,) = read(PLAIN | {"id": 7, "language": "de", "documents": documents, "history": ["Hi!"]})
    assert (row.id, row.language) == ("7", "de")
    assert row.sentences.trace.documents[0].title == "Returns"
    assert row.sentences.trace.history[0].text == "Hi!"


@pytest.mark.parametrize(
    ("named", "keys"),
    [
        ([], set()),
        (["doc_0_s1"], {"doc_0_s1"}),
        (["Bring the receipt.", "doc_1_s0"], {"doc_0_s1", "doc_1_s0"}),
        (["Bring   the\nreceipt."], {"doc_0_s1"}),
        (["30 days. Bring"], {"doc_0_s0", "doc_0_s1"}),
        (["the receipt"], {"doc_0_s1"}),
    ],
)
def test_sentences_are_named_by_key_or_text(read, named, keys):
    """A text stands for every sentence that holds any of it, whatever its white space."""
    (row,) = read(PLAIN | {"relevant": named, "utilized": named})
    assert row.relevant == row.utilized == keys


def test_text_that_stands_twice(read):
    """It stands for the sentences of both places; a key would name one."""
    (row,) = read(PLAIN | {"documents": ["We open at 9.", "We open at 9."], "relevant": ["open"]})
    assert row.relevant == {"doc_0_s0", "doc_1_s0"}


def test_relevance_alone_is_a_label(read):
    """A row may say nothing of its response, and be labelled for retrieval only."""
    row = {name: PLAIN[name] for name in PLAIN if name != "supported"} | {"relevant": []}
    assert [(each.is_supported, each.relevant) for each in read(row)] == [(None, frozenset())]


def test_research_row(read):
    """Its label has another name, and a summary has no question."""
    (row,) = read(RESEARCH, name="shop_dev.jsonl.gz")
    assert (row.id, row.set, row.language) == ("r1", "shop_dev", "en")
    assert (row.is_supported, row.relevant, row.utilized) == (False, None, None)
    assert row.sentences.trace.question == ""


def test_research_row_with_sentences_of_its_own(read):
    """Its document sentences are the row's, those of the response ours; keys are translated."""
    sentences = [["0.0", 0, 0, 40], ["0.1", 0, 40, 40], ["1.0", 1, 0, 13]]
    (row,) = read(own(sentences, relevant=["1.0", "0.1"]))
    assert {sentence.key: sentence.text for sentence in row.sentences.documents} == {
        "doc_0_s0": PLAIN["documents"][0],
        "doc_1_s0": PLAIN["documents"][1],
    }
    assert [sentence.text for sentence in row.sentences.response] == [
        "You have 30 days.",
        "Have a nice day!",
    ]
    assert (row.relevant, row.utilized) == ({"doc_1_s0"}, None)


def test_sentences_given_as_texts(read):
    """A document in which they do not stand word for word becomes them; another stays."""
    sentences = [
        ["a", 0, None, None, "Returns take thirty days."],
        ["b", 0, None, None, "Bring it."],
        ["c", 1, None, None, "We open"],
    ]
    (row,) = read(own(sentences, utilized=["b", "c"]))
    assert [document.text for document in row.sentences.trace.documents] == [
        "Returns take thirty days. Bring it.",
        "We open at 9.",
    ]
    assert row.utilized == {"doc_0_s1", "doc_1_s0"}


def test_document_without_listed_sentences_stays_evidence(read):
    """It has our sentences, and they count neither as relevant nor as irrelevant."""
    (row,) = read(own([["b", 1, 0, 13]], relevant=["b"]))
    assert [(each.key, each.is_counted) for each in row.sentences.documents] == [
        ("doc_0_s0", False),
        ("doc_0_s1", False),
        ("doc_1_s0", True),
    ]


def test_rows_without_response_or_label_are_left_out(tmp_path):
    """They are counted: questions nobody answered, and responses nobody judged."""
    rows = [
        RESEARCH,
        RESEARCH | {"response": " "},
        RESEARCH | {"label_supported": None},
        PLAIN | {"supported": None},
    ]
    labels = read_labels(write_jsonl(tmp_path / "shop.jsonl", *rows))
    assert (len(labels.rows), labels.left_out) == (1, 3)


def test_ragbench_rows(tmp_path):
    """They bring their sentences, labels and peers; the set is that of the row."""
    path = write_parquet(
        tmp_path / "x.parquet", {"gpt3_adherence": 1.0}, {"adherence_score": False}
    )
    first, second = read_labels(path).rows
    assert (first.id, first.set, first.language) == ("b1", "shop_test", "en")
    assert (first.is_supported, second.is_supported) == (True, False)
    assert (first.relevant, first.utilized) == ({"doc_0_s0", "doc_0_s1"}, {"doc_0_s0"})
    assert (first.peers["gpt3_adherence"], second.peers["gpt3_adherence"]) == (1.0, None)


def test_ragbench_rows_without_a_name_of_their_set(tmp_path):
    """The set is then the file."""
    (row,) = read_labels(write_parquet(tmp_path / "mine.parquet", {"dataset_name": None})).rows
    assert row.set == "mine"


def test_cluster_is_that_of_the_documents(read):
    """Rows with the same documents belong together, whatever their question and order."""
    turned = PLAIN | {"documents": PLAIN["documents"][::-1], "question": "Really?"}
    other = PLAIN | {"documents": ["We open at 10."]}
    first, second, third = (row.cluster for row in read(PLAIN, turned, other))
    assert first == second != third


def test_cluster_without_documents_is_that_of_the_question(read):
    """Where retrieval found nothing, rows of the same question belong together."""
    bare = PLAIN | {"documents": []}
    rows = read(bare, bare | {"response": "No."}, bare | {"question": "Who?"})
    first, second, third = (row.cluster for row in rows)
    assert first == second != third


NO_LABEL = {name: PLAIN[name] for name in ("question", "documents", "response")}


@pytest.mark.parametrize(
    ("row", "fields", "what"),
    [
        ("{", {}, " is no JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[" * 100_000, {}, " is no JSON: it is nested too deeply"),
        ("[1]", {}, " is a list; expected a JSON object"),
        (PLAIN, {"supported": 1}, ", field supported: 1 is a int; expected true, false or null"),
        (
            PLAIN,
            {"supported": "yes" * 50},
            f", field supported: '{'yes' * 19}ye… is a str; expected true, false or null",
        ),
        (
            NO_LABEL,
            {},
            ", field supported: is missing, and so is every other label; give true or false",
        ),
        (PLAIN, {"response": None}, ", field response: is missing; expected a string"),
        (PLAIN, {"response": " "}, None),
        (PLAIN, {"documents": "one"}, ", field documents: 'one' is a str; expected a list"),
        (PLAIN, {"documents": None}, ", field documents: is missing; expected a list"),
        (PLAIN, {"documents": [" "]}, None),
        (PLAIN, {"documents": [7]}, None),
        (PLAIN, {"question": 7}, ", field question: 7 is a int; expected a string"),
        (PLAIN, {"language": 7}, ", field language: 7 is a int; expected a string"),
        (
            PLAIN,
            {"relevant": "doc_0_s0"},
            ", field relevant: 'doc_0_s0' is a str; expected a list of sentences or keys",
        ),
        (
            PLAIN,
            {"relevant": ["doc_0_s0", "We close."]},
            ", field relevant: 'We close.' stands in no document and is no sentence's key",
        ),
        (
            PLAIN,
            {"utilized": ["resp_s0"]},
            ", field utilized: 'resp_s0' stands in no document and is no sentence's key",
        ),
        (PLAIN, {"utilized": [3]}, ", field utilized: 3 is no sentence and no key of one"),
        (PLAIN, {"utilized": [" "]}, ", field utilized: ' ' is no sentence and no key of one"),
        (
            RESEARCH,
            {"label_supported": "no"},
            ", field label_supported: 'no' is a str; expected true, false or null",
        ),
        (
            RESEARCH,
            {"relevant_doc_sentences": []},
            ", field relevant_doc_sentences: [] is a list; expected an object or null",
        ),
        (
            own([["a", 2, 0, 3]]),
            {},
            ", field relevant_doc_sentences: IndexError: there is no document 2",
        ),
        (
            own([["a", -1, 0, 3]]),
            {},
            ", field relevant_doc_sentences: IndexError: there is no document -1",
        ),
        (
            own([["a", 0]]),
            {},
            (
                ", field relevant_doc_sentences: ValueError: "
                "not enough values to unpack (expected at least 4, got 2)"
            ),
        ),
        (
            RESEARCH,
            {"relevant_doc_sentences": {}},
            ", field relevant_doc_sentences: KeyError: 'sentences'",
        ),
        (
            own([["a", 0, 0, 21]], relevant=["a", "b"]),
            {},
            ", field relevant_doc_sentences: names the unknown ['b']",
        ),
        (
            own([["a", 0, 0, 21]], relevant="a"),
            {},
            ", field relevant_doc_sentences: lists no keys",
        ),
    ],
)
def test_wrong_row_is_named(fault, row, fields, what):
    """File, line and field, what came and what was expected; a trace names its own field."""
    message = fault(row, **fields)
    assert message.startswith("shop.jsonl:2")
    if what is not None:
        assert message == f"shop.jsonl:2{what}"
    else:
        (name,) = fields
        assert message.removeprefix("shop.jsonl:2: ").startswith(name)


def test_wrong_ragbench_row_is_named(tmp_path):
    """The reader of RAGBench says file and row."""
    path = write_parquet(tmp_path / "x.parquet", {}, {"response": " ", "response_sentences": []})
    with pytest.raises(InvalidCase, match=r"x\.parquet, row 2 \(id b1\): response is blank"):
        read_labels(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", None, "cannot read the labels in {}: No such file or directory"),
        ("a.jsonl.gz", b"text", "cannot read the labels in {}: Not a gzipped file (b'te')"),
        (
            "a.jsonl.gz",
            gzip.compress(b"{}" * 999, mtime=0)[:-9],
            (
                "cannot read the labels in {}: "
                "Compressed file ended before the end-of-stream marker was reached"
            ),
        ),
        ("a.jsonl", b"\n \n", "{} holds no row; expected one labelled trace a line"),
        ("a.csv", b"id", "{} is no label file by its name; expected .parquet, .jsonl, .jsonl.gz"),
    ],
)
def test_file_that_cannot_be_read(tmp_path, name, content, message):
    """It is named, with what is wrong."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidCase) as raised:
        read_labels(path)
    assert str(raised.value) == message.format(path)


def test_file_that_is_no_text(tmp_path):
    """Another encoding is told from a wrong row."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"question": "\xff"}')
    with pytest.raises(InvalidCase, match=r"a\.jsonl is not UTF-8: .* byte 0xff"):
        read_labels(path)


def test_folder_stands_for_its_label_files(tmp_path):
    """By name, and nothing else that is in it."""
    for name in ("c.jsonl", "a.parquet", "b.jsonl.gz", "README.md"):
        (tmp_path / name).touch()
    assert [path.name for path in label_files(tmp_path)] == ["a.parquet", "b.jsonl.gz", "c.jsonl"]
    assert label_files(tmp_path / "c.jsonl") == [tmp_path / "c.jsonl"]


def test_folder_without_label_files(tmp_path):
    """It is refused, with the names that would do."""
    with pytest.raises(InvalidCase, match=r"there is no label file in .*; expected \.parquet, "):
        label_files(tmp_path)
