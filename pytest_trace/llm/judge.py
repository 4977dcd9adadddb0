"""The judge that asks a language model: one call a trace, and a second where a reply is refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pytest_trace.concurrency import own_loop
from pytest_trace.concurrency.blocking import run_blocking
from pytest_trace.errors import JudgeReplyError, hide_own_frames
from pytest_trace.llm.client import ChatClient, ChatReply, ChatRequest
from pytest_trace.llm.deadline import Deadline
from pytest_trace.llm.prompt import PROMPT_VERSION, REPLY_SCHEMA, Prompt, render
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.llm.sizes import completion_tokens, raised_completion_tokens, window_tokens
from pytest_trace.llm.windows import judge_in_windows, split
from pytest_trace.quoting import visible
from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Verdict

if TYPE_CHECKING:
    from pytest_trace.llm.reply import RefusedReply

__tracebackhide__ = hide_own_frames

_READING_VERSION: Final = "1"
"""Changes when the same reply would be read as, or merged to, another verdict."""

_SHOWN: Final = 200

Complete = Callable[[ChatRequest], Awaitable[ChatReply]]


@dataclass(slots=True)
class _Asked:
    """What the requests of one trace share."""

    deadline: Deadline
    complete: Complete
    is_begun: bool = False


class LlmJudge:
    """Judges by a model behind `client`; `kind` is the server's, as in a spec string.

    `boundary` gives the boundary of a prompt, which nobody may guess; a random one by default.
    """

    version: Final = f"{_READING_VERSION}.{PROMPT_VERSION}"
    is_metered: Final = True
    """Its client counts each request against the budgets of the run."""

    def __init__(
        self,
        kind: str,
        client: ChatClient,
        settings: LlmSettings,
        *,
        boundary: Callable[[KeyedTrace], str] | None = None,
    ) -> None:
        self.kind = kind
        self._boundary = boundary
        self._client = client
        self._settings = settings
        self._window = window_tokens(client.model, settings)

    @property
    def model(self) -> str:
        """The model's id."""
        return self._client.model

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything of this judge that can change a verdict."""
        return {
            "kind": self.kind,
            "version": self.version,
            "prompt": PROMPT_VERSION,
            "window": self._window,
            **self._client.identity,
        }

    def prepare(self) -> None:
        """Connect; raises `JudgeError` for whatever is missing before anything is asked."""
        self._client.prepare()

    def judge(self, sentences: KeyedTrace) -> Verdict:
        """One verdict; raises `JudgeReplyError` where two replies in a row are none."""

        async def complete(request: ChatRequest) -> ChatReply:
            return self._client.complete(request)

        return run_blocking(self._judge(sentences, complete))

    async def ajudge(self, sentences: KeyedTrace) -> Verdict:
        """`judge`, for whoever awaits it, on any loop."""
        return await own_loop.arun(lambda: self._judge(sentences, self._client.acomplete))

    async def _judge(self, sentences: KeyedTrace, complete: Complete) -> Verdict:
        trace = _Asked(Deadline(self._settings.timeout_seconds), complete)
        return await judge_in_windows(
            sentences, lambda part: self._ask(part, trace), room=self._room(sentences)
        )

    def first_requests(self, sentences: KeyedTrace) -> list[ChatRequest]:
        """What is asked whatever the answers are: one request, or one for each window."""
        return [
            self._request(prompt.user, prompt, self._limit(part))
            for part in split(sentences, room=self._room(sentences))
            for prompt in [self._rendered(part)]
        ]

    def _room(self, sentences: KeyedTrace) -> int:
        return self._window - self._limit(sentences)

    def _limit(self, sentences: KeyedTrace) -> int:
        return completion_tokens(sentences, self._settings, self._window)

    def _rendered(self, sentences: KeyedTrace) -> Prompt:
        return render(sentences, boundary=self._boundary(sentences) if self._boundary else None)

    async def _ask(self, sentences: KeyedTrace, trace: _Asked) -> Verdict:
        from pytest_trace.llm.reply import RefusedReply, read_reply

        prompt = self._rendered(sentences)
        limit = self._limit(sentences)
        reply = await self._complete(prompt.user, prompt, limit, trace)
        try:
            return read_reply(reply.text, prompt, sentences)
        except RefusedReply as refused:
            if refused.is_truncated or reply.is_truncated:
                limit = raised_completion_tokens(limit, prompt, self._window)
            reply = await self._complete(_asking_again(prompt, refused), prompt, limit, trace)
        try:
            verdict = read_reply(reply.text, prompt, sentences)
        except RefusedReply as refused:
            raise self._no_verdict(prompt, reply, limit, refused) from None
        return replace(verdict, notes=(*verdict.notes, "asked again: 1"))

    async def _complete(self, user: str, prompt: Prompt, limit: int, trace: _Asked) -> ChatReply:
        is_continuing, trace.is_begun = trace.is_begun, True
        request = self._request(user, prompt, limit)
        return await trace.complete(
            replace(request, deadline=trace.deadline, is_continuing=is_continuing)
        )

    def _request(self, user: str, prompt: Prompt, limit: int) -> ChatRequest:
        return ChatRequest(
            system=prompt.system,
            user=user,
            max_completion_tokens=limit,
            schema=REPLY_SCHEMA if self._client.takes_schema else None,
        )

    def _no_verdict(
        self, prompt: Prompt, reply: ChatReply, limit: int, refused: RefusedReply
    ) -> JudgeReplyError:
        begins = visible(reply.text[:_SHOWN])
        cut_off = [f"reply cut off at {limit} completion tokens"] if reply.is_truncated else []
        return JudgeReplyError(
            f"{self.kind}:{self.model} replied twice without a verdict: {refused.reason}",
            details=(
                f"model: {self.model}",
                f"prompt: {len(prompt.system) + len(prompt.user):,} characters",
                *cut_off,
                f"reply begins: {begins}" if begins else "reply is empty",
            ),
        )


def _asking_again(prompt: Prompt, refused: RefusedReply) -> str:
    return (
        f"{prompt.user}\n\nA reply to this could not be used: {refused.reason}. "
        "Reply again with the whole JSON object.\n"
    )
