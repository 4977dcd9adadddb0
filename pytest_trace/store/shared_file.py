"""One small file that all threads and processes of a run change one after another."""

from __future__ import annotations

import json
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

_LOCK_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.005
_DAMAGED = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


@dataclass(slots=True)
class ServerState:
    """What a run has learned about one server; times are unix times."""

    not_before: float = 0.0
    failures: int = 0
    failed_at: float = 0.0
    outage: str = ""


@dataclass(slots=True)
class RunData:
    """What the file holds. `in_flight_cost` is what the calls under way may cost at most."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    unpriced_calls: int = 0
    in_flight_cost: float = 0.0
    notes: list[str] = field(default_factory=list)
    servers: dict[str, ServerState] = field(default_factory=dict)

    def server(self, name: str) -> ServerState:
        """What is known about a server."""
        return self.servers.setdefault(name, ServerState())

    def dumps(self) -> bytes:
        """The file's bytes."""
        return json.dumps(asdict(self), separators=(",", ":")).encode("ascii")

    @classmethod
    def loads(cls, content: bytes) -> RunData:
        """The reverse of `dumps`; raises one of `_DAMAGED` for anything else."""
        data: RunData = _filled(cls(), json.loads(content))
        servers: dict[str, Any] = dict(data.servers)
        data.servers = {name: _filled(ServerState(), values) for name, values in servers.items()}
        return data


def _filled(made: Any, values: dict[str, Any]) -> Any:
    for each in fields(made):
        value = values[each.name]
        if type(value) is not type(getattr(made, each.name)):
            raise TypeError(f"{each.name} is a {type(value).__name__}")
        setattr(made, each.name, value)
    return made


class SharedFile:
    """`run_state.json` in a folder, behind a lock; in memory where there is no folder.

    It is replaced as a whole, so a killed process leaves the old content or the new. A damaged
    file is started anew; a folder that cannot be used is done without. `say` is told of either.
    """

    def __init__(self, folder: Path | None, *, say: Callable[[str], None] = warnings.warn) -> None:
        self._path = folder / "run_state.json" if folder is not None else None
        self._say = say
        # In front of the file lock, which polls: threads of one process need not.
        self._threads = threading.Lock()
        self._memory: bytes | None = None
        self._seen: tuple[bytes, RunData] | None = None

    @property
    def has_content(self) -> bool:
        """Whether anything was written."""
        return self._read() is not None

    def read(self) -> RunData:
        """The content as it stands, not to be changed; no lock is needed, it is never torn."""
        content, seen = self._read(), self._seen
        if content is not None and seen is not None and seen[0] == content:
            return seen[1]
        data, damage = _loaded(content)
        if damage:
            with self.edit() as anew:
                return anew
        if content is not None:
            self._seen = content, data
        return data

    @contextmanager
    def edit(self) -> Iterator[RunData]:
        """The content, for this thread alone; it is kept on leaving unless an error is raised."""
        with self._threads, self._locked():
            before = self._read()
            data, damage = _loaded(before)
            yield data
            if (after := data.dumps()) != before:
                self._write(after)
        if damage:
            self._say(f"the counts of this run start anew: {self._path} was damaged ({damage})")

    def _locked(self) -> Any:
        """The lock of the file, held; nothing where the content is in memory."""
        if self._path is None:
            return nullcontext()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._path.with_suffix(".lock"))
            return lock.acquire(timeout=_LOCK_SECONDS, poll_interval=_POLL_SECONDS)
        except OSError as error:
            self._do_without(error)
            return nullcontext()

    def _read(self) -> bytes | None:
        if self._path is None:
            return self._memory
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._do_without(error)
            return None

    def _write(self, content: bytes) -> None:
        self._memory = content
        if self._path is None:
            return
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_bytes(content)
            os.replace(fresh, self._path)  # noqa: PTH105 - it stands beside the write it completes
        except OSError as error:
            self._do_without(error)

    def _do_without(self, error: OSError) -> None:
        path, self._path = self._path, None
        self._say(
            f"{path} cannot be used ({error}): limits of calls, cost and rate now hold for each "
            "process by itself"
        )


def _loaded(content: bytes | None) -> tuple[RunData, str]:
    """The data, and what was wrong with the content."""
    if content is None:
        return RunData(), ""
    try:
        return RunData.loads(content), ""
    except _DAMAGED as error:
        return RunData(), f"{type(error).__name__}: {error}"
