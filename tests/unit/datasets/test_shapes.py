"""Shapes of rows: what other tools write is read as cases.

The rows are those that the tools themselves wrote (RAGAS 0.4, DeepEval 4.3, TruLens 2.16 with and
without spans, promptfoo 0.121, datasets 5.2), shortened.
"""

from __future__ import annotations

import json

import pytest
from case_files import write_cases
from labelling import RAGBENCH

from pytest_trace.datasets.reading import read_cases
from pytest_trace.errors import InvalidCase, UnknownName
from pytest_trace.trace import Document

RAGAS = {
    "user_input": "What colour is it?",
    "retrieved_contexts": ['It\'s "red".', "two\nlines"],
    "retrieved_context_ids": ["a", "b"],
    "reference_context_ids": ["b"],
    "response": "Red.",
    "reference": "It is red.",
}
OLD_RAGAS = {
    "question": "What colour is it?",
    "contexts": ["It is red."],
    "answer": "Red.",
    "ground_truths": ["It is red.", "Red"],
}
DEEPEVAL = {
    "input": "What colour is it?",
    "actual_output": "Red.",
    "expected_output": "It is red.",
    "retrieval_context": ["It is red.", "deepeval_source=page-1,deepeval_context=two, lines"],
    "context": ["an ideal context"],
    "name": None,
}
DEEPEVAL_RUN = {
    "name": "test_case_0",
    "input": "What colour is it?",
    "actualOutput": "Red.",
    "expectedOutput": "It is red.",
    "retrievalContext": ["It is red."],
    "success": True,
}
CALLS = [
    {
        "stack": [
            {"path": "app", "method": {"obj": {"cls": {"name": "App"}}, "name": "ask"}},
            {"path": "app", "method": {"obj": {"cls": {"name": "App"}}, "name": "retrieve"}},
        ],
        "args": {"query": "What colour is it?"},
        "rets": ["It is red.", "It's big."],
    },
    {
        "stack": [{"path": "app", "method": {"obj": {"cls": {"name": "App"}}, "name": "ask"}}],
        "args": {"query": "What colour is it?"},
        "rets": "Red.",
    },
]
TRULENS = {
    "app_name": "shop",
    "record_id": "record_hash_1",
    "input": "What colour is it?",
    "output": "Red.",
    "record_json": {"record_id": "record_hash_1", "main_input": "…", "calls": CALLS},
    "Groundedness": 0.7,
    "Groundedness_calls": [{"args": {"source": ["another text"], "statement": "Red."}, "ret": 0.7}],
}
SPANS = {
    "record_id": "c02074f1",
    "input": "What colour is it?",
    "output": "Red.",
    "record_json": {"record_id": "c02074f1", "input": "…", "meta": {}},
    "relevance_calls": [
        {"span_type": "eval", "args": {"question": "…", "context": "It is red."}, "ret": 0.5},
        {"span_type": "eval", "args": {"question": "…", "context": "It's big."}, "ret": 0.5},
        {"span_type": "eval_root", "args_span_id": {"question": "1"}},
        {"span_type": "eval", "args": {"question": "…", "context": "It is red."}, "ret": 0.5},
    ],
    "Groundedness_calls": [
        {"args": {"source": ["It is red.", "It's big."], "statement": "Red."}, "ret": 0.7}
    ],
}
PROMPTFOO = {
    "id": "834a19dd",
    "promptIdx": 0,
    "provider": {"id": "rag-app"},
    "response": {"output": "You have 30 days.", "metadata": {"chunks": ["Laptops: 30 days."]}},
    "success": True,
    "testCase": {"vars": {"query": "How long?"}},
    "vars": {"query": "How long?", "context": "30 days. A receipt is needed.", "expected": "30"},
}
PREDICTION = {
    "query_id": "q1",
    "query": "What colour is it?",
    "passages": [{"id": "p7", "text": "It is red.", "score": 12.5}, {"id": "p2", "text": "Big."}],
    "generation": "Red.",
    "references": ["It is red.", "Red"],
    "metadata": {"evaluation_config": {"chunk_size": 256}},
}


def read(tmp_path, row, form="jsonl", **options):
    """The case that a file with this one row holds."""
    (case,) = read_cases(write_cases(tmp_path, form, [row]), **options)
    return case


def texts(case):
    return [document.text for document in case.documents]


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "parquet", "dataset"])
def test_ragas(tmp_path, form):
    """An evaluation dataset of RAGAS, with the ids of its contexts."""
    case = read(tmp_path, RAGAS, form)
    assert (case.question, case.response, case.references) == (
        "What colour is it?",
        "Red.",
        ("It is red.",),
    )
    assert case.documents == (Document('It\'s "red".', id="a"), Document("two\nlines", id="b"))
    assert case.relevant_ids == ("b",)
    assert case["user_input"] == "What colour is it?"


