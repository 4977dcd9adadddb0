"""Label files for tests, from as little as a test wants to say."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import time
from pathlib import Path

import pyarrow as pa
from fakes import FakeJudge
from pyarrow import parquet

from pytest_trace.errors import JudgeError
from pytest_trace.verdict import SentenceSupport, Verdict

PLAIN = {
    "question": "How long do I have?",
    "documents": ["Returns take 30 days. Bring the receipt.", "We open at 9."],
    "response": "You have 30 days.",
    "supported": True,
}
RESEARCH = {
    "id": "r1",
    "source": "shop",
    "language": "en",
    "question": None,
    "documents": PLAIN["documents"],
    "response": "You have 30 days. Have a nice day!",
    "label_supported": False,
    "relevant_doc_sentences": None,
}
RAGBENCH = {
    "id": "b1",
    "question": PLAIN["question"],
    "documents": PLAIN["documents"],
    "response": PLAIN["response"],
    "dataset_name": "shop_test",
    "documents_sentences": [
        [["0a", "Returns take 30 days."], ["0b", "Bring the receipt."]],
        [["1a", "We open at 9."]],
    ],
    "response_sentences": [["a", "You have 30 days."]],
    "unsupported_response_sentence_keys": [],
    "adherence_score": True,
    "all_relevant_sentence_keys": ["0a", "0b"],
    "all_utilized_sentence_keys": ["0a"],
    "relevance_score": 2 / 3,
    "utilization_score": 1 / 3,
    "completeness_score": 0.5,
}
_KEYS = pa.list_(pa.string())
_PAIRS = pa.list_(_KEYS)
_TYPES = {
    "documents": _KEYS,
    "documents_sentences": pa.list_(_PAIRS),
    "response_sentences": _PAIRS,
    "unsupported_response_sentence_keys": _KEYS,
    "all_relevant_sentence_keys": _KEYS,
    "all_utilized_sentence_keys": _KEYS,
    "adherence_score": pa.bool_(),
    **dict.fromkeys(("relevance_score", "utilization_score", "completeness_score"), pa.float64()),
}
_PEERS = (
    "ragas_faithfulness",
    "trulens_groundedness",
    "gpt3_adherence",
    "ragas_context_relevance",
    "trulens_context_relevance",
    "gpt3_context_relevance",
    "gpt35_utilization",
)


def write_jsonl(path, *rows):
    """Write rows, or lines as they are, and give the path; compressed if it is called so."""
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if path.name.endswith(".gz") else content)
    return path


def write_parquet(path, *rows):
    """Write RAGBench rows, each like the one above but for what is given."""
    types = _TYPES | dict.fromkeys(_PEERS, pa.float64())
    names = [*RAGBENCH, *_PEERS]
    schema = pa.schema({name: types.get(name, pa.string()) for name in names})
    parquet.write_table(pa.Table.from_pylist([RAGBENCH | row for row in rows], schema), path)
    return path


def shop(number, response, **fields):
    """A plain row about one thing in the shop; rows of different numbers share nothing."""
    documents = [f"Thing {number} costs {number} euros. The weather is fine."]
    question = f"What does thing {number} cost?"
    return {"question": question, "documents": documents, "response": response} | fields


class SayingJudge:
    """A judge that is free, and as sure of a response as the number in it says: `It is red .25`.

    What it says of a document sentence is the number there, if any.
    """

    kind = "saying"
    version = "3"
    is_free = True

    def judge(self, sentences):
        sure = _said(sentences.trace.response)
        said = {item.key: _said(item.text) for item in sentences.documents}
        keys = frozenset(key for key, probability in said.items() if probability >= 0.5)
        return Verdict(
            relevant=keys,
            utilized=keys,
            support=tuple(
                SentenceSupport(item.key, sure >= 0.5, ("doc_0_s0",), reason="I say so")
                for item in sentences.response
            ),
            relevant_probability=said,
            utilized_probability=said,
            probability=sure,
        )


def _said(text):
    found = re.search(r"[.]\d+", text)
    return float(found[0]) if found else 0.5


class SlowJudge(FakeJudge):
    """A fake judge that hangs after the third trace, and makes a file `asked-3`, `asked-4`, …"""

    def __init__(self):
        super().__init__()
        self._numbers = itertools.count()

    def judge(self, sentences):
        number = next(self._numbers)
        if number >= 3:
            Path(f"asked-{number}").touch()
            time.sleep(60)
        return super().judge(sentences)


class MarkingJudge(FakeJudge):
    """Says of everything that it is well known."""

    def judge(self, sentences):
        support = (
            SentenceSupport(item.key, supported=True, mark="well_known_fact")
            for item in sentences.response
        )
        return Verdict(relevant=frozenset(), utilized=frozenset(), support=tuple(support))


class NeverJudge(FakeJudge):
    """Can never decide."""

    def judge(self, sentences):
        raise JudgeError("never")
