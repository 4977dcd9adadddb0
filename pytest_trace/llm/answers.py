"""What an answer of a chat-completions server means: a reply, a refusal that may pass, an error.

Every error of a server is mapped here, and nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final

from pytest_trace.errors import JudgeUnavailable, hide_own_frames
from pytest_trace.llm.client import ChatReply, Usage
from pytest_trace.llm.retry import Refusal, is_worth_retrying
from pytest_trace.llm.transport import Answer
from pytest_trace.llm.waits import asked_wait
from pytest_trace.quoting import quote

__tracebackhide__ = hide_own_frames

_BODY_COLUMNS: Final = 300
_MESSAGE_COLUMNS: Final = 200
_UNKNOWN_MODEL: Final = frozenset({"model_decommissioned", "model_not_found"})
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_TOO_LARGE: Final = "request too large"
_ERRORS: Final = range(400, 600)
_RETRY_FORMAT: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Whom a request went to, for messages; `models` are those the server is known to have.

    `service` is what was asked for.
    """

    server: str
    model: str
    key_variable: str
    models: tuple[str, ...]
    service: str = "chat completions"


@dataclass(frozen=True, slots=True)
class _Problem:
    """The error that a server names in the body of its answer."""

    code: str
    message: str
    failed_generation: str | None


def read_answer(answer: Answer, asked: Asked) -> ChatReply:
    """The reply in `answer`; raises `Refusal` or `JudgeUnavailable`."""
    answer = replace(answer, status=_status(answer))
    if not _is_success(answer):
        problem = _problem(answer.body)
        if problem.code == "json_validate_failed":
            # The text is often usable; an empty reply makes the judge ask again.
            return ChatReply(text=problem.failed_generation or "")
    require_success(answer, asked)
    return _completion(answer, asked)


def require_success(answer: Answer, asked: Asked) -> None:
    """Raise `Refusal` or `JudgeUnavailable` for an answer that is an error."""
    if _is_success(answer):
        return
    problem = _problem(answer.body)
    if (hopeless := _hopeless(answer.status, problem, asked)) is not None:
        raise JudgeUnavailable(hopeless, details=_details(answer))
    if is_worth_retrying(answer.status):
        raise Refusal(
            f"{answer.status} {_quoted(problem.message)}",
            asked_wait=asked_wait(answer.headers),
            is_rate_limit=answer.status == HTTPStatus.TOO_MANY_REQUESTS,
            details=_details(answer),
        )
    raise JudgeUnavailable(
        f"{asked.server} refused the request: {_quoted(problem.message)}", details=_details(answer)
    )


def _is_success(answer: Answer) -> bool:
    return HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES


def refuses_schema(answer: Answer) -> bool:
    """Whether the answer says that this model or server takes no JSON schema."""
    if answer.status not in _RETRY_FORMAT:
        return False
    problem = _problem(answer.body)
    return problem.code != "json_validate_failed" and bool(
        re.search(r"response_?format|json_?schema", answer.body, re.IGNORECASE)
    )


def _status(answer: Answer) -> int:
    """The status; gateways pass an error on in a 200, with its status as the code."""
    code = _mapping(_parsed(answer.body).get("error")).get("code")
    if answer.status == HTTPStatus.OK and isinstance(code, int) and code in _ERRORS:
        return code
    return answer.status


def _hopeless(status: int, problem: _Problem, asked: Asked) -> str | None:
    """What to do about an error that no waiting mends; None for any other."""
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return (
            f"{asked.server} does not accept the key in {asked.key_variable} ({status}); set one "
            f"that is valid and may use {asked.model}"
        )
    if _is_unknown_model(status, problem):
        known = f"current models: {', '.join(asked.models)}" if asked.models else "see its /models"
        return f"{asked.server} has no model {asked.model!r} (any more); {known}"
    if problem.code in _NO_CREDIT:
        return f"the account of {asked.key_variable} has no credit left at {asked.server}"
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or _TOO_LARGE in problem.message.lower():
        return (
            f"the request is larger than {asked.server} ever takes for {asked.model} in a minute, "
            "so waiting is no use; raise the account's limit, or set rag_context_tokens below it"
        )
    if status == HTTPStatus.NOT_FOUND:
        return f"{asked.server} has no {asked.service} (404); check rag_base_url"
    return None


def _is_unknown_model(status: int, problem: _Problem) -> bool:
    is_about_model = re.search(r"\bmodel\b.*\bnot? (found|exist)", problem.message, re.IGNORECASE)
    return problem.code in _UNKNOWN_MODEL or (
        status == HTTPStatus.NOT_FOUND and is_about_model is not None
    )


def _completion(answer: Answer, asked: Asked) -> ChatReply:
    data = _parsed(answer.body)
    choice = _first(data.get("choices"))
    message = _mapping(choice.get("message"))
    is_truncated = choice.get("finish_reason") == "length"
    text = message.get("content")
    if isinstance(text, str) or (is_truncated and text is None):
        return ChatReply(text=text or "", is_truncated=is_truncated, usage=_usage(data))
    raise JudgeUnavailable(_what_came(answer, asked, data, message), details=_details(answer))


def _what_came(
    answer: Answer, asked: Asked, data: Mapping[str, Any], message: Mapping[str, Any]
) -> str:
    """What came in place of a completion."""
    if isinstance(refusal := message.get("refusal"), str):
        return f"{asked.model} declines to answer: {_quoted(refusal)}"
    if message:
        return f"{asked.server} sent a completion without content"
    if data.get("error"):
        return f"{asked.server} sent an error: {_quoted(_problem(answer.body).message)}"
    if data:
        return f"{asked.server} sent JSON without a completion; is it a chat-completions server?"
    is_page = answer.body.lstrip().startswith("<")
    what = "a web page" if is_page else "something that is not JSON"
    return f"{asked.server} sent {what} in place of a completion; check rag_base_url and proxies"


def _usage(data: Mapping[str, Any]) -> Usage:
    usage = _mapping(data.get("usage"))
    return Usage(
        prompt_tokens=_count(usage, "prompt_tokens"),
        cached_tokens=_count(_mapping(usage.get("prompt_tokens_details")), "cached_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        reasoning_tokens=_count(
            _mapping(usage.get("completion_tokens_details")), "reasoning_tokens"
        ),
    )


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if type(value) is int and value >= 0 else 0


def _problem(body: str) -> _Problem:
    """The error of a body: `error` is an object or a text, or its fields are at the top."""
    data = _parsed(body)
    error = data.get("error", data)
    fields = _mapping(error)
    message = fields.get("message") or fields.get("detail") or (error or body)
    generation = fields.get("failed_generation")
    return _Problem(
        code=str(fields.get("code") or ""),
        message=message if isinstance(message, str) else json.dumps(message),
        failed_generation=generation if isinstance(generation, str) else None,
    )


def _parsed(body: str) -> Mapping[str, Any]:
    try:
        return _mapping(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first(values: object) -> Mapping[str, Any]:
    return _mapping(values[0]) if isinstance(values, list) and values else {}


def _quoted(text: str) -> str:
    return quote(text, _MESSAGE_COLUMNS)


def _details(answer: Answer) -> tuple[str, ...]:
    return (f"status: {answer.status}", f"body: {quote(answer.body, _BODY_COLUMNS)}")
