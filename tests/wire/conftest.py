"""What the tests against a server on loopback share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tenacity import wait_fixed
from wire.server import ChatServer

from pytest_trace.concurrency import own_loop
from pytest_trace.llm.client import ChatRequest
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.openai import OpenAiClient
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.store.run_state import RunState

KEY = "gsk_scripted_0123456789"


@pytest.fixture(autouse=True)
def _keys_and_no_proxies(monkeypatch, tmp_path, _clean_environment):
    """Keys that open nothing, and no proxy between a test and its server."""
    # Nothing here is encrypted, and reading certificates took most of the time of a test.
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """A server that answers what a test tells it to."""
    server = ChatServer()
    yield server
    server.close()


@pytest.fixture
def state() -> RunState:
    """The state of a run of one process."""
    return RunState(None)


@pytest.fixture
def hurried(monkeypatch):
    """What is asked again is asked again soon."""
    monkeypatch.setattr("pytest_trace.llm.retry._BACKOFF", wait_fixed(0.01))


class AwaitedGroqClient(GroqClient):
    """Asks by the async client of the SDK, on the loop of the package."""

    def complete(self, request):
        return own_loop.run(lambda: self.acomplete(request))


@pytest.fixture(params=[GroqClient, OpenAiClient, AwaitedGroqClient])
def make_client(request, chat_server, state):
    """Make a client of either SDK for the server, or one that awaits; keywords are settings."""

    def make(model="openai/gpt-oss-20b", *, state=state, **settings):
        is_groq = issubclass(request.param, GroqClient)
        base_url = chat_server.base_url + ("" if is_groq else "/v1")
        settings = {"base_url": base_url, "timeout_seconds": 10.0} | settings
        return request.param(model, LlmSettings(**settings), state)

    return make


@pytest.fixture
def groq(chat_server, state):
    """Make a Groq client for the server; keywords are settings."""

    def make(model="openai/gpt-oss-20b", *, state=state, **settings):
        settings = {"base_url": chat_server.base_url, "timeout_seconds": 10.0} | settings
        return GroqClient(model, LlmSettings(**settings), state)

    return make


@pytest.fixture
def openai(chat_server, state):
    """Make an OpenAI client for the server; keywords are settings."""

    def make(model="some-model", *, state=state, **settings):
        settings = {"base_url": f"{chat_server.base_url}/v1", "timeout_seconds": 10.0} | settings
        return OpenAiClient(model, LlmSettings(**settings), state)

    return make


def ask(text="Judge this.", *, schema=None, system="Answer in JSON."):
    """A request."""
    return ChatRequest(system=system, user=text, max_completion_tokens=500, schema=schema)
