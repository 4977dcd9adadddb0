"""What a model may reply, from the wire to the verdict, through the real SDKs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from wire.server import ChatServer, Reply, answer_keyed, completion

from pytest_trace import Trace, make_sentencizer
from pytest_trace.errors import JudgeError, JudgeReplyError
from pytest_trace.llm.judge import LlmJudge
from pytest_trace.sentences import KeyedTrace

TRACE = Trace("Is it red?", ["The bicycle is red.", "It is old."], "It is red. It is new.")


def _keyed(trace: Trace = TRACE) -> KeyedTrace:
    return KeyedTrace.from_trace(trace, make_sentencizer())


def _reply(**changes: object) -> str:
    """A verdict on TRACE in the fields of the wire: the first sentence is supported."""
    support = [
        ("a", ["0a"], True),
        ("b", [], False),
    ]
    verdict: dict[str, object] = {
        "relevance_explanation": "The first document.",
        "all_relevant_sentence_keys": ["0a"],
        "overall_supported_explanation": "One of two.",
        "overall_supported": False,
        "sentence_support_information": [
            {
                "response_sentence_key": key,
                "explanation": "Read.",
                "supporting_sentence_keys": keys,
                "fully_supported": is_supported,
            }
            for key, keys, is_supported in support
        ],
        "all_utilized_sentence_keys": ["0a"],
    }
    return json.dumps(verdict | changes)


def _support(*rows: tuple[str, list[str], object]) -> list[dict[str, object]]:
    return [
        {
            "response_sentence_key": key,
            "explanation": "Read.",
            "supporting_sentence_keys": keys,
            "fully_supported": value,
        }
        for key, keys, value in rows
    ]


@pytest.fixture
def judge(make_client: Callable) -> LlmJudge:
    """An LLM judge over either real SDK."""
    client = make_client()
    return LlmJudge("scripted", client, client.settings)


ACCEPTED = {
    "plain": _reply(),
    "fenced": f"```json\n{_reply()}\n```",
    "prose around": f"Here is my verdict.\n{_reply()}\nI hope this helps {{you}}.",
    "fences in strings": _reply(relevance_explanation="```json {} ``` in a string"),
    "keys with a stop": _reply(
        sentence_support_information=_support(("a.", ["0a."], True), ("b.", [], False))
    ),
    "keys in brackets": _reply(
        all_relevant_sentence_keys=["[0a]"],
        sentence_support_information=_support(("[a]", ["[0a]"], True), (" B ", [" 0A "], False)),
    ),
    "words for booleans": _reply(
        sentence_support_information=_support(("a", ["0a"], "True"), ("b", [], "no."))
    ),
    "numbers for booleans": _reply(
        sentence_support_information=_support(("a", ["0a"], 1), ("b", [], 0))
    ),
    "overall says otherwise": _reply(overall_supported=True),
    "unknown and double keys": _reply(all_relevant_sentence_keys=["0a", "0a", "9z"]),
    "keys beside false": _reply(
        sentence_support_information=_support(("a", ["0a"], True), ("b", ["1a"], False))
    ),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_a_reply_is_read_as_it_was_meant(
    judge: LlmJudge, chat_server: ChatServer, text: str
) -> None:
    """Fences, prose, spellings of keys and booleans, and contradictions need no second call."""
    chat_server.script(completion(text))
    verdict = judge.judge(_keyed())
    assert [item.supported for item in verdict.support] == [True, False]
    assert verdict.relevant == {"doc_0_s0"}
    assert len(chat_server.requests) == 1


NOTED = ("overall says otherwise", "unknown and double keys")


@pytest.mark.parametrize("name", NOTED)
def test_what_is_odd_in_a_reply_is_noted(
    judge: LlmJudge, chat_server: ChatServer, name: str
) -> None:
    """A contradiction and keys that were dropped stand in the verdict's notes."""
    chat_server.script(completion(ACCEPTED[name]))
    assert judge.judge(_keyed()).notes


REFUSED = {
    "cut off": _reply()[:200],
    "no JSON": "I cannot judge this.",
    "a sentence is missing": _reply(sentence_support_information=_support(("a", ["0a"], True))),
    "a sentence twice": _reply(
        sentence_support_information=_support(
            ("a", ["0a"], True), ("a", [], False), ("b", [], False)
        )
    ),
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_reply_that_is_none_is_asked_for_once_more(
    judge: LlmJudge, chat_server: ChatServer, text: str
) -> None:
    """The second request says why; a second reply that is none is an error, not a third call."""
    chat_server.script(completion(text), completion(_reply()))
    assert judge.judge(_keyed()).support[0].supported
    first, second = (body["messages"][-1]["content"] for body in chat_server.requests)
    assert second.startswith(first[: len(first) // 4])
    assert "could not be used" in second
    chat_server.script(completion(text), completion(text))
    with pytest.raises(JudgeReplyError, match="replied twice without a verdict"):
        judge.judge(_keyed())
    assert len(chat_server.requests) == 4


def test_a_reply_that_was_cut_off_gets_more_room(judge: LlmJudge, chat_server: ChatServer) -> None:
    """The second request allows more completion tokens."""
    chat_server.script(completion(_reply()[:100], finish_reason="length"), completion(_reply()))
    judge.judge(_keyed())
    first, second = (body["max_completion_tokens"] for body in chat_server.requests)
    assert second > first


def test_a_long_trace_is_judged_in_windows(make_client: Callable, chat_server: ChatServer) -> None:
    """Each call sees the whole response; relevant keys are united, and one window supports it."""
    client = make_client(context_tokens=9_000)
    documents = [f"Fact {n} is told here. " + "It is a plain day. " * 300 for n in range(6)]
    trace = Trace("What is told?", documents, "Fact 4 is told here.")

    def answer(body: dict) -> Reply:
        evidence = body["messages"][-1]["content"].partition("\n[a] ")[0]
        return answer_keyed(
            body,
            is_relevant=lambda text: text.startswith("Fact"),
            is_supported=lambda _: "] Fact 4 is told here." in evidence,
        )

    chat_server.answer(answer)
    verdict = LlmJudge("scripted", client, client.settings).judge(_keyed(trace))
    assert len(chat_server.requests) > 1
    assert all("Fact 4 is told here." in str(body["messages"]) for body in chat_server.requests)
    assert verdict.relevant == {f"doc_{n}_s0" for n in range(6)}
    assert verdict.support[0].supported
    assert any("calls" in note or "windows" in note for note in verdict.notes)


def test_a_sentence_that_fits_no_window_is_an_error(make_client: Callable) -> None:
    """The error tells the sizes; nothing is asked."""
    client = make_client(context_tokens=9_000)
    trace = Trace("What?", ["word " * 30_000], "It is long.")
    with pytest.raises(JudgeError, match=r"\d"):
        LlmJudge("scripted", client, client.settings).judge(_keyed(trace))
