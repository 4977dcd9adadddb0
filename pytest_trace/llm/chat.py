"""A chat client over a vendor's SDK: all that the vendors have in common."""

from __future__ import annotations

import logging
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from pytest_trace.concurrency.blocking import run_blocking
from pytest_trace.errors import JudgeError, JudgeUnavailable, MissingKey, hide_own_frames
from pytest_trace.llm.answers import Asked, read_answer, refuses_schema
from pytest_trace.llm.client import ChatReply, ChatRequest, Usage
from pytest_trace.llm.connections import Connections
from pytest_trace.llm.deadline import Deadline
from pytest_trace.llm.retry import RetryPolicy
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.llm.transport import Answer, BlockingTransport, Sdk, Transport
from pytest_trace.llm.vendor import Vendor, find_base_url, find_key, is_url, without_password
from pytest_trace.store.run_state import RunState

__tracebackhide__ = hide_own_frames

_LOG = logging.getLogger(__name__)
_KEY_LIKE = re.compile(r"\b(?:sk|gsk)[-_][\w*.-]{4,}")  # servers echo keys, masked or whole
_POLL_SECONDS: Final = 0.05
_LEAST_KEY: Final = 8  # what is shorter stands in messages by chance
_FORMAT: Final = "response_format"
_SCHEMA_FORMAT: Final = "json_schema"
_WORD_JSON: Final = "\n\nAnswer with one JSON object."


