"""One request through a vendor's SDK, and what came back as plain values.

Nothing of a vendor leaves this module: neither a response nor an exception.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pytest_trace.errors import JudgeUnavailable, hide_own_frames
from pytest_trace.llm.deadline import Deadline

__tracebackhide__ = hide_own_frames

_CONNECT_SECONDS: Final = 10.0
_ASYNCIO_SAYS: Final = "Connect call failed"  # and not why
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
    """What is used of an SDK's client, sync or async. The two SDKs that there are name it alike."""

    create: Callable[..., Any]
    batches: Callable[[], BatchCalls]
    close: Callable[[], Any]
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

    def arguments(self, arguments: Mapping[str, Any], deadline: Deadline) -> dict[str, Any]:
        """Those of a request, with its time."""
        left = max(deadline.left, _LEAST_SECONDS)
        timeout = self.timeout(left, connect=min(left, _CONNECT_SECONDS))
        return {**arguments, "timeout": timeout}


Read = Callable[[Iterator[bytes]], str]
"""What is made of the body of an answer that is no error, as it comes."""


class Transport(Protocol):
    """How requests are sent and pauses are made: in a thread that waits, or on an event loop."""

    async def send(self, arguments: Mapping[str, Any], deadline: Deadline) -> Answer:
        """The answer to one request.

        Raises `NoAnswer`, or `JudgeUnavailable` where the SDK refuses to send the request.
        """
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait so long."""
        ...


@dataclass(frozen=True, slots=True)
class BlockingTransport:
    """Waits in the thread that asks, by a sync client: nothing here suspends a coroutine."""

    sdk: Sdk

    async def send(self, arguments: Mapping[str, Any], deadline: Deadline) -> Answer:
        """As `Transport`; what has not answered at the deadline is left behind."""
        return self.request(self.sdk.create, arguments, deadline)

    def request(
        self,
        call: Callable[..., Any],
        arguments: Mapping[str, Any],
        deadline: Deadline,
        read: Read | None = None,
    ) -> Answer:
        """The answer to one request, which `call` of the SDK makes; errors as in `send`."""
        with _in_time():
            return deadline.run(lambda: self._send(call, arguments, deadline, read or _joined))

    async def sleep(self, seconds: float) -> None:
        """As `Transport`."""
        time.sleep(seconds)  # noqa: ASYNC251 - no loop runs this

    def _send(
        self, call: Callable[..., Any], arguments: Mapping[str, Any], deadline: Deadline, read: Read
    ) -> Answer:
        with _faults(self.sdk, deadline):
            try:
                with call(**self.sdk.arguments(arguments, deadline)) as response:
                    return _answer(response, read(_until(deadline, response.iter_bytes())))
            except self.sdk.status_error as error:
                return _refused(error)


@dataclass(frozen=True, slots=True)
class AsyncTransport:
    """Waits on the loop of an async client."""

    sdk: Sdk

    async def send(self, arguments: Mapping[str, Any], deadline: Deadline) -> Answer:
        """As `Transport`; what has not answered at the deadline is cancelled and hung up."""
        with _in_time():
            return await deadline.arun(lambda: self._send(arguments, deadline))

    async def sleep(self, seconds: float) -> None:
        """As `Transport`."""
        await asyncio.sleep(seconds)

    async def _send(self, arguments: Mapping[str, Any], deadline: Deadline) -> Answer:
        with _faults(self.sdk, deadline):
            try:
                async with self.sdk.create(**self.sdk.arguments(arguments, deadline)) as response:
                    body = b"".join([chunk async for chunk in response.iter_bytes()])
                    return _answer(response, _text(body))
            except self.sdk.status_error as error:
                return _refused(error)


@contextmanager
def _in_time() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise NoAnswer("no answer in time", is_timeout=True) from None


@contextmanager
def _faults(sdk: Sdk, deadline: Deadline) -> Iterator[None]:
    """Nothing of an SDK is raised, whatever goes wrong in it."""
    try:
        yield
    except TimeoutError:
        raise
    except sdk.timeout_error:
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


def _answer(response: Any, body: str) -> Answer:
    return Answer(response.status_code, _lower(response.headers), body)


def _refused(error: Any) -> Answer:
    return _answer(error.response, _text(error.response.content))


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
    for below in _causes(error):
        if isinstance(below, OSError) and below.errno and _ASYNCIO_SAYS in str(below):
            return f"[Errno {below.errno}] {os.strerror(below.errno)}"
    cause = error.__cause__ or error
    return str(cause).strip() or type(cause).__name__


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it comes from; of several addresses the first."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        else:
            error = error.__cause__ or error.__context__
