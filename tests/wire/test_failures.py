"""What no waiting mends fails at once, says what to do, and gives no key away."""

from __future__ import annotations

import sys
import traceback

import pytest
from wire.conftest import KEY, ask
from wire.server import Reply, completion, error

from pytest_trace.errors import JudgeError, JudgeUnavailable, MissingKey


def failure(client, request=None):
    """The error of one call, checked for what holds of each."""
    with pytest.raises(JudgeError) as raised:
        client.complete(request or ask())
    text = "".join(traceback.format_exception(raised.value))
    assert KEY not in text
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    return raised.value


@pytest.mark.parametrize(("value", "what"), [(None, "is not set"), (" ", "is blank")])
def test_missing_key_names_the_three_ways_out(groq, chat_server, monkeypatch, value, what):
    """Without a key nothing is sent, and one sentence names the three ways out."""
    monkeypatch.delenv("GROQ_API_KEY")
    if value:
        monkeypatch.setenv("GROQ_API_KEY", value)
    missing = failure(groq())
    assert type(missing) is MissingKey
    assert str(missing) == (
        f"GROQ_API_KEY {what}, and groq:openai/gpt-oss-20b needs a key: set it, or record the "
        "verdicts where there is one (--rag-record) and commit them, or use the lexical judge "
        "(--rag-judge=lexical)"
    )
    assert chat_server.requests == []


