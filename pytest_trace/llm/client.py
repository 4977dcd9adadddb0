"""The port to a chat-completions server, and the values that cross it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_trace.llm.deadline import Deadline


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request. `system` is constant from trace to trace, so that a server can cache it.

    `schema` is a strict JSON schema for models that take one; None asks for any JSON object.
    """

    system: str
    user: str
    max_completion_tokens: int
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    deadline: Deadline | None = field(default=None, compare=False)
    """When it must be answered: several requests of one trace share one."""
    is_continuing: bool = False
    """Whether a verdict is begun already: a budget stops no verdict in the middle."""

    @property
    def characters(self) -> int:
        """The size of the prompt."""
        return len(self.system) + len(self.user)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a call took: tokens as the server counts them (cached ones are among the prompt's)."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """The text of a reply; `is_truncated` where the server stopped at the completion limit."""

    text: str
    is_truncated: bool = False
    usage: Usage = Usage()


class ChatClient(Protocol):
    """Asks one server for one model. It retries what is worth retrying, within its deadline."""

    @property
    def model(self) -> str:
        """The model's id."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """What of its set-up can change a reply: model, base URL, sampling parameters."""
        ...

    @property
    def takes_schema(self) -> bool:
        """Whether the model takes a strict JSON schema."""
        ...

    def prepare(self) -> None:
        """Set up what can be set up before anything is asked; raises `JudgeError`."""
        ...

    def complete(self, request: ChatRequest) -> ChatReply:
        """The reply to `request`.

        Raises `JudgeUnavailable`, `JudgeTimeout` or `BudgetExceeded`, saying what to do.
        """
        ...

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """`complete`, awaited on the loop of `concurrency.own_loop`."""
        ...
