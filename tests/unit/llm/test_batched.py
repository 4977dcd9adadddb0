"""A client that answers from batches: ids, boundaries, and what counts as an answer."""

from __future__ import annotations

import json

import pytest
from building import keyed
from unit.llm.fake_client import dumped

from pytest_trace.errors import JudgeReplyError
from pytest_trace.llm.batched import BatchedClient, BatchRequest, Unanswered, secret_boundary
from pytest_trace.llm.client import ChatRequest
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.llm.transport import Answer
from pytest_trace.store.run_state import RunState

SCHEMA = {"type": "object"}
REQUEST = ChatRequest(system="JSON", user="Judge.", max_completion_tokens=500, schema=SCHEMA)
USAGE = {"prompt_tokens": 7, "completion_tokens": 3}


@pytest.fixture
def answers():
    """Answers by the id of their request."""
    return {}


@pytest.fixture
def client(answers):
    """A client that looks there, and the groq client that it stands for."""
    groq = GroqClient("openai/gpt-oss-20b", LlmSettings(), RunState(None))
    taken = []
    client = BatchedClient(groq, answers.get, taken.append)
    client.taken, client.groq = taken, groq
    return client


def completion(text):
    """A good answer."""
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return Answer(200, {}, json.dumps({"choices": [choice], "usage": USAGE}))


def test_it_is_the_client_it_stands_for(client):
    """Model, identity and schema are the same: what it decides is stored under the same key."""
    for name in ("model", "identity", "takes_schema"):
        assert getattr(client, name) == getattr(client.groq, name)


def test_answer(client, answers):
    """It is read as a live one, and what it took is told."""
    answers[client.request(REQUEST).id] = completion(dumped())
    assert client.complete(REQUEST).text == dumped()
    assert client.is_answered(client.request(REQUEST))
    assert [usage.prompt_tokens for usage in client.taken] == [7]


@pytest.mark.parametrize("status", [None, 429, 500, 503])
def test_no_answer(client, answers, status):
    """None has come, or one that may be another next time."""
    asked = client.request(REQUEST)
    if status is not None:
        answers[asked.id] = Answer(status, {}, '{"error": {"message": "busy"}}')
    assert not client.is_answered(asked)
    with pytest.raises(Unanswered, match="no batch brought an answer: ") as caught:
        client.complete(REQUEST)
    assert caught.value.request == asked
    assert client.taken == []


def test_answer_that_asking_again_would_bring_again(client, answers):
    """It is an error of this request, not of the server."""
    asked = client.request(REQUEST)
    answers[asked.id] = Answer(400, {}, '{"error": {"message": "too long"}}')
    assert client.is_answered(asked)
    with pytest.raises(JudgeReplyError, match="too long"):
        client.complete(REQUEST)


def test_refused_schema(client, answers):
    """The request without one is another, which is not answered yet."""
    asked = client.request(REQUEST)
    answers[asked.id] = Answer(400, {}, '{"error": {"message": "no json_schema here"}}')
    assert not client.is_answered(asked)
    with pytest.raises(Unanswered) as caught:
        client.complete(REQUEST)
    assert caught.value.request.body["response_format"] == {"type": "json_object"}
    assert caught.value.request.id != asked.id
    answers[caught.value.request.id] = completion("{}")
    assert client.complete(REQUEST).text == "{}"


def test_line_of_a_batch():
    """It has what Groq asks for; the id follows from the body and fits into any file."""
    request = BatchRequest.of({"model": "m", "messages": [{"role": "user", "content": "\ud800ä"}]})
    assert request.dumps().isascii()
    assert "\n" not in request.dumps()
    assert json.loads(request.dumps()) == {
        "custom_id": request.id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": request.body,
    }
    assert request.id == BatchRequest.of(dict(reversed(request.body.items()))).id
    assert request.id != BatchRequest.of({**request.body, "model": "n"}).id


def test_boundaries_need_the_secret():
    """The same secret gives the same for a trace; another secret or trace gives another."""
    one, other = keyed(), keyed(("You have 40 days.",))
    boundary = secret_boundary(b"secret")
    assert boundary(one) == secret_boundary(b"secret")(one)
    assert len({boundary(one), boundary(other), secret_boundary(b"another")(one)}) == 3
    assert len(boundary(one)) == 8