def test_openai_itself_needs_a_key(openai, monkeypatch):
    """Only servers of one's own are asked without a key, and not where a variable was named."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "OPENAI_API_KEY is not set" in str(failure(openai(base_url="")))
    assert "TEAM_KEY is not set" in str(failure(openai(key_variable="TEAM_KEY")))


@pytest.mark.parametrize("value", ["ключ-0123456789", "two words", "a\nb"])
def test_key_that_cannot_be_one_is_not_sent(make_client, chat_server, monkeypatch, value):
    """A key that no header carries is named by its variable instead of a connection error."""
    monkeypatch.setenv("TEAM_KEY", value)
    refused = failure(make_client(key_variable="TEAM_KEY"))
    assert str(refused.args[0]) == "TEAM_KEY holds characters that no key has; set it anew"
    assert chat_server.requests == []


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (error(401, "Invalid API Key", code="invalid_api_key"), "does not accept the key in "),
        (error(403, "Forbidden"), "(403); set one that is valid and may use openai/gpt-oss-20b"),
        (error(400, "shut down", code="model_decommissioned"), "has no model 'openai/gpt-oss-20b'"),
        (error(404, "no", code="model_not_found"), "has no model 'openai/gpt-oss-20b'"),
        (Reply({"error": "model 'x' not found, pull it"}, 404), "has no model"),
        (Reply("404 page not found", 404), "has no chat completions (404); check rag_base_url"),
        (error(413, "Request too large for model"), "larger than"),
        (error(429, "Request too large for m on tokens per minute (TPM)"), "rag_context_tokens"),
        (error(429, "You exceeded your quota", code="insufficient_quota"), "no credit left"),
        (error(400, "temperature must be 1"), 'refused the request: "temperature must be 1"'),
        (Reply({"message": "top", "code": 400}, 400), 'refused the request: "top"'),
        (Reply({"detail": [{"msg": "bad"}]}, 422), "bad"),
        (Reply("", 418), "refused the request"),
        (Reply("<html>Sign in</html>", headers={"content-type": "text/html"}), "sent a web page"),
        (Reply("<html></html>", headers={"content-type": "application/json"}), "sent a web page"),
        (Reply('{"choices": [', headers={"content-type": "application/json"}), "not JSON"),
        (Reply(b"\xff\xfe\x00", headers={"content-type": "application/json"}), "not JSON"),
        (Reply({"choices": None}), "sent JSON without a completion"),
        (Reply({"choices": []}), "sent JSON without a completion"),
        (Reply({"choices": [None]}), "sent JSON without a completion"),
        (Reply([1]), "in place of a completion"),
        (Reply({"error": {"message": "no provider"}}), 'sent an error: "no provider"'),
        (completion(None), "sent a completion without content"),
        (Reply({"choices": [{"message": {"content": [], "refusal": "I will not."}}]}), "declines"),
    ],
)
def test_hopeless_answer_fails_at_once(make_client, chat_server, reply, says):
    """One request, and an error that says what came and what to do, with its details."""
    chat_server.answer(lambda _: reply)
    refused = failure(make_client(), ask("x" * 1200, system="JSON"))
    assert type(refused) is JudgeUnavailable
    assert says in str(refused.args[0])
    assert len(chat_server.requests) == 1
    model, prompt, status, body = refused.details
    assert model.split(":", 1)[1].endswith("openai/gpt-oss-20b")
    assert prompt == "prompt: 1,204 characters"
    assert status == f"status: {reply.status}"
    assert body.startswith('body: "')
    assert len(body) < 320


def test_groq_names_its_current_models(groq, chat_server):
    """A model that is gone is answered with those that are there."""
    chat_server.script(error(404, "gone", code="model_not_found"))
    refused = failure(groq("llama-3.1-8b-instant"))
    assert str(refused.args[0]) == (
        f"{chat_server.base_url} has no model 'llama-3.1-8b-instant' (any more); "
        "current models: openai/gpt-oss-120b, openai/gpt-oss-20b"
    )


@pytest.mark.parametrize(
    "echo", [f"Incorrect API key provided: {KEY}.", "Incorrect API key: sk-proj-ab****wxyz"]
)
@pytest.mark.parametrize("status", [400, 401, 200])
def test_echoed_key_is_not_shown(make_client, chat_server, echo, status):
    """A server that repeats the key, whole or masked, is not quoted with it."""
    chat_server.script(Reply(echo, status))
    shown = str(failure(make_client()))
    assert "[key]" in shown
    assert "wxyz" not in shown


def test_text_that_utf8_cannot_carry(make_client, chat_server):
    """A lone surrogate in the prompt is named, and is no connection error."""
    refused = failure(make_client(), ask("Lone \ud800 surrogate."))
    assert type(refused) is JudgeUnavailable
    assert "UTF-8 cannot carry" in str(refused)
    assert "replace lone surrogates in the trace" in str(refused)
    assert chat_server.requests == []


def test_request_that_the_sdk_refuses(make_client, chat_server):
    """What an SDK cannot send is an error of ours, and is not tried again."""
    refused = failure(make_client(), ask(schema={"type": object()}))
    assert type(refused) is JudgeUnavailable
    assert "the client library refuses the request: " in str(refused)
    assert chat_server.requests == []


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://host", "https://", "http://[::1"])
def test_base_url_that_is_none(make_client, url):
    """A base URL without a scheme or a host is refused before anything is asked."""
    refused = failure(make_client(base_url=url))
    assert f"{url.rstrip('/')!r} is no base URL" in str(refused)


def test_proxy_that_cannot_be_used(make_client, monkeypatch):
    """What an SDK raises when it is set up is told and does not leave."""
    monkeypatch.setenv("HTTP_PROXY", "nonsense://proxy")
    assert "client cannot be set up: " in str(failure(make_client()))


def test_missing_openai_package_names_the_extra(openai, monkeypatch):
    """The openai package is optional, and the error says how to get it."""
    monkeypatch.setitem(sys.modules, "openai", None)
    assert "pip install 'pytest-rag-trace[openai]'" in str(failure(openai()))


def test_failed_call_is_a_call_and_costs_nothing(groq, chat_server, state):
    """What failed is counted; what was never sent is not."""
    chat_server.script(error(400))
    failure(groq())
    failure(groq(key_variable="NOBODY_SET_THIS"))
    totals = state.totals()
    assert (totals.calls, totals.cost, totals.prompt_tokens) == (1, 0.0, 0)
