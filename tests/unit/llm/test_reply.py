"""Replies: what is read as a verdict, what is noted, and what is refused and why."""

from __future__ import annotations

import json

import pytest
from building import keyed
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts
from unit.llm.fake_client import dumped, entry, reply

from pytest_trace.llm.prompt import render
from pytest_trace.llm.reply import RefusedReply, read_reply
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace
from pytest_trace.verdict import MARKS, SentenceSupport, Verdict

ONE = keyed()
TWO = keyed(("You have 30 days.", "The shop opens at 9."))
VERDICT = Verdict(
    relevant=frozenset({"doc_0_s0", "doc_0_s1"}),
    utilized=frozenset({"doc_0_s0"}),
    support=(
        SentenceSupport(
            "resp_s0", supported=True, document_keys=("doc_0_s0",), reason="It says so."
        ),
    ),
    relevance_explanation="The documents tell the days.",
    support_explanation="The days are backed.",
)


def read(text, sentences=ONE):
    return read_reply(text, render(sentences), sentences)


def refusal(text, sentences=ONE):
    with pytest.raises(RefusedReply) as raised:
        read(text, sentences)
    return raised.value


def without(name):
    data = reply()
    del data[name]
    return json.dumps(data)


@pytest.mark.parametrize(
    "text",
    [
        dumped(),
        f"```json\n{dumped()}\n```",
        f"```\n{dumped()}\n```\nI hope that helps.",
        f"Let me see. [0a] tells the days.\n\n{dumped()}",
        f"<think>A set {{a, b}} and {{</think>{dumped()}",
        f'{{"a": "b"}} and {{"overall_supported": {{}}}}: {dumped()} {{"c": 1}}',
        json.dumps({"reply": reply()}),
        json.dumps([reply()]),
        f"{dumped()}\n{dumped()}",
        json.dumps(reply(), indent=4).replace("\n", "\r\n"),
        dumped(comment="more than was asked for"),
        dumped(overall_supported="True"),
        dumped(overall_supported="yes."),
        dumped(overall_supported=1),
        dumped(entry("a", "0a", supported="Yes"), overall_supported=True),
        dumped(entry("a", "0a", supported=1.0), overall_supported=True),
        dumped(all_relevant_sentence_keys=["[0a]", " 0B "]),
        dumped(all_relevant_sentence_keys=["0a.", "`0b`", ""]),
        dumped(all_relevant_sentence_keys="0a, 0b"),
        dumped(entry("[A].", "【0a】")),
    ],
)
def test_ways_to_write_the_same_reply(text):
    """What stands around the object, and how keys and booleans are written, does not matter."""
    assert read(text) == VERDICT


@pytest.mark.parametrize(
    "text", ["```json {} ```", 'a } b { c "', "\\ \n \t \u2028", '{"overall_supported": true}']
)
def test_strings_may_hold_anything(text):
    """Fences, braces, quotes and whole objects inside a string stay text."""
    verdict = read(f"```json\n{dumped(relevance_explanation=text)}\n```")
    assert verdict.relevance_explanation == text


def test_raw_line_ends_in_strings():
    """Models put line ends into strings without escaping them."""
    verdict = read(dumped(relevance_explanation="one@two").replace("@", "\n"))
    assert verdict.relevance_explanation == "one\ntwo"


def test_surrogates_in_strings():
    """A pair is the character it stands for, a lone one is replaced."""
    verdict = read(dumped(relevance_explanation="\ud83d\ude00 \ud800"))
    assert verdict.relevance_explanation == "😀 \ufffd"


def test_null_for_what_may_be_empty():
    """No explanation and no keys may be said with null."""
    text = dumped(relevance_explanation=None, all_utilized_sentence_keys=None)
    verdict = read(text)
    assert (verdict.relevance_explanation, verdict.utilized) == (None, frozenset())


