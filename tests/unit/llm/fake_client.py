"""A chat client that replies by a script, and replies written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from pytest_trace.llm.client import ChatReply, ChatRequest

Answer = str | ChatReply | Exception | Callable[[ChatRequest], str]

_KEYED = re.compile(r"^\[(\w+)\] (.*)$", re.MULTILINE)


class FakeClient:
    """Replies by `script`, one answer a request; the last one serves all further requests."""

    model = "fake/model-1"

    def __init__(self, *script: Answer) -> None:
        self._script = script
        self.takes_schema = True
        self.identity: Mapping[str, Any] = {"model": self.model, "temperature": 0.0}
        self.requests: list[ChatRequest] = []

    def prepare(self) -> None:
        pass

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        return self.complete(request)

    def complete(self, request: ChatRequest) -> ChatReply:
        answer = self._script[min(len(self.requests), len(self._script) - 1)]
        self.requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ChatReply):
            return answer
        return ChatReply(text=answer if isinstance(answer, str) else answer(request))


def keyed_lines(request: ChatRequest) -> dict[str, str]:
    """The sentences of a prompt by their short keys."""
    return dict(_KEYED.findall(request.user))


def entry(key: str = "a", *keys: str, supported: Any = True, why: str = "It says so.") -> dict:
    """What a reply says of one response sentence."""
    return {
        "response_sentence_key": key,
        "explanation": why,
        "supporting_sentence_keys": list(keys),
        "fully_supported": supported,
    }


def reply(*entries: dict, **fields: Any) -> dict:
    """A reply; what a test does not name is in order."""
    entries = entries or (entry("a", "0a"),)
    return {
        "relevance_explanation": "The documents tell the days.",
        "all_relevant_sentence_keys": ["0a", "0b"],
        "overall_supported_explanation": "The days are backed.",
        "overall_supported": all(item.get("fully_supported") is True for item in entries),
        "sentence_support_information": list(entries),
        "all_utilized_sentence_keys": ["0a"],
    } | fields


def dumped(*entries: dict, **fields: Any) -> str:
    """The text of such a reply."""
    return json.dumps(reply(*entries, **fields))