def test_ragas_as_pandas_writes_arrays(tmp_path):
    """A RAGAS dataset that went through datasets and pandas has no commas in its lists."""
    path = tmp_path / "ragas.csv"
    path.write_text(
        ",user_input,retrieved_contexts,response,reference\n"
        '0,What colour is it?,"[\'It\\\'s ""red"".\' \'two\\nlines\']",Red.,It is red.\n',
        encoding="utf-8",
    )
    (case,) = read_cases(path)
    assert texts(case) == ['It\'s "red".', "two\nlines"]


def test_ragas_before_0_2(tmp_path):
    """The older names, with several true answers."""
    case = read(tmp_path, OLD_RAGAS)
    assert (case.question, texts(case), case.response) == (
        "What colour is it?",
        ["It is red."],
        "Red.",
    )
    assert case.references == ("It is red.", "Red")
    old = {key: value for key, value in OLD_RAGAS.items() if key != "ground_truths"}
    assert read(tmp_path, old | {"ground_truth": "Red"}).references == ("Red",)


def test_conversations_of_ragas_are_refused(tmp_path):
    """A sample of several turns is no single question."""
    row = {"user_input": [{"content": "hi", "type": "human"}], "reference": "x"}
    with pytest.raises(InvalidCase) as raised:
        read(tmp_path, row)
    assert str(raised.value) == (
        "cases.jsonl:1, field user_input: [{'content': 'hi', 'type': 'human'}] is a list; "
        "expected a string"
    )


def test_contexts_and_their_ids_are_as_many(tmp_path):
    """An id that belongs to no context is a mistake of the row."""
    with pytest.raises(InvalidCase) as raised:
        read(tmp_path, RAGAS | {"retrieved_context_ids": ["a"]})
    assert str(raised.value) == (
        "cases.jsonl:1, field retrieved_context_ids: 1 ids for 2 documents"
    )


@pytest.mark.parametrize("form", ["json", "parquet", "joined lines", "joined table"])
def test_deepeval(tmp_path, form):
    """Goldens of DeepEval: its JSONL and CSV join the contexts, its marks name their sources."""
    row = DEEPEVAL
    if form.startswith("joined"):
        row = row | {"retrieval_context": "|".join(DEEPEVAL["retrieval_context"])}
    written = {"joined lines": "jsonl", "joined table": "csv"}.get(form, form)
    case = read(tmp_path, row, written)
    assert (case.question, case.response, case.references) == (
        "What colour is it?",
        "Red.",
        ("It is red.",),
    )
    assert case.documents == (
        Document("It is red."),
        Document("two, lines", metadata={"source": "page-1"}),
    )


def test_deepeval_test_run(tmp_path):
    """What DeepEval keeps of its last run, with its camel-case names."""
    path = tmp_path / "run.json"
    run = {"testRunData": {"testCases": [DEEPEVAL_RUN], "metricsScores": [{"metric": "x"}]}}
    path.write_text(json.dumps(run), encoding="utf-8")
    (case,) = read_cases(path)
    assert (case.id, case.question, texts(case)) == (
        "test_case_0",
        "What colour is it?",
        ["It is red."],
    )
    path.write_text(json.dumps(run["testRunData"]), encoding="utf-8")
    assert read_cases(path) == [case]


def test_deepeval_golden_without_an_answer(tmp_path):
    """What the application has yet to give is missing, not empty."""
    row = dict.fromkeys(DEEPEVAL) | {"input": "What colour is it?"}
    for form in ("jsonl", "csv"):
        case = read(tmp_path, row, form)
        assert (case.documents, case.response, case.references) == (None, None, ())


def test_deepeval_context_with_a_source_as_an_object(tmp_path):
    """A context may stand as an object beside strings."""
    contexts = ["It is red.", {"context": "It is big.", "source": "page-2"}]
    case = read(tmp_path, DEEPEVAL | {"retrieval_context": contexts}, "json")
    assert case.documents[1] == Document("It is big.", metadata={"source": "page-2"})


@pytest.mark.parametrize("row", [TRULENS, SPANS], ids=["calls", "spans"])
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_trulens(tmp_path, row, form):
    """Records of TruLens: what the retriever returned, or else what its metrics were given."""
    case = read(tmp_path, row, form)
    assert (case.id, case.question, case.response) == (
        row["record_id"],
        "What colour is it?",
        "Red.",
    )
    assert texts(case) == ["It is red.", "It's big."]


