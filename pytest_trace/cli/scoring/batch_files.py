"""What a run by batches keeps on the disk, so that a killed one goes on and pays nothing twice."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any, Final

from pytest_trace.cli.scoring.run_file import write_json
from pytest_trace.errors import InvalidCase
from pytest_trace.llm.batched import BatchRequest
from pytest_trace.llm.batches import MOST_BYTES, MOST_REQUESTS
from pytest_trace.llm.transport import Answer

_STATE: Final = "state.json"


@dataclass(slots=True)
class BatchFile:
    """A file of requests that becomes one batch, on the cases from one line to another.

    `file` and `batch` are the server's ids, None until there are any; `status` is that of the
    batch when its answers were fetched, empty before.
    """

    name: str
    first_line: int
    last_line: int
    requests: int = 0
    file: str | None = None
    batch: str | None = None
    status: str = ""


@dataclass(slots=True)
class BatchFolder:
    """The files of each round, and a secret that makes the requests the same each time."""

    path: Path
    secret: str = field(default_factory=lambda: secrets.token_hex(16))
    rounds: list[list[BatchFile]] = field(default_factory=list)

    @classmethod
    def opened(cls, path: Path) -> BatchFolder:
        """The folder, made where it is missing. Raises `InvalidCase` for a damaged one."""
        path.mkdir(exist_ok=True)
        state = path / _STATE
        if not state.exists():
            folder = cls(path)
            folder.save()
            return folder
        try:
            data = json.loads(state.read_text(encoding="utf-8"))
            rounds = [[BatchFile(**values) for values in files] for files in data["rounds"]]
            return cls(path, data["secret"], rounds)
        except (KeyError, RecursionError, TypeError, ValueError) as error:
            raise InvalidCase(f"{state} is damaged: {error}; remove {path} to begin anew") from None

    def save(self) -> None:
        """Keep what is known by now."""
        rounds = [[asdict(file) for file in files] for files in self.rounds]
        write_json(self.path / _STATE, {"secret": self.secret, "rounds": rounds})

    def requests(self, file: BatchFile) -> Path:
        """Where the requests of a file stand."""
        return self.path / f"{file.name}.jsonl"

    def answers(self, file: BatchFile) -> Path:
        """Where the answers are that were fetched."""
        return self.path / f"{file.name}.answers.jsonl"

    def errors(self, file: BatchFile) -> Path:
        """Where the errors are that were fetched."""
        return self.path / f"{file.name}.errors.jsonl"

    def remove(self) -> None:
        """All of it has served."""
        shutil.rmtree(self.path, ignore_errors=True)


class Packer:
    """Writes the requests of a round into as few files as a batch allows; each request once."""

    def __init__(self, folder: BatchFolder, number: int) -> None:
        self._folder = folder
        self._number = number
        self._file: IO[str] | None = None
        self._bytes = 0
        self._ids: set[str] = set()
        self.files: list[BatchFile] = []

    def add(self, line: int, requests: Iterable[BatchRequest]) -> None:
        """Add what is to be asked about the case in a line: all of it in one file."""
        new = {each.id: each.dumps() + "\n" for each in requests if each.id not in self._ids}
        if not new:
            return
        size = sum(map(len, new.values()))
        if self._file is None or not self._has_room(len(new), size):
            self._begin(line)
        if self._file is not None:
            self._file.writelines(new.values())
        self._ids |= new.keys()
        self._bytes += size
        self.files[-1].requests += len(new)
        self.files[-1].last_line = line

    def close(self) -> None:
        """Everything is written."""
        if self._file is not None:
            self._file.close()

    def _has_room(self, requests: int, size: int) -> bool:
        fits = self.files[-1].requests + requests <= MOST_REQUESTS
        return fits and self._bytes + size <= MOST_BYTES

    def _begin(self, line: int) -> None:
        self.close()
        name = f"round-{self._number + 1}-batch-{len(self.files) + 1}"
        self.files.append(BatchFile(name, line, line))
        self._file = self._folder.requests(self.files[-1]).open("w", encoding="ascii")
        self._bytes = 0


class Answers:
    """The answers to the requests on one case: those of the latest round come first.

    Where they stand is known for one file of each round at a time.
    """

    def __init__(self, folder: BatchFolder) -> None:
        self._folder = folder
        self._indexes: dict[str, _Index] = {}
        self._now: list[_Index] = []

    def look_at(self, line: int) -> None:
        """Have the answers on the case in a line at hand."""
        found = (_about(files, line) for files in self._folder.rounds)
        files = [file for file in found if file is not None]
        names = {file.name for file in files}
        self._indexes = {n: index for n, index in self._indexes.items() if n in names}
        for file in files:
            if file.status and file.name not in self._indexes:
                paths = (self._folder.answers(file), self._folder.errors(file))
                self._indexes[file.name] = _Index(paths)
        self._now = [self._indexes[file.name] for file in files if file.name in self._indexes]

    def find(self, request: str) -> Answer | None:
        """The answer to a request, by its id."""
        found = (index.find(request) for index in reversed(self._now))
        return next((answer for answer in found if answer is not None), None)


def _about(files: Sequence[BatchFile], line: int) -> BatchFile | None:
    return next((file for file in files if file.first_line <= line <= file.last_line), None)


class _Index:
    """Where in two files the answer to which request stands."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._places: dict[str, tuple[Path, int]] = {}
        for path in filter(Path.exists, paths):
            place = 0
            with path.open("rb") as file:
                for line in file:
                    with suppress(KeyError, RecursionError, TypeError, ValueError):
                        self._places[str(json.loads(line)["custom_id"])] = (path, place)
                    place += len(line)

    def find(self, request: str) -> Answer | None:
        if request not in self._places:
            return None
        path, place = self._places[request]
        with path.open("rb") as file:
            file.seek(place)
            return _answer(json.loads(file.readline()))


def _answer(data: dict[str, Any]) -> Answer:
    """An answer as if it had come at once; what brought none may be asked again."""
    response = data.get("response")
    if isinstance(response, dict) and isinstance(response.get("status_code"), int):
        body = response.get("body")
        text = body if isinstance(body, str) else json.dumps(body)
        return Answer(response["status_code"], {}, text)
    return Answer(HTTPStatus.SERVICE_UNAVAILABLE, {}, json.dumps({"error": data.get("error")}))
