"""What is sent, and what is read from a good reply."""

from __future__ import annotations

import subprocess
import sys

import pytest
from wire.conftest import KEY, ask
from wire.server import Reply, completion, error

from pytest_trace.llm.client import Usage
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.store.run_state import RunState

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def test_reply_and_usage(make_client, chat_server):
    """Text and tokens of every kind come from the completion, seconds from the clock."""
    chat_server.script(
        completion('{"a": 1}', prompt=900, cached=512, completion=80, reasoning=60),
    )
    reply = make_client().complete(ask())
    assert (reply.text, reply.is_truncated) == ('{"a": 1}', False)
    assert 0 < reply.usage.seconds < 5
    assert reply.usage == Usage(
        prompt_tokens=900,
        cached_tokens=512,
        completion_tokens=80,
        reasoning_tokens=60,
        seconds=reply.usage.seconds,
    )


def test_request_on_the_wire(make_client, chat_server):
    """Sampling parameters, limit, effort and schema stand in the body, constant text first."""
    client = make_client(temperature=0.5, seed=3, reasoning_effort="low")
    client.complete(ask("Data.", schema=SCHEMA))
    (body,) = chat_server.requests
    assert body == {
        "model": "openai/gpt-oss-20b",
        "messages": [
            {"role": "system", "content": "Answer in JSON."},
            {"role": "user", "content": "Data."},
        ],
        "temperature": 0.5,
        "seed": 3,
        "max_completion_tokens": 500,
        "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
        },
    }


def test_groq_model_without_schema_is_asked_for_an_object(groq, chat_server):
    """Only the models listed for it get a schema and an effort; the word JSON is always there."""
    client = groq("moonshotai/kimi-k2", reasoning_effort="low")
    assert not client.takes_schema
    client.complete(ask("Data.", schema=SCHEMA, system="Judge."))
    (body,) = chat_server.requests
    assert body["response_format"] == {"type": "json_object"}
    assert "reasoning_effort" not in body
    assert body["messages"][0]["content"] == "Judge.\n\nAnswer with one JSON object."


@pytest.mark.parametrize(
    "refusal",
    [
        error(400, "'response_format' of type 'json_schema' is not supported"),
        error(422, "unknown field", param="response_format"),
        Reply({"detail": "json_schema is unknown"}, 400),
    ],
)
def test_server_without_schemas_is_asked_for_an_object(make_client, chat_server, state, refusal):
    """A server that refuses schemas gets none for the rest of the run, and a note says so."""
    chat_server.script(refusal)
    client = make_client()
    assert client.takes_schema
    identity = client.identity
    for _ in range(2):
        assert client.complete(ask(schema=SCHEMA)).text == "{}"
    assert not client.takes_schema
    assert client.identity == identity
    kinds = [body["response_format"]["type"] for body in chat_server.requests]
    assert kinds == ["json_schema", "json_object", "json_object"]
    (note,) = state.totals().notes
    assert "takes no JSON schema" in note
    assert state.totals().calls == 2


def test_length_is_truncated(make_client, chat_server):
    """A reply that stopped at the limit says so, also where reasoning ate all of it."""
    chat_server.script(
        completion('{"a', finish_reason="length"), completion(None, finish_reason="length")
    )
    client = make_client()
    first, second = client.complete(ask()), client.complete(ask())
    assert (first.text, first.is_truncated) == ('{"a', True)
    assert (second.text, second.is_truncated) == ("", True)


@pytest.mark.parametrize("text", ['{"almost": "JSON"', ""])
def test_failed_generation_is_a_reply(make_client, chat_server, text):
    """What a server refused to call JSON is handed to the reader, who may be able to use it."""
    chat_server.script(
        error(400, "Failed to generate JSON", code="json_validate_failed", failed_generation=text)
    )
    assert make_client().complete(ask(schema=SCHEMA)).text == text
    assert len(chat_server.requests) == 1


def test_missing_usage_counts_nothing(make_client, chat_server, state):
    """Compatible servers may leave usage out or null: tokens are 0, and the cost is unknown."""
    body = dict(completion().body)
    chat_server.script(
        Reply(body | {"usage": None}), Reply(body | {"usage": {"prompt_tokens": -1}})
    )
    client = make_client()
    for _ in range(2):
        assert client.complete(ask()).usage.prompt_tokens == 0
    assert state.totals().cost is None


@pytest.mark.parametrize(
    ("given", "path"),
    [("", "/openai/v1"), ("/", "/openai/v1"), ("/openai/v1", "/openai/v1"), ("/openai/v1/", "")],
)
def test_groq_base_url_is_corrected(groq, chat_server, given, path):
    """The SDK's path is in the URL once, whoever put it there."""
    client = groq(base_url=chat_server.base_url + given)
    client.complete(ask())
    assert chat_server.paths == ["/openai/v1/chat/completions"]
    assert client.identity["base_url"] == chat_server.base_url


def test_base_url_of_the_environment(chat_server, monkeypatch, state):
    """GROQ_BASE_URL counts where no setting is, and an empty one is ignored."""
    monkeypatch.setenv("GROQ_BASE_URL", chat_server.base_url)
    GroqClient("some", LlmSettings(), state).complete(ask())
    assert len(chat_server.requests) == 1
    monkeypatch.setenv("GROQ_BASE_URL", "")
    unset = GroqClient("some", LlmSettings(base_url=" "), state)
    assert unset.identity["base_url"] == "https://api.groq.com"


def test_key_variable(make_client, chat_server, monkeypatch):
    """The key comes from the variable that is named, without the white space around it."""
    monkeypatch.setenv("TEAM_KEY", "  team-key-77\n")
    make_client(key_variable="TEAM_KEY").complete(ask())
    assert chat_server.headers[0]["authorization"] == "Bearer team-key-77"


def test_local_server_needs_no_key(openai, chat_server, monkeypatch):
    """Another server than OpenAI's is asked with a placeholder where no key is set."""
    monkeypatch.delenv("OPENAI_API_KEY")
    openai().complete(ask())
    assert chat_server.headers[0]["authorization"] == "Bearer no-key"


def test_construction_needs_nothing(monkeypatch):
    """Without a key and without a server a client says who it is: recorded runs need no more."""
    monkeypatch.delenv("GROQ_API_KEY")
    client = GroqClient("openai/gpt-oss-20b", LlmSettings(seed=1), RunState(None))
    assert client.takes_schema
    assert client.identity == {
        "model": "openai/gpt-oss-20b",
        "base_url": "https://api.groq.com",
        "temperature": 0.0,
        "seed": 1,
        "reasoning_effort": None,
    }


def test_sdks_load_at_the_first_call():
    """Importing and constructing the clients imports neither SDK."""
    program = """
import sys
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.openai import OpenAiClient
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.store.run_state import RunState
for made in (GroqClient, OpenAiClient):
    made("some", LlmSettings(), RunState(None)).identity
print(sorted({"groq", "openai", "httpx"} & set(sys.modules)))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_password_of_a_base_url_is_nowhere(groq, chat_server):
    """A base URL may carry a password; neither identity nor message does."""
    url = chat_server.base_url.replace("//", "//user:hunter22@")
    client = groq(base_url=url)
    assert client.identity["base_url"] == chat_server.base_url
    client.complete(ask())
    assert KEY not in str(client.identity)
