"""Groq's files and batches: uploaded, made, looked at and fetched, as plain values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Final

from pytest_trace.concurrency.blocking import run_blocking
from pytest_trace.errors import JudgeUnavailable, hide_own_frames
from pytest_trace.llm.answers import require_success
from pytest_trace.llm.chat import SdkClient
from pytest_trace.llm.deadline import Deadline
from pytest_trace.llm.retry import RetryPolicy
from pytest_trace.llm.transport import Answer, BatchCalls, Read
from pytest_trace.quoting import quote
from pytest_trace.store.run_state import RunState

__tracebackhide__ = hide_own_frames

ENDPOINT: Final = "/v1/chat/completions"
MOST_REQUESTS: Final = 50_000
"""Requests in a batch."""
MOST_BYTES: Final = 100_000_000
"""Bytes of a file."""

_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_FILE_SECONDS: Final = 900.0
_CALL_SECONDS: Final = 120.0
_BODY_COLUMNS: Final = 200

Call = Callable[[BatchCalls], Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """How far a batch is. `faults` say why one failed as a whole."""

    id: str
    status: str
    done: int
    total: int
    output_file: str | None
    error_file: str | None
    faults: tuple[str, ...]

    @property
    def is_ended(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.status in _ENDED


class Batches:
    """The batches of the account that a client has.

    Each call retries what is worth retrying. Raises `JudgeUnavailable` or `JudgeTimeout`.
    """

    def __init__(self, client: SdkClient) -> None:
        self._client = client

    def upload(self, path: Path) -> str:
        """Send a file of requests; its id."""
        with path.open("rb") as file:
            answer = self._asked(
                lambda calls: calls.upload, lambda: _upload(path, file), seconds=_FILE_SECONDS
            )
        return _text(_object(answer), "id")

    def make(self, file: str, window: str) -> str:
        """Make a batch of a file that was sent; its id. It begins at once.

        Where an answer gets lost the batch may be there all the same: before it is made again, it
        is looked for.
        """
        policy = self._policy(_CALL_SECONDS)
        arguments = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": window}
        attempts = count()

        async def attempt() -> str:
            if next(attempts) and (made := self.made_of(file)) is not None:
                return made
            answer = await self._attempt(policy, lambda calls: calls.create, arguments)
            return _text(_object(answer), "id")

        return run_blocking(policy.run(attempt))

    def made_of(self, file: str) -> str | None:
        """The id of a batch that was made of a file already, if there is one."""
        answer = self._asked(lambda calls: calls.list, dict)
        listed = _object(answer).get("data")
        batches = listed if isinstance(listed, list) else []
        own = (each for each in batches if _mapping(each).get("input_file_id") == file)
        return next((_text(each, "id") for each in own), None)

    def look(self, batch: str) -> BatchState:
        """How far a batch is."""
        data = _object(self._asked(lambda calls: calls.retrieve, lambda: {"batch_id": batch}))
        counts = _mapping(data.get("request_counts"))
        listed = _mapping(data.get("errors")).get("data")
        faults = [_mapping(each) for each in listed] if isinstance(listed, list) else []
        return BatchState(
            id=batch,
            status=_text(data, "status"),
            done=_count(counts, "completed") + _count(counts, "failed"),
            total=_count(counts, "total"),
            output_file=data.get("output_file_id") or None,
            error_file=data.get("error_file_id") or None,
            faults=tuple(str(each.get("message") or each.get("code")) for each in faults),
        )

    def fetch(self, file: str, path: Path) -> None:
        """Write the content of a file to `path`, as a whole or not at all."""
        fresh = path.with_name(f"{path.name}.new")
        writer = _Writer(fresh)
        try:
            self._asked(
                lambda calls: calls.content,
                lambda: {"file_id": file},
                seconds=_FILE_SECONDS,
                read=writer.write,
            )
        except JudgeUnavailable:
            if writer.fault is not None:
                raise writer.fault from None
            raise
        fresh.replace(path)

    def _asked(
        self,
        call: Call,
        arguments: Callable[[], Mapping[str, Any]],
        *,
        seconds: float = _CALL_SECONDS,
        read: Read | None = None,
    ) -> Answer:
        policy = self._policy(seconds)
        return run_blocking(policy.run(lambda: self._attempt(policy, call, arguments(), read)))

    def _policy(self, seconds: float) -> RetryPolicy:
        return RetryPolicy(
            server=self._client.asked.server,
            state=RunState(None),  # an outage is no end: a batch goes on, and is looked at later
            deadline=Deadline(seconds),
            max_wait_seconds=self._client.settings.max_wait_seconds,
            sleep=self._client.blocking().sleep,
        )

    async def _attempt(
        self,
        policy: RetryPolicy,
        call: Call,
        arguments: Mapping[str, Any],
        read: Read | None = None,
    ) -> Answer:
        transport = self._client.blocking()
        wanted = call(transport.sdk.batches())

        async def ask() -> Answer:
            return transport.request(wanted, arguments, policy.deadline, read)

        answer = await policy.reach(ask)
        require_success(answer, replace(self._client.asked, service="batches"))
        return answer


def _upload(path: Path, file: BinaryIO) -> Mapping[str, Any]:
    file.seek(0)  # an attempt before may have read some of it
    return {"file": (path.name, file), "purpose": "batch"}


class _Writer:
    """Writes the body of an answer to a file; what the disk refuses is kept in `fault`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.fault: OSError | None = None

    def write(self, chunks: Iterator[bytes]) -> str:
        """Write all of it, from the beginning."""
        with self._path.open("wb") as file:
            for chunk in chunks:
                self._add(file, chunk)
        return ""

    def _add(self, file: BinaryIO, chunk: bytes) -> None:
        try:
            file.write(chunk)
        except OSError as error:
            self.fault = OSError(error.errno, error.strerror, str(self._path))
            raise ValueError(str(error)) from None


def _object(answer: Answer) -> Mapping[str, Any]:
    try:
        data = json.loads(answer.body)
    except (RecursionError, ValueError):
        data = None
    if not isinstance(data, dict):
        raise JudgeUnavailable(
            f"the server sent {quote(answer.body, _BODY_COLUMNS)} in place of a batch or file"
        )
    return data


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value:
        raise JudgeUnavailable(
            f"the server sent no {name}: {quote(json.dumps(data), _BODY_COLUMNS)}"
        )
    return value


def _count(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    return value if type(value) is int and value >= 0 else 0


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