class SdkClient(ABC):
    """Implements `ChatClient`; a subclass builds the SDK's object and knows what models take.

    Nothing is looked up before the first call: with recorded verdicts there is none, and no key.
    """

    vendor: ClassVar[Vendor]

    def __init__(self, model: str, settings: LlmSettings, state: RunState) -> None:
        self.model = model
        self.settings = settings
        self.state = state
        self.base_url = self.corrected(find_base_url(self.vendor, settings))
        self.key = ""
        self._server = without_password(self.base_url)
        self._connections = Connections()

    @abstractmethod
    def connect(self, *, is_async: bool) -> Sdk:
        """The SDK's client for `base_url` and `key`, which must not retry by itself."""

    @abstractmethod
    def price(self, usage: Usage) -> float | None:
        """US dollars for so many tokens of the model; None where unknown."""

    @property
    def can_take_schema(self) -> bool:
        """Whether the model takes a strict JSON schema, as far as is known beforehand."""
        return True

    @property
    def takes_reasoning_effort(self) -> bool:
        """Whether the model takes `reasoning_effort`."""
        return True

    def corrected(self, base_url: str) -> str:
        """The base URL as the SDK needs it."""
        return base_url

    def placeholder_key(self) -> str:
        """A key for a server that asks for none; empty where one is needed."""
        return ""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What of the set-up can change a reply."""
        return {
            "model": self.model,
            "base_url": self._server,
            "temperature": self.settings.temperature,
            "seed": self.settings.seed,
            "reasoning_effort": self._reasoning_effort,
        }

    @property
    def takes_schema(self) -> bool:
        """Whether the model takes a strict JSON schema, as far as this run has learned."""
        return self.can_take_schema and self._no_schema not in self.state.totals().notes

    def prepare(self) -> None:
        """Look the key up and set the SDK's client up; the first call does it otherwise."""
        self.blocking()

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply to `request`, by its deadline or within `timeout_seconds`."""
        return run_blocking(self._reply(request, self.blocking))

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """`complete`, on the loop of this package."""
        return await self._reply(request, self._on_loop)

    async def _reply(self, request: ChatRequest, connected: Callable[[], Transport]) -> ChatReply:
        try:
            deadline = request.deadline or Deadline(self.settings.timeout_seconds)
            return await self._complete(request, deadline, connected())
        except MissingKey:
            raise
        except JudgeError as error:
            size = f"prompt: {request.characters:,} characters"
            details = (f"model: {self._name}", size, *map(self._redacted, error.details))
            failure = type(error)(self._redacted(str(error.args[0])), details=details)
        raise failure  # outside the handler, so that no exception of an SDK hangs on it

    async def _complete(
        self, request: ChatRequest, deadline: Deadline, transport: Transport
    ) -> ChatReply:
        policy = RetryPolicy(
            server=self._server,
            state=self.state,
            deadline=deadline,
            max_wait_seconds=self.settings.max_wait_seconds,
            sleep=transport.sleep,
        )
        await policy.wait_for_turn()
        most = self.price(_most(request))
        await self._begin(most, request, policy)
        usage: Usage | None = None
        cost: float | None = 0.0
        try:
            reply = await policy.run(lambda: self._attempt(transport, request, policy))
            usage, cost = reply.usage, self._cost(reply.usage)
        finally:
            self.state.end_call(usage, cost, most=most)
        return reply

    async def _begin(self, most: float | None, request: ChatRequest, policy: RetryPolicy) -> None:
        left = policy.deadline.left
        while not self.state.begin_call(
            most, is_continuing=request.is_continuing, can_wait=left > 0
        ):
            await policy.sleep(min(_POLL_SECONDS, left))
            left = policy.deadline.left

    async def _attempt(
        self, transport: Transport, request: ChatRequest, policy: RetryPolicy
    ) -> ChatReply:
        body = self.body(request)
        begun = time.monotonic()
        # The SDKs look through the whole schema for names to translate: a third of a call.
        arguments = {name: value for name, value in body.items() if name != _FORMAT}
        arguments["extra_body"] = {_FORMAT: body[_FORMAT]}
        answer = await policy.reach(lambda: transport.send(arguments, policy.deadline))
        reply = self.read(answer, body)
        if reply is None:
            return await self._attempt(transport, request, policy)
        return replace(reply, usage=replace(reply.usage, seconds=time.monotonic() - begun))

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """What is sent for a request: with a schema, as far as this run has learned."""
        with_schema = request.schema is not None and self.takes_schema
        system = request.system
        if not with_schema and "json" not in f"{system}{request.user}".lower():
            system += _WORD_JSON  # servers refuse to promise JSON where nobody asks for it
        arguments = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": request.user},
            ],
            "temperature": self.settings.temperature,
            "seed": self.settings.seed,
            "max_completion_tokens": request.max_completion_tokens,
            "reasoning_effort": self._reasoning_effort,
            _FORMAT: _response_format(request.schema if with_schema else None),
        }
        return {name: value for name, value in arguments.items() if value is not None}

    def read(self, answer: Answer, body: Mapping[str, Any]) -> ChatReply | None:
        """The reply in the answer to `body`; None where it is to be asked without a schema.

        Raises `Refusal` for what may pass, `JudgeUnavailable` for what will not.
        """
        with_schema = body[_FORMAT]["type"] == _SCHEMA_FORMAT
        if with_schema and refuses_schema(answer):
            if self.state.note(self._no_schema):
                _LOG.warning(self._no_schema)
            return None
        return read_answer(answer, self.asked)

    def blocking(self) -> BlockingTransport:
        """The SDK's client for threads, made at the first call."""
        return self._connections.blocking(lambda: self._made(is_async=False))

    def _on_loop(self) -> Transport:
        return self._connections.on_loop(lambda: self._made(is_async=True))

    def _made(self, *, is_async: bool) -> Sdk:
        self.key = find_key(self.vendor, self._name, self.settings, self.placeholder_key())
        if not is_url(self.base_url):
            raise JudgeUnavailable(f"{self._server!r} is no base URL; it looks like https://host")
        try:
            return self.connect(is_async=is_async)
        except JudgeError:
            raise
        except Exception as error:  # noqa: BLE001 - proxies and certificates fail in many ways
            raise JudgeUnavailable(
                f"the {self.vendor.kind} client cannot be set up: {error}"
            ) from None

    def _cost(self, usage: Usage) -> float | None:
        """The price of a call; a reply that does not count its tokens has none."""
        return self.price(usage) if usage.prompt_tokens else None

    def _redacted(self, text: str) -> str:
        if len(self.key) >= _LEAST_KEY:
            text = text.replace(self.key, "[key]")
        return _KEY_LIKE.sub("[key]", text)

    @property
    def _name(self) -> str:
        return f"{self.vendor.kind}:{self.model}"

    @property
    def _no_schema(self) -> str:
        return f"{self._name} takes no JSON schema at {self._server}: asked for any JSON object"

    @property
    def _reasoning_effort(self) -> str | None:
        return self.settings.reasoning_effort if self.takes_reasoning_effort else None

    @property
    def asked(self) -> Asked:
        """Whom a request goes to, for messages."""
        return Asked(
            server=self._server,
            model=self.model,
            key_variable=self.settings.key_variable or self.vendor.key_variable,
            models=self.vendor.models,
        )


def _most(request: ChatRequest) -> Usage:
    """More tokens than a request takes: hardly a token is shorter than a character."""
    return Usage(prompt_tokens=request.characters, completion_tokens=request.max_completion_tokens)


def _response_format(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if schema is None:
        return {"type": "json_object"}
    json_schema = {"name": "verdict", "strict": True, "schema": dict(schema)}
    return {"type": _SCHEMA_FORMAT, "json_schema": json_schema}
