"""Long traces: how they are split, which calls they take, and how verdicts are merged."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from building import QUESTION, keyed, marked, supported, unsupported
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from strategies import keyed_traces, verdicts

from pytest_trace.errors import JudgeError
from pytest_trace.llm import windows
from pytest_trace.llm.windows import trace_tokens
from pytest_trace.trace import Trace
from pytest_trace.verdict import SentenceSupport, Verdict

LONG = "The shop keeps a note for every unit that it sells and for each that comes back to it. " * 4
REFUSAL = "supported_without_sentence"


def trace_of(*documents, response=("You have 30 days.",)):
    """Documents of so many long sentences."""
    return keyed(response, documents=[[f"{n}{LONG}".strip()] * n for n in documents])


def room_for(sentences, count):
    """The room of a prompt with the first `count` document sentences, and a little more."""
    part = replace(sentences, documents=sentences.documents[:count])
    return trace_tokens(part) + 8 * count


def judge_in_windows(sentences, script, *, room):
    """What comes of a trace whose windows `script` judges."""

    async def ask(part):
        return script(part)

    return asyncio.run(windows.judge_in_windows(sentences, ask, room=room))


class Script:
    """Gives verdicts in turn, and keeps what it was asked."""

    def __init__(self, *given):
        self.given = given
        self.asked = []

    def __call__(self, sentences):
        verdict = self.given[min(len(self.asked), len(self.given) - 1)]
        self.asked.append(sentences)
        return verdict

    @property
    def keys(self):
        """The document sentences of each call."""
        return [[item.key for item in asked.documents] for asked in self.asked]


def verdict(*support, relevant=(), utilized=(), notes=(), why=None):
    return Verdict(
        relevant=frozenset(relevant),
        utilized=frozenset(utilized),
        support=support,
        notes=notes,
        relevance_explanation=why,
    )


def judged(*given, documents=2, response=("You have 30 days.",)):
    """The verdict on a trace with a window for each document of two, and the calls it took."""
    sentences = trace_of(*[2] * documents, response=response)
    script = Script(*given)
    return judge_in_windows(sentences, script, room=room_for(sentences, 2)), script


def test_trace_that_fits_takes_one_call():
    """The verdict is that of the call, without a note."""
    sentences, given_verdict = keyed(), verdict(supported())
    script = Script(given_verdict)
    assert judge_in_windows(sentences, script, room=100_000) is given_verdict
    assert script.asked == [sentences]


def test_split_between_documents():
    """Documents stay whole and in order, as many in a window as fit."""
    sentences = trace_of(1, 2, 1, 3)
    script = Script(verdict(supported()))
    judge_in_windows(sentences, script, room=room_for(sentences, 3))
    assert script.keys == [
        ["doc_0_s0", "doc_1_s0", "doc_1_s1"],
        ["doc_2_s0"],
        ["doc_3_s0", "doc_3_s1", "doc_3_s2"],
    ]


def test_document_that_fills_a_window_is_split_between_sentences():
    """Its sentences keep their keys, and the next document joins its rest."""
    sentences = trace_of(1, 5, 1)
    script = Script(verdict(supported()))
    judge_in_windows(sentences, script, room=room_for(sentences, 3))
    assert script.keys == [
        ["doc_0_s0"],
        ["doc_1_s0", "doc_1_s1", "doc_1_s2"],
        ["doc_1_s3", "doc_1_s4", "doc_2_s0"],
    ]


def test_each_call_sees_question_and_response():
    """A window differs from the trace in its documents only."""
    sentences = trace_of(1, 1)
    script = Script(verdict(supported()))
    judge_in_windows(sentences, script, room=room_for(sentences, 1))
    assert [replace(asked, documents=()) for asked in script.asked] == [
        replace(sentences, documents=())
    ] * 2


@settings(max_examples=100)
@given(keyed_traces(), st.integers(0, 600))
def test_windows_fit(sentences, more):
    """Every prompt has room, and every sentence is in one of the windows, in order."""
    room = trace_tokens(replace(sentences, documents=())) + more
    support = tuple(
        SentenceSupport(i.key, supported=True, mark="general") for i in sentences.response
    )
    script = Script(verdict(*support))
    try:
        judge_in_windows(sentences, script, room=room)
    except JudgeError:
        reject()
    assert all(trace_tokens(asked) <= room for asked in script.asked)
    assert [key for keys in script.keys for key in keys] == [i.key for i in sentences.documents]


def test_sentence_that_cannot_fit():
    """An error says which, and how large it is."""
    sentences = keyed(documents=(["Yes."], ["No.", LONG.strip() * 20]))
    with pytest.raises(JudgeError) as raised:
        judge_in_windows(sentences, Script(), room=room_for(sentences, 1))
    message = str(raised.value)
    assert message.startswith("the sentence doc_1_s1 takes about 2")
    assert f"doc_1_s1 has {len(sentences.documents[-1].text)} characters" in message


def test_response_that_cannot_fit():
    """An error says the sizes of response and question."""
    sentences = keyed([LONG.strip()])
    with pytest.raises(JudgeError) as raised:
        judge_in_windows(sentences, Script(), room=1_000)
    message = str(raised.value)
    assert message.startswith("question and response take about 1")
    assert "the model's window has room for 1000" in message
    assert f"response {len(sentences.trace.response)} characters" in message
    assert f"question and history {len(QUESTION)} characters" in message


def test_relevant_and_utilized_are_unions():
    """What one window names counts, and their explanations are all there."""
    merged, _ = judged(
        verdict(supported(), relevant=["doc_0_s0"], utilized=["doc_0_s0"], why="Days."),
        verdict(unsupported(), relevant=["doc_1_s0"], why="Hours."),
    )
    assert merged.relevant == {"doc_0_s0", "doc_1_s0"}
    assert merged.utilized == {"doc_0_s0"}
    assert merged.relevance_explanation == "Days. Hours."


def test_notes_say_how_many_calls():
    """Notes of the calls add up, and the number of calls is one of them."""
    merged, script = judged(
        verdict(supported(), notes=("keys named twice: 1",)),
        verdict(supported(), notes=("keys named twice: 2",)),
    )
    assert merged.notes == ("keys named twice: 3", "calls for a long trace: 2")
    assert len(script.asked) == 2


# What two windows say of a sentence, and what they say together without another call.
MERGED = {
    "one supports": (supported(), unsupported(0, "doc_1_s0"), supported()),
    "the other supports": (unsupported(), supported(0, "doc_1_s0"), supported(0, "doc_1_s0")),
    "both support": (
        supported(),
        supported(0, "doc_1_s0"),
        supported(0, "doc_0_s0", "doc_1_s0"),
    ),
    "keys are better than a mark": (marked(0, "general"), supported(), supported()),
    "keys are better than a refusal": (marked(0, REFUSAL), supported(), supported()),
    "a mark is enough": (marked(0, "general"), unsupported(), marked(0, "general")),
    "a refusal in both": (marked(0, REFUSAL), marked(0, REFUSAL), marked(0, REFUSAL)),
}


@pytest.mark.parametrize(("first", "second", "together"), MERGED.values(), ids=MERGED)
def test_sentence_is_supported_if_one_window_supports_it(first, second, together):
    """One window with evidence is enough; a refusal needs every window."""
    merged, script = judged(verdict(first), verdict(second))
    assert merged.support == (together,)
    assert len(script.asked) == 2


def test_what_nobody_supports_gets_another_look():
    """A last call sees what any window named, and decides on sentences without support only."""
    response = ("You have 30 days.", "The shop opens at 9.", "It is red.")
    merged, script = judged(
        verdict(supported(0), unsupported(1, "doc_0_s0"), unsupported(2), relevant=["doc_0_s0"]),
        verdict(unsupported(0), unsupported(1), unsupported(2)),
        verdict(*map(unsupported, range(3)), utilized=["doc_2_s0"]),
        verdict(
            unsupported(0),
            supported(1, "doc_0_s0", "doc_2_s0"),
            unsupported(2, reason="Nothing is red."),
            utilized=["doc_0_s0"],
        ),
        documents=3,
        response=response,
    )
    assert script.keys[3] == ["doc_0_s0", "doc_2_s0"]
    assert merged.support == (
        supported(0),
        supported(1, "doc_0_s0", "doc_2_s0"),
        unsupported(2, reason="Nothing is red."),
    )
    assert merged.utilized == {"doc_0_s0", "doc_2_s0"}
    assert merged.notes == ("calls for a long trace: 4",)


def test_closest_evidence_stays_where_the_last_look_names_none():
    """Keys and reasons of the windows are kept for sentences without support."""
    merged, _ = judged(
        verdict(unsupported(0, "doc_0_s0", reason="Not 30.")),
        verdict(unsupported()),
        verdict(supported(0, mark="supported_without_sentence")),
    )
    assert merged.support == (unsupported(0, "doc_0_s0", reason="Not 30."),)


def test_refusal_that_one_window_contradicts():
    """No later call turns it into a supported one."""
    merged, script = judged(
        verdict(marked(0, REFUSAL)),
        verdict(unsupported(0, "doc_1_s0", reason="Document 1 says it.")),
        verdict(marked(0, REFUSAL)),
    )
    assert merged.support == (unsupported(0, "doc_1_s0", reason="Document 1 says it."),)
    assert script.keys[2] == ["doc_1_s0"]


def test_support_without_evidence_is_none():
    """Windows that support a sentence and name nothing do not support it together."""
    bare = SentenceSupport("resp_s0", supported=True, reason="It is so.")
    merged, script = judged(verdict(bare), verdict(bare))
    assert merged.support == (unsupported(reason="no call named a sentence that supports it"),)
    assert len(script.asked) == 2


def test_evidence_as_far_as_it_fits():
    """What came close to support comes first, and a note tells what was left out."""
    sentences = trace_of(1, 1, 1, response=("You have 30 days.",))
    relevant = [item.key for item in sentences.documents]
    script = Script(
        verdict(unsupported(), relevant=relevant),
        verdict(unsupported()),
        verdict(unsupported(0, "doc_2_s0")),
        verdict(unsupported()),
    )
    merged = judge_in_windows(sentences, script, room=room_for(sentences, 1))
    assert script.keys[3] == ["doc_2_s0"]
    assert merged.notes == ("calls for a long trace: 4", "evidence left out: 2")


@settings(max_examples=100)
@given(st.data())
def test_any_verdicts_merge(data):
    """The merged verdict has each response sentence once, and only keys that were named."""
    sentences = trace_of(1, 1, 1, response=("You have 30 days.", "It is red."))
    given_verdicts = [data.draw(verdicts(sentences)) for _ in range(4)]
    merged = judge_in_windows(sentences, Script(*given_verdicts), room=room_for(sentences, 1))
    merged.require_keys(["resp_s0", "resp_s1"])
    assert merged.relevant <= frozenset().union(*(item.relevant for item in given_verdicts))
    assert merged.utilized <= frozenset().union(*(item.utilized for item in given_verdicts))


def test_no_document_at_all():
    """A long response without documents is an error with sizes, not an empty list of calls."""
    sentences = keyed([LONG.strip()], documents=())
    with pytest.raises(JudgeError, match="question and response take about"):
        judge_in_windows(sentences, Script(), room=1_000)
    assert Trace(QUESTION, [], LONG).documents == ()