def test_trulens_times_in_a_table(tmp_path):
    """pandas prints times as calls; the record around them is read all the same."""
    path = write_cases(tmp_path, "csv", [SPANS])
    text = path.read_text(encoding="utf-8")
    time = "'timestamp': datetime.datetime(2026, 11, 30, 0, 37, 40), 'args'"
    path.write_text(text.replace("'args'", time), encoding="utf-8")
    (case,) = read_cases(path)
    assert texts(case) == ["It is red.", "It's big."]


def test_trulens_record_alone(tmp_path):
    """A list of the records themselves."""
    row = {"record_id": "r1", "main_input": "What colour?", "main_output": "Red.", "calls": CALLS}
    case = read(tmp_path, row, "json")
    assert (case.question, case.response, texts(case)) == (
        "What colour?",
        "Red.",
        ["It is red.", "It's big."],
    )


@pytest.mark.parametrize(
    "returned",
    [
        [{"page_content": "It is red.", "metadata": {"page": 1}, "type": "Document"}],
        [{"node": {"text": "It is red.", "id_": "n1", "metadata": {"page": 1}}, "score": 0.5}],
        [[{"content": "It is red.", "metadata": {"page": 1}}]],
    ],
    ids=["langchain", "llamaindex", "nested"],
)
def test_trulens_documents_of_frameworks(tmp_path, returned):
    """A retriever of a framework returns its documents as objects."""
    call = {
        "stack": [{"method": {"obj": {"cls": {"name": "VectorStoreRetriever"}}, "name": "invoke"}}],
        "rets": returned,
    }
    case = read(tmp_path, TRULENS | {"record_json": {"calls": [call]}})
    assert (texts(case), case.documents[0].metadata) == (["It is red."], {"page": 1})


def test_trulens_without_contexts_has_none(tmp_path):
    """A record that was neither instrumented nor evaluated does not tell what was retrieved."""
    row = {"record_id": "r1", "input": "What?", "output": "Red.", "record_json": {"meta": {}}}
    assert read(tmp_path, row).documents is None
    assert read(tmp_path, row | {"record_json": "no JSON at all"}).documents is None
    case = read(tmp_path, row | {"chunks": ["It is red."]}, fields={"documents": "chunks"})
    assert texts(case) == ["It is red."]


def test_promptfoo(tmp_path):
    """An output file of promptfoo; its variable `context` is one document."""
    path = tmp_path / "results.json"
    output = {"evalId": "eval-1", "results": {"version": 3, "results": [PROMPTFOO]}, "config": {}}
    path.write_text(json.dumps(output), encoding="utf-8")
    (case,) = read_cases(path)
    assert (case.id, case.question, case.response) == ("834a19dd", "How long?", "You have 30 days.")
    assert (texts(case), case.references) == (["30 days. A receipt is needed."], ("30",))
    assert read(tmp_path, PROMPTFOO).documents == case.documents  # its JSONL output
    case = read(tmp_path, PROMPTFOO, fields={"documents": "response.metadata.chunks"})
    assert texts(case) == ["Laptops: 30 days."]


def test_promptfoo_answer_that_failed(tmp_path):
    """A result with an error has no response; one that is an object has none either."""
    assert read(tmp_path, PROMPTFOO | {"response": {"error": "no answer"}}).response is None
    with pytest.raises(InvalidCase, match=r"field response\.output: \{'answer': 'x'\} is a dict"):
        read(tmp_path, PROMPTFOO | {"response": {"output": {"answer": "x"}}})
    row = PROMPTFOO | {"response": {"output": {"answer": "x"}}}
    assert read(tmp_path, row, fields={"response": "response.output.answer"}).response == "x"


def test_promptfoo_table(tmp_path):
    """Its CSV has the variables as columns: the shape and the fields must be said."""
    row = {"query": "How long?", "context": "30 days.", "[rag-app] {{query}}": "You have 30 days."}
    fields = {"question": "query", "documents": "context", "response": "[rag-app] {{query}}"}
    case = read(tmp_path, row, "csv", shape="promptfoo", fields=fields)
    assert (texts(case), case.response) == (["30 days."], "You have 30 days.")


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "dataset"])
def test_predictions(tmp_path, form):
    """What a retriever showed and a generator said."""
    case = read(tmp_path, PREDICTION, form)
    assert (case.id, case.question, case.response) == ("q1", "What colour is it?", "Red.")
    assert [(document.id, document.text) for document in case.documents] == [
        ("p7", "It is red."),
        ("p2", "Big."),
    ]
    assert case.references == ("It is red.", "Red")
    assert dict(case.evaluation_config) == {"chunk_size": 256}


