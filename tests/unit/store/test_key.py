"""The key of a verdict: everything that can change it, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from building import DOCUMENTS, keyed
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import keyed_traces, plain_texts

from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.store.key import verdict_key
from pytest_trace.trace import Document, Trace

IDENTITY = {
    "kind": "groq",
    "version": "1.3",
    "model": "openai/gpt-oss-20b",
    "base_url": "https://api.groq.com",
    "temperature": 0.0,
    "prompt": "3",
}
SENTENCES = keyed()
KEY = verdict_key(IDENTITY, SENTENCES)


def retold(sentences, **fields):
    """The same sentences of a trace with other fields."""
    known = {name: getattr(sentences.trace, name) for name in ("question", "documents", "response")}
    given = known | fields
    trace = Trace(given.pop("question"), given.pop("documents"), given.pop("response"), **given)
    return replace(sentences, trace=trace)


def with_sentence(part, number, **fields):
    """The sentences with one of them changed."""
    found = list(getattr(SENTENCES, part))
    found[number] = replace(found[number], **fields)
    return replace(SENTENCES, **{part: tuple(found)})


def test_key_is_pinned():
    """Stored verdicts are found by the next release: the key changes only with its format."""
    assert KEY == "799dfd48e8f67bb36f3819cd98dfbfb7f92cf5f5be2283a23b7da5e357dce60c"


@pytest.mark.parametrize("name", IDENTITY)
def test_judge_is_in_the_key(name):
    """Whatever a judge says of itself asks anew when it changes, comes or goes."""
    changed = verdict_key(IDENTITY | {name: "another"}, SENTENCES)
    without = verdict_key({key: IDENTITY[key] for key in IDENTITY if key != name}, SENTENCES)
    assert len({KEY, changed, without}) == 3


@pytest.mark.parametrize(
    "sentences",
    [
        pytest.param(replace(SENTENCES, sentencizer="other-2"), id="sentencizer"),
        pytest.param(retold(SENTENCES, question="How long?"), id="question"),
        pytest.param(retold(SENTENCES, history=["I bought a laptop."]), id="history"),
        pytest.param(with_sentence("documents", 0, text="Within 40 days."), id="first-sentence"),
        pytest.param(with_sentence("documents", 3, text="It closes at 19."), id="last-sentence"),
        pytest.param(with_sentence("documents", 1, context="Returns"), id="document-context"),
        pytest.param(with_sentence("documents", 1, key="doc_0_title"), id="key"),
        pytest.param(with_sentence("response", 0, text="You have 40 days."), id="response"),
        pytest.param(with_sentence("response", 0, context="Returns:"), id="response-context"),
        pytest.param(replace(SENTENCES, documents=SENTENCES.documents[:3]), id="one-less"),
        pytest.param(replace(SENTENCES, documents=SENTENCES.documents[::-1]), id="order"),
        pytest.param(keyed(documents=[sum(DOCUMENTS, ())]), id="documents-joined"),
    ],
)
def test_what_the_judge_sees_is_in_the_key(sentences):
    """A change of anything that a judge is shown asks anew."""
    assert verdict_key(IDENTITY, sentences) != KEY


@pytest.mark.parametrize(
    ("turns", "others"),
    [
        ([("user", "a"), ("user", "b")], [("user", "b"), ("user", "a")]),
        ([("user", "a")], [("assistant", "a")]),
        ([("user", "ab")], [("user", "a"), ("user", "b")]),
    ],
)
def test_turns_are_told_apart(turns, others):
    """Order, role and bounds of earlier turns matter."""
    keys = {verdict_key(IDENTITY, retold(SENTENCES, history=each)) for each in (turns, others)}
    assert len(keys) == 2


def test_votes_have_keys_of_their_own():
    """Each vote on a trace is asked once; the first one is the vote of a run without voting."""
    keys = [verdict_key(IDENTITY, SENTENCES, vote=number) for number in range(3)]
    assert keys[0] == KEY
    assert len(set(keys)) == 3


@pytest.mark.parametrize(
    "sentences",
    [
        pytest.param(retold(SENTENCES, metadata={"run": 7}), id="metadata"),
        pytest.param(retold(SENTENCES, reference="30 days"), id="reference"),
        pytest.param(
            retold(
                SENTENCES,
                documents=[
                    Document(each.text, id="x", metadata={"score": 0.3})
                    for each in SENTENCES.trace.documents
                ],
            ),
            id="metadata-of-documents",
        ),
        pytest.param(with_sentence("documents", 0, start=3, end=42), id="offsets"),
        pytest.param(keyed(), id="made-again"),
    ],
)
def test_nothing_else_is_in_the_key(sentences):
    """What no judge is shown costs no call when it changes."""
    assert verdict_key(IDENTITY, sentences) == KEY


def test_order_of_the_identity_does_not_matter():
    """A judge may name its settings in any order."""
    assert verdict_key(dict(reversed(IDENTITY.items())), SENTENCES) == KEY


def test_selected_metadata_is_in_the_key():
    """Metadata that was selected as evidence is a sentence, and asks anew when it changes."""
    keys = {
        verdict_key(
            IDENTITY,
            KeyedTrace.from_trace(
                Trace("When?", [Document("Open at 9.", metadata={"year": year})], "At 9."),
                make_sentencizer(),
                metadata_keys=selected,
            ),
        )
        for year in (2025, 2026)
        for selected in ((), ("year",))
    }
    assert len(keys) == 3


def seen(sentences):
    """What a judge is shown."""
    trace = sentences.trace
    shown = [(each.key, each.text, each.context) for each in sentences.documents]
    judged = [(each.key, each.text, each.context) for each in sentences.response]
    return trace.question, trace.history, shown, judged, sentences.sentencizer


@settings(max_examples=30)
@given(keyed_traces(), st.data())
def test_distinct_traces_have_distinct_keys(sentences, data):
    """Two traces share a key exactly if a judge is shown the same, in hostile texts too."""
    part = data.draw(st.sampled_from(("documents", "response")))
    found = list(getattr(sentences, part))
    number = data.draw(st.integers(0, len(found)))
    name = data.draw(st.sampled_from(("text", "context", "key")))
    if number < len(found):
        found[number] = replace(found[number], **{name: data.draw(plain_texts)})
    else:
        found.append(SENTENCES.documents[0])
    another = replace(sentences, **{part: tuple(found)})
    is_same = verdict_key(IDENTITY, sentences) == verdict_key(IDENTITY, another)
    assert is_same == (seen(sentences) == seen(another))