@settings(max_examples=500)
@given(
    before=texts | st.text(st.sampled_from('{}[]":,`\\ ntruefals0a\n')),
    after=texts | st.text(st.sampled_from('{}[]":,`\\ ntruefals0a\n')),
)
def test_any_prose_around_a_reply(before, after):
    """A correct reply gives the same verdict in whatever prose."""
    assert read(before + dumped() + after) == VERDICT


@settings(max_examples=300)
@given(texts, texts)
def test_any_text_in_a_reply(relevance, support):
    """Explanations hold any text, escaped or not."""
    data = reply(relevance_explanation=relevance, overall_supported_explanation=support)
    verdicts = [read(json.dumps(data, ensure_ascii=is_ascii)) for is_ascii in (True, False)]
    assert {verdict.support for verdict in verdicts} == {VERDICT.support}


@given(texts | st.text(st.sampled_from('{}[]":, aoverall_supported')))
def test_any_other_text_is_refused(text):
    """No text raises anything else."""
    assert refusal(text).reason


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("change", [str, str.upper, lambda mark: f"[{mark.replace('_', ' ')}]"])
def test_marks_among_the_keys(mark, change):
    """A mark in place of keys, however it is written, is how the sentence is supported."""
    support = read(dumped(entry("a", change(mark)))).support[0]
    assert (support.supported, support.mark, support.document_keys) == (True, mark, ())


def test_mark_beside_keys():
    """A calculation names the sentences with its figures, too."""
    verdict = read(dumped(entry("a", "0a", "numerical_reasoning", "1b")))
    assert verdict.support[0].document_keys == ("doc_0_s0", "doc_1_s1")
    assert verdict.support[0].mark == "numerical_reasoning"
    assert verdict.notes == ()


def test_titles_are_evidence():
    """Keys of titles are read with whatever dash a model writes."""
    trace = Trace("", [Document("We open at 9.", title="Shop")], "It is a shop.")
    sentences = KeyedTrace.from_trace(trace, make_sentencizer())
    verdict = read(dumped(entry("a", "0-1", "0\u20111")), sentences)
    assert verdict.support[0].document_keys == ("doc_0_title",)


def test_support_follows_the_response():
    """Sentences that come in another order are put into that of the response."""
    verdict = read(dumped(entry("b", "1a"), entry("a", "0a")), TWO)
    assert [item.key for item in verdict.support] == ["resp_s0", "resp_s1"]


# What is odd in a reply on two sentences, the note, and what is supported by which keys.
NOTED = {
    "the whole against its sentences": (
        dumped(entry("a", "0a"), entry("b", supported=False), overall_supported=True),
        ("overall_supported against the sentences: 1",),
        [(True, ("doc_0_s0",)), (False, ())],
    ),
    "support without evidence": (
        dumped(entry("a"), entry("b", "9z")),
        ("unknown keys dropped: 1", "supported without a key or mark: 2"),
        [(True, ()), (True, ())],
    ),
    "partly supported": (
        dumped(entry("a", "0a", "0b", supported=False), entry("b", "1a")),
        ("unsupported, but with keys: 1",),
        [(False, ("doc_0_s0", "doc_0_s1")), (True, ("doc_1_s0",))],
    ),
    "not quite true": (
        dumped(entry("a", "0a", supported="partially"), entry("b", "1a")),
        ("unsupported, but with keys: 1",),
        [(False, ("doc_0_s0",)), (True, ("doc_1_s0",))],
    ),
    "unknown and doubled keys": (
        dumped(
            entry("a", "0a", "[0A]", "a"),
            entry("b", "1a"),
            all_relevant_sentence_keys=["0a", "0a", "0a", "7c", "doc"],
        ),
        ("unknown keys dropped: 3", "keys named twice: 3"),
        [(True, ("doc_0_s0",)), (True, ("doc_1_s0",))],
    ),
    "a sentence twice with the same verdict": (
        dumped(entry("a", "0a"), entry("b", "1a"), entry("A.", "0b", "general")),
        ("response sentences given twice: 1",),
        [(True, ("doc_0_s0", "doc_0_s1")), (True, ("doc_1_s0",))],
    ),
    "an unknown response sentence": (
        dumped(entry("a", "0a"), entry("b", "1a"), entry("c", "1a"), entry("0a")),
        ("unknown response sentences dropped: 2",),
        [(True, ("doc_0_s0",)), (True, ("doc_1_s0",))],
    ),
}


