"""The LLM judge: what it asks, when it asks again, and what it says when there is no verdict."""

from __future__ import annotations

import subprocess
import sys

import pytest
from building import keyed, supported, unsupported
from unit.llm.fake_client import FakeClient, dumped, entry, keyed_lines

from pytest_trace.errors import JudgeReplyError, JudgeUnavailable
from pytest_trace.judges import Judge, judge_name
from pytest_trace.llm.client import ChatReply
from pytest_trace.llm.judge import LlmJudge
from pytest_trace.llm.prompt import PROMPT_VERSION, REPLY_SCHEMA, SYSTEM
from pytest_trace.llm.settings import LlmSettings

LONG = "The shop keeps a note for every unit that it sells and for each that comes back to it."
CUT_OFF = ChatReply(text='{"relevance_explanation": "The doc', is_truncated=True)


def judge_with(client, **options):
    return LlmJudge("fake", client, LlmSettings(**options))


def by_words(request):
    """Every sentence is supported by the first one, but meteorites are not."""
    lines = keyed_lines(request)
    documents = [key for key in lines if key[0].isdigit()]
    return dumped(
        *(
            entry(key, *documents[:1], supported="meteorite" not in text)
            for key, text in lines.items()
            if not key[0].isdigit()
        ),
        all_relevant_sentence_keys=documents,
        all_utilized_sentence_keys=documents[:1],
    )


def test_one_call_gives_the_verdict():
    """Relevance, utilization and support come from one reply, in the keys of the trace."""
    client = FakeClient(by_words)
    verdict = judge_with(client).judge(keyed(("You have 30 days.", "A meteorite is covered.")))
    assert len(client.requests) == 1
    assert verdict.support == (
        supported(reason="It says so."),
        unsupported(1, "doc_0_s0", reason="It says so."),
    )
    assert verdict.relevant == {"doc_0_s0", "doc_0_s1", "doc_1_s0", "doc_1_s1"}
    assert verdict.utilized == {"doc_0_s0"}
    assert verdict.notes == ("unsupported, but with keys: 1",)


def test_what_is_constant_comes_first():
    """Two traces share the whole system message and nothing of the trace is in it."""
    client = FakeClient(by_words)
    judge = judge_with(client)
    judge.judge(keyed())
    judge.judge(keyed(("A meteorite is covered.",)))
    assert {request.system for request in client.requests} == {SYSTEM}


def test_schema_only_for_models_that_take_one():
    """Other models are asked for any JSON object."""
    client = FakeClient(by_words)
    judge_with(client).judge(keyed())
    client.takes_schema = False
    judge_with(client).judge(keyed())
    assert [request.schema for request in client.requests] == [REPLY_SCHEMA, None]


def test_completion_limit_grows_with_the_response():
    """A long response needs a long reply."""
    client = FakeClient(by_words)
    judge = judge_with(client)
    judge.judge(keyed())
    judge.judge(keyed(["You have 30 days."] * 20))
    short, long = (request.max_completion_tokens for request in client.requests)
    assert 2_048 < short < long


def test_is_a_judge():
    """It says what it is, and everything that can change its verdicts."""
    judge = judge_with(FakeClient(), context_tokens=9_000)
    assert isinstance(judge, Judge)
    assert judge_name(judge) == "fake:fake/model-1"
    assert judge.version.endswith(PROMPT_VERSION)
    assert judge.identity == {
        "kind": "fake",
        "version": judge.version,
        "prompt": PROMPT_VERSION,
        "window": 9_000,
        "model": "fake/model-1",
        "temperature": 0.0,
    }


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        ("I cannot judge this.", "it holds no JSON object with the fields asked for"),
        (dumped(entry("b", "0a")), "it lacks the response sentences a"),
        (
            dumped(entry("a", "0a"), entry("a", supported=False)),
            "it decides differently on the response sentence a twice",
        ),
    ],
)
def test_refused_reply_is_asked_for_again(refused, reason):
    """The second request is the first one and the reason; the verdict has a note."""
    client = FakeClient(refused, by_words)
    verdict = judge_with(client).judge(keyed())
    first, second = client.requests
    assert verdict.support == (supported(reason="It says so."),)
    assert verdict.notes == ("asked again: 1",)
    assert second.user.startswith(first.user)
    assert reason in second.user.removeprefix(first.user)
    assert second.max_completion_tokens == first.max_completion_tokens


