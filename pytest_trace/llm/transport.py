"""One request through a vendor's SDK, and what came back as plain values.

Nothing of a vendor leaves this module: neither a response nor an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_trace.errors import JudgeUnavailable, hide_own_frames
from pytest_trace.llm.deadline import Deadline

__tracebackhide__ = hide_own_frames

_CONNECT_SECONDS: Final = 10.0
_LEAST_SECONDS: Final = 0.001  # clients take 0 for "for ever"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: str


class NoAnswer(Exception):  # noqa: N818 - it is named for what happened
    """The server did not answer, or not to the end."""

    def __init__(self, reason: str, *, is_timeout: bool = False) -> None:
        super().__init__(reason)
        self.is_timeout = is_timeout


@dataclass(frozen=True, slots=True)
class BatchCalls:
    """What is used of an SDK for batches."""

    upload: Callable[..., Any]
    content: Callable[..., Any]
    create: Callable[..., Any]
    retrieve: Callable[..., Any]
    list: Callable[..., Any]

    @classmethod
    def of(cls, client: Any) -> BatchCalls:
        """Those of a client."""
        files = client.files.with_streaming_response
        batches = client.batches.with_streaming_response
        return cls(files.create, files.content, batches.create, batches.retrieve, batches.list)


@dataclass(frozen=True, slots=True)
class Sdk:
    """What is used of an SDK. The two that there are name it alike."""

    create: Callable[..., Any]
    batches: Callable[[], BatchCalls]
    close: Callable[[], None]
    timeout: Callable[..., Any]
    status_error: type[Exception]
    timeout_error: type[Exception]

    @classmethod
    def of(cls, module: Any, client: Any) -> Sdk:
        """That of a module and of a client which it made."""
        return cls(
            client.chat.completions.with_streaming_response.create,
            lambda: BatchCalls.of(client),
            client.close,
            module.Timeout,
            module.APIStatusError,
            module.APITimeoutError,
        )


Read = Callable[[Iterator[bytes]], str]
"""What is made of the body of an answer that is no error, as it comes."""


def send(
    sdk: Sdk,
    call: Callable[..., Any],
    arguments: Mapping[str, Any],
    deadline: Deadline,
    read: Read | None = None,
) -> Answer:
    """The answer to one request, which `call` of the SDK makes.

    Raises `NoAnswer`, or `JudgeUnavailable` where the SDK refuses to send the request.
    """
    request = _Request(sdk, call, arguments, read or _joined)
    try:
        return deadline.run(lambda: _guarded(request, deadline))
    except TimeoutError:
        raise NoAnswer("no answer in time", is_timeout=True) from None


@dataclass(frozen=True, slots=True)
class _Request:
    sdk: Sdk
    call: Callable[..., Any]
    arguments: Mapping[str, Any]
    read: Read


def _guarded(request: _Request, deadline: Deadline) -> Answer:
    try:
        return _send(request, deadline)
    except TimeoutError:
        raise
    except request.sdk.timeout_error:
        raise NoAnswer("no answer in time", is_timeout=True) from None
    except UnicodeEncodeError as error:
        raise JudgeUnavailable(
            f"the request holds text that UTF-8 cannot carry ({error.reason} at character "
            f"{error.start}); replace lone surrogates in the trace"
        ) from None
    except (TypeError, ValueError) as error:
        raise JudgeUnavailable(f"the client library refuses the request: {error}") from None
    except Exception as error:  # noqa: BLE001 - a broken body passes through an SDK as it comes
        raise NoAnswer(_reason(error), is_timeout=deadline.left <= 0) from None


def _send(request: _Request, deadline: Deadline) -> Answer:
    sdk = request.sdk
    left = max(deadline.left, _LEAST_SECONDS)
    timeout = sdk.timeout(left, connect=min(left, _CONNECT_SECONDS))
    try:
        with request.call(**request.arguments, timeout=timeout) as response:
            body = request.read(_until(deadline, response.iter_bytes()))
            return Answer(response.status_code, _lower(response.headers), body)
    except sdk.status_error as error:
        response = getattr(error, "response")  # noqa: B009 - the type is the vendor's
        return Answer(response.status_code, _lower(response.headers), _text(response.content))


def _joined(chunks: Iterator[bytes]) -> str:
    return _text(b"".join(chunks))


def _until(deadline: Deadline, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks, cut at the deadline: leaving closes the connection of a server that trickles."""
    for chunk in chunks:
        deadline.require_time()
        yield chunk


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _text(body: bytes) -> str:
    return body.decode("utf-8", errors="replace")


def _reason(error: Exception) -> str:
    """What went wrong below: SDKs only say "Connection error."."""
    cause = error.__cause__ or error
    return str(cause).strip() or type(cause).__name__