@pytest.mark.parametrize(("text", "notes", "support"), NOTED.values(), ids=NOTED)
def test_odd_replies_are_read_with_a_note(text, notes, support):
    """What models often do is no reason to ask again; the sentences decide."""
    verdict = read(text, TWO)
    assert set(verdict.notes) == set(notes)
    assert [(item.supported, item.document_keys) for item in verdict.support] == support


REFUSED = {
    "nothing": ("", "it holds no JSON object with the fields asked for"),
    "prose": ("All is supported.", "it holds no JSON object with the fields asked for"),
    "another object": ('{"ok": true}', "it holds no JSON object with the fields asked for"),
    "a list": ("[1, 2]", "it holds no JSON object with the fields asked for"),
    "a field is missing": (without("all_utilized_sentence_keys"), "all_utilized_sentence_keys"),
    "several fields are missing": (
        '{"overall_supported": true}',
        (
            "it lacks relevance_explanation; it lacks all_relevant_sentence_keys; "
            "it lacks overall_supported_explanation; and 2 more"
        ),
    ),
    "a field of an entry is missing": (
        dumped({"response_sentence_key": "a"}, overall_supported=True),
        "it lacks sentence_support_information.0.explanation",
    ),
    "no boolean": (
        dumped(entry("a", "0a", supported="perhaps"), overall_supported=True),
        "sentence_support_information.0.fully_supported: expected true or false",
    ),
    "null for a boolean": (
        dumped(entry("a", "0a", supported=None), overall_supported=True),
        "sentence_support_information.0.fully_supported: expected true or false",
    ),
    "no list": (dumped(sentence_support_information="a"), "sentence_support_information: "),
    "a sentence is missing": (dumped(entry("b", "0a")), "it lacks the response sentences a"),
    "two verdicts on a sentence": (
        dumped(entry("a", "0a"), entry("[a]", supported=False)),
        "it decides differently on the response sentence a twice",
    ),
    "two verdicts": (
        f"{dumped()} or {dumped(overall_supported=False)}",
        "it holds several JSON objects that differ",
    ),
    "nested without end": ('{"a":' * 100_000, "its JSON is nested too deeply"),
    "more braces than a reply has": (
        "{}" * 2_000 + dumped(),
        "it holds no JSON object with the fields asked for",
    ),
    "a number without end": (
        f'{{"overall_supported": {"1" * 10_000}}}',
        "it holds no JSON object with the fields asked for",
    ),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_replies_that_are_no_verdict_are_refused(text, reason):
    """The reason says what is wrong, without a word of the reply."""
    refused = refusal(text)
    assert reason in refused.reason
    assert "perhaps" not in refused.reason
    assert not refused.is_truncated


def test_many_missing_sentences_are_named_shortly():
    """Twenty are named."""
    sentences = keyed([f"Sentence {number}." for number in range(30)])
    reason = refusal(dumped(entry("b", "0a")), sentences).reason
    assert reason.startswith("it lacks the response sentences a, c, d, ")
    assert reason.endswith("t, u, …")


@pytest.mark.parametrize("fence", ["", "```json\n"])
@pytest.mark.parametrize("end", ["", "\n```", "  \n"])
def test_truncated_replies_are_known_as_such(fence, end):
    """Wherever the text ends too early, the refusal says that it was cut off."""
    text = json.dumps(reply(relevance_explanation='Ünïcode and \\ and " and {.'), indent=1)
    cuts = range(text.index(":"), len(text) - 1)
    refusals = [refusal(fence + text[:cut] + end) for cut in cuts]
    assert {item.reason for item in refusals} == {"its JSON is cut off"}
    assert all(item.is_truncated for item in refusals)