@pytest.mark.parametrize(
    "cut_off",
    [CUT_OFF, ChatReply(text=CUT_OFF.text), ChatReply(text="", is_truncated=True)],
    ids=["told by the server", "seen in the text", "eaten by reasoning"],
)
def test_reply_that_was_cut_off_gets_a_larger_limit(cut_off):
    """The second request has three times as much."""
    client = FakeClient(cut_off, by_words)
    judge_with(client, context_tokens=100_000).judge(keyed())
    first, second = client.requests
    assert second.max_completion_tokens == 3 * first.max_completion_tokens


def test_larger_limit_stays_in_the_window():
    """Prompt and reply together never pass the window."""
    client = FakeClient(CUT_OFF, by_words)
    judge_with(client, context_tokens=6_000).judge(keyed())
    assert client.requests[1].max_completion_tokens < 6_000 - client.requests[1].characters // 5


def test_whole_reply_is_read_although_the_limit_was_met():
    """What is complete needs no second call."""
    client = FakeClient(ChatReply(text=dumped(), is_truncated=True))
    assert judge_with(client).judge(keyed()).support == (supported(reason="It says so."),)


def test_two_refused_replies_are_an_error():
    """It says model, size of the prompt and how the reply begins; there is no third call."""
    client = FakeClient("I cannot judge this.\n\u202e" + "Sorry. " * 100)
    with pytest.raises(JudgeReplyError) as raised:
        judge_with(client).judge(keyed())
    size = client.requests[0].characters
    assert str(raised.value).splitlines()[:3] == [
        (
            "fake:fake/model-1 replied twice without a verdict: "
            "it holds no JSON object with the fields asked for"
        ),
        "  model: fake/model-1",
        f"  prompt: {size:,} characters",
    ]
    reply = raised.value.details[-1]
    assert reply.startswith(r"reply begins: I cannot judge this.\n\u202eSorry. ")
    assert len(reply) < 250
    assert len(client.requests) == 2


def test_two_replies_that_were_cut_off():
    """The error says at which limit."""
    client = FakeClient(ChatReply(text="", is_truncated=True))
    with pytest.raises(JudgeReplyError) as raised:
        judge_with(client).judge(keyed())
    limit = client.requests[1].max_completion_tokens
    assert raised.value.details[2:] == (
        f"reply cut off at {limit} completion tokens",
        "reply is empty",
    )


def test_errors_of_the_client_pass():
    """What the client says is not a reply is not asked for again."""
    client = FakeClient(JudgeUnavailable("no key"))
    with pytest.raises(JudgeUnavailable, match="no key"):
        judge_with(client).judge(keyed())
    assert len(client.requests) == 1


def test_long_trace_takes_several_calls():
    """Each prompt fits into the window beside its reply, and keys of any window are ours."""
    client = FakeClient(by_words)
    sentences = keyed(documents=[[f"{n}. {LONG}"] * 20 for n in range(4)])
    verdict = judge_with(client, context_tokens=5_000).judge(sentences)
    assert verdict.relevant == sentences.document_keys
    assert verdict.utilized == {f"doc_{n}_s0" for n in range(4)}
    assert verdict.notes == ("calls for a long trace: 4",)
    assert all(
        request.characters // 4 + request.max_completion_tokens <= 5_000
        for request in client.requests
    )


def test_pydantic_loads_at_first_use():
    """Making a judge costs no import of pydantic; reading its first reply does."""
    script = "import sys, pytest_trace.llm.judge; print('pydantic' in sys.modules)"
    command = [sys.executable, "-c", script]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


def test_first_requests_are_those_that_are_asked_first():
    """For a trace that fits, and for each window of one that does not; with a given boundary."""
    long = keyed(documents=[[f"{number} {LONG}" for number in range(40)]] * 3)
    for sentences, tokens in ((keyed(), None), (long, 8_000)):
        client = FakeClient(by_words)
        settings = LlmSettings(context_tokens=tokens)
        judge = LlmJudge("fake", client, settings, boundary=lambda part: f"{len(part.documents)}b")
        expected = judge.first_requests(sentences)
        judge.judge(sentences)
        assert [each.user for each in client.requests] == [each.user for each in expected]
        assert (len(expected) > 1) == (tokens is not None)
        assert all(request.user.startswith("boundary ") for request in expected)
