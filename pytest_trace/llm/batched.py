"""A client that answers from batches: what is not answered yet is collected for the next."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_trace.errors import JudgeError, JudgeReplyError, JudgeUnavailable, hide_own_frames
from pytest_trace.llm.batches import ENDPOINT
from pytest_trace.llm.chat import SdkClient
from pytest_trace.llm.client import ChatReply, ChatRequest, Usage
from pytest_trace.llm.retry import Refusal
from pytest_trace.llm.transport import Answer
from pytest_trace.sentences import KeyedTrace
from pytest_trace.store.key import verdict_key

__tracebackhide__ = hide_own_frames

_ID_DIGITS: Final = 32
_BOUNDARY_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One line of a batch; `id` follows from the body, so that an answer finds its request."""

    id: str
    body: Mapping[str, Any] = field(hash=False)

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> BatchRequest:
        """The request with this body."""
        content = json.dumps(body, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return cls(hashlib.sha256(content.encode("ascii")).hexdigest()[:_ID_DIGITS], body)

    def dumps(self) -> str:
        """The line."""
        data = {"custom_id": self.id, "method": "POST", "url": ENDPOINT, "body": self.body}
        return json.dumps(data, ensure_ascii=True, separators=(",", ":"))


class Unanswered(JudgeError):
    """No batch has brought a usable answer to a request so far."""

    def __init__(self, request: BatchRequest, reason: str) -> None:
        super().__init__(f"no batch brought an answer: {reason}")
        self.request = request


class BatchedClient:
    """Implements `ChatClient` by answers that batches have brought; `find` gives one by its id.

    It asks and identifies itself exactly as `client` does, so that verdicts are the same and
    stored under the same keys. `took` is told what each answer took.
    """

    def __init__(
        self,
        client: SdkClient,
        find: Callable[[str], Answer | None],
        took: Callable[[Usage], None],
    ) -> None:
        self._client = client
        self._find = find
        self._took = took

    @property
    def model(self) -> str:
        """The model's id."""
        return self._client.model

    @property
    def identity(self) -> Mapping[str, Any]:
        """That of the client."""
        return self._client.identity

    @property
    def takes_schema(self) -> bool:
        """Whether the model takes a strict JSON schema, as far as batches have shown."""
        return self._client.takes_schema

    def prepare(self) -> None:
        """Nothing: no server is asked."""

    def request(self, request: ChatRequest) -> BatchRequest:
        """The line of a batch that asks for it."""
        return BatchRequest.of(self._client.body(request))

    def is_answered(self, request: BatchRequest) -> bool:
        """Whether a batch has brought an answer that can be read."""
        answer = self._find(request.id)
        if answer is None:
            return False
        try:
            return self._client.read(answer, request.body) is not None
        except Refusal:
            return False
        except JudgeUnavailable:
            return True

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """`complete`: nothing is waited for."""
        return self.complete(request)

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply that a batch has brought.

        Raises `Unanswered` where none has, and `JudgeReplyError` for an error that asking again
        would bring again.
        """
        asked = self.request(request)
        answer = self._find(asked.id)
        if answer is None:
            raise Unanswered(asked, "none has come")
        try:
            reply = self._client.read(answer, asked.body)
        except Refusal as refusal:
            raise Unanswered(asked, str(refusal)) from None
        except JudgeUnavailable as error:
            raise JudgeReplyError(str(error.args[0]), details=error.details) from None
        if reply is None:
            return self.complete(request)  # without the schema, which makes it another request
        self._took(reply.usage)
        return reply


def secret_boundary(secret: bytes) -> Callable[[KeyedTrace], str]:
    """Boundaries that nobody can guess who has not the secret, and the same each time."""

    def boundary(sentences: KeyedTrace) -> str:
        content = verdict_key({}, sentences).encode("ascii")
        return hmac.new(secret, content, hashlib.sha256).hexdigest()[:_BOUNDARY_DIGITS]

    return boundary