@pytest.mark.parametrize("form", ["parquet", "dataset"])
def test_sequences_of_objects(tmp_path, form):
    """`datasets` stores a sequence of objects as an object of sequences."""
    row = PREDICTION | {"passages": {"id": ["p7", "p2"], "text": ["It is red.", "Big."]}}
    case = read(tmp_path, row, form)
    assert [document.id for document in case.documents] == ["p7", "p2"]


def test_ragbench(tmp_path):
    """Released rows are of our own shape; their labels can be read by name."""
    case = read(tmp_path, RAGBENCH, "parquet")
    assert (case.id, case.question, case.response) == (
        "b1",
        RAGBENCH["question"],
        RAGBENCH["response"],
    )
    assert texts(case) == RAGBENCH["documents"]
    assert case["all_relevant_sentence_keys"] == ["0a", "0b"]


def test_own_shape(tmp_path):
    """Everything that a case may have, by our names."""
    row = {
        "id": 7,
        "question": "What colour is it?",
        "documents": [{"text": "It is red.", "title": "Bicycle"}, "It is big."],
        "document_ids": ["kept in the object", "b"],
        "response": "Red.",
        "reference": "It is red.",
        "relevant_ids": ["b", 3],
        "history": ["Hello", {"role": "assistant", "content": "Hi"}],
        "evaluation_config": {"chunk_size": 512, "team": "search"},
    }
    case = read(tmp_path, row)
    assert (case.id, case.references, case.relevant_ids) == ("7", ("It is red.",), ("b", "3"))
    assert case.documents == (
        Document("It is red.", title="Bicycle"),
        Document("It is big.", id="b"),
    )
    assert [(turn.role, turn.text) for turn in case.history] == [
        ("user", "Hello"),
        ("assistant", "Hi"),
    ]
    assert case.evaluation_config.chunk_size == 512
    trace = case.trace()
    assert trace.metadata == {
        "case": "7",
        "relevant_ids": ["b", "3"],
        "evaluation_config": row["evaluation_config"],
    }
    assert (trace.history, trace.reference) == (case.history, "It is red.")


def test_shape_is_that_of_each_row(tmp_path):
    """A file may hold rows of several tools."""
    path = tmp_path / "cases.jsonl"
    rows = [RAGAS, DEEPEVAL, PREDICTION, {"question": "What colour is it?"}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert {case.question for case in read_cases(path)} == {"What colour is it?"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"prompt": "What?", "answer": "Red."},
            (
                "cases.jsonl:1 has only fields by which no shape is known (prompt, answer); "
                "say the shape (own, predictions, ragas, deepeval, trulens, promptfoo) "
                "or the field of a part, such as question=FIELD"
            ),
        ),
        (
            {},
            (
                "cases.jsonl:1 has only fields by which no shape is known (none); "
                "say the shape (own, predictions, ragas, deepeval, trulens, promptfoo) "
                "or the field of a part, such as question=FIELD"
            ),
        ),
        (
            {"user_input": "What?", "actual_output": "Red.", "contexts": ["x"]},
            (
                "cases.jsonl:1 has fields of ragas (contexts, user_input) and deepeval "
                "(actual_output); say which: shape=ragas"
            ),
        ),
        (
            OLD_RAGAS | {"user_input": "Another question?"},
            (
                "cases.jsonl:1 has user_input and question, and they differ; "
                "say which holds question: question=user_input"
            ),
        ),
    ],
)
def test_what_tells_no_shape_or_several_is_refused(tmp_path, row, message):
    """One line says what came and how to name what is meant."""
    with pytest.raises(InvalidCase) as raised:
        read(tmp_path, row)
    assert str(raised.value) == message


def test_the_shape_may_be_said(tmp_path):
    """It goes before what the fields tell."""
    row = {"question": "What?", "documents": ["x"], "ground_truth": "ours", "input": "Which?"}
    case = read(tmp_path, row, shape="own")
    assert (case.question, case.references, case["ground_truth"]) == ("What?", (), "ours")
    assert read(tmp_path, row, shape="deepeval").question == "Which?"
    with pytest.raises(UnknownName) as raised:
        read(tmp_path, row, shape="ragflow")
    assert str(raised.value) == (
        "unknown shape 'ragflow' of cases; "
        "known: own, predictions, ragas, deepeval, trulens, promptfoo"
    )
