"""Hypothesis strategies for the values of the package, in hostile texts too."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from pytest_trace.metrics import DocumentScores, TraceScores
from pytest_trace.sentences import KeyedTrace, Sentence
from pytest_trace.trace import Document, Trace, Turn, joined
from pytest_trace.verdict import MARKS, SentenceSupport, Verdict

HOSTILE = ("\r\n", "\0", "\ud800", "\udc00", "\ud83d\ude00", "\u2028", " ", "Ünïcode", "é", "文")

texts = st.lists(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from(HOSTILE)), max_size=8
).map("".join)
plain_texts = texts.map(joined)  # judges' texts come out of JSON, which has no surrogate pairs
solid_texts = texts.map("a{}".format)
probabilities = st.none() | st.floats(0, 1)
shares = st.none() | st.floats(0, 1)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
metadata = st.dictionaries(texts, json_values, max_size=2)
documents = st.builds(
    Document,
    solid_texts,
    id=st.none() | texts,
    title=st.none() | texts,
    metadata=metadata,
    kind=st.sampled_from(("retrieved", "tool", "system")),
)
traces = st.builds(
    Trace,
    texts,
    st.lists(documents, max_size=3),
    solid_texts,
    history=st.lists(st.builds(Turn, texts, texts), max_size=2),
    reference=st.none() | texts,
    metadata=metadata,
)


def sentences_of(prefix, document, *, is_counted):
    """One to four sentences of a document, or of the response."""

    def keyed(found):
        return tuple(
            Sentence(f"{prefix}_s{number}", text, document, 0, len(text), context, is_counted)
            for number, (text, context) in enumerate(found)
        )

    pairs = st.tuples(plain_texts, st.none() | plain_texts)
    return st.lists(pairs, min_size=1, max_size=4).map(keyed)


@st.composite
def keyed_traces(draw):
    """Traces with sentences, whose text is not looked at."""
    trace = draw(traces)
    found = []
    for index, document in enumerate(trace.documents):
        is_counted = document.kind == "retrieved"
        found += draw(sentences_of(f"doc_{index}", index, is_counted=is_counted))
    response = draw(sentences_of("resp", None, is_counted=False))
    return KeyedTrace(trace, tuple(found), response, "test-1")


@st.composite
def verdicts(draw, sentences, *, unknown=()):
    """Verdicts on `sentences`, in known keys and those of `unknown`."""
    known = [*sorted(sentences.document_keys), *unknown]
    keys = st.lists(st.sampled_from(known), max_size=6) if known else st.just([])
    supports = [
        SentenceSupport(
            sentence.key,
            draw(st.booleans()),
            tuple(draw(keys)),
            draw(st.none() | st.sampled_from(MARKS)),
            draw(st.none() | plain_texts),
            draw(probabilities),
        )
        for sentence in sentences.response
    ]
    by_key = st.dictionaries(st.sampled_from(known), st.floats(0, 1)) if known else st.just({})
    return Verdict(
        relevant=frozenset(draw(keys)),
        utilized=frozenset(draw(keys)),
        support=tuple(supports),
        relevant_probability=draw(st.none() | by_key),
        utilized_probability=draw(st.none() | by_key),
        probability=draw(probabilities),
        relevance_explanation=draw(st.none() | plain_texts),
        support_explanation=draw(st.none() | plain_texts),
        notes=tuple(draw(st.lists(plain_texts, max_size=2))),
    )


@st.composite
def judged_traces(draw):
    """Pairs of a keyed trace and a verdict on it."""
    sentences = draw(keyed_traces())
    return sentences, draw(verdicts(sentences))


document_scores = st.builds(DocumentScores, shares, shares, shares)
trace_scores = st.builds(
    TraceScores,
    relevance=shares,
    utilization=shares,
    completeness=shares,
    adherence=st.sampled_from((0.0, 1.0)),
    support=shares,
    by_document=st.lists(document_scores, max_size=2).map(tuple),
)


def through_json(data):
    """JSON values after a journey as ASCII text."""
    return json.loads(json.dumps(data, ensure_ascii=True))
