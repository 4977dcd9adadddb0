"""The recording: verdicts in a file that is committed, so that CI needs no key.

One verdict a line, sorted by key, with the ids of the tests that use it. Two runs of the same suite
write the same bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_trace.errors import InvalidRecording
from pytest_trace.store.entry import DAMAGED, StoredVerdict, typed
from pytest_trace.store.folder import acquired_lock

FILE_NAME = "rag_verdicts.jsonl"
_FORMAT = "rag_verdicts"
_HEADER = {_FORMAT: 1}
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_LOCK_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """A stored verdict and the tests that use it."""

    entry: StoredVerdict
    tests: frozenset[str]

    def dumps(self) -> str:
        """The line, readable in a diff."""
        data = self.entry.to_json()
        ordered = {"key": data.pop("key"), "tests": sorted(self.tests)} | data
        return json.dumps(_sorted_inside(ordered), ensure_ascii=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUse:
    """What a run tells the recording.

    `used` are the verdicts by test id; `passed` the tests that passed; `collected` every test of
    the run, or None where the run selected some of them.
    """

    used: Mapping[str, Iterable[StoredVerdict]]
    passed: frozenset[str] = field(default=frozenset())
    collected: frozenset[str] | None = None


def read_recording(path: Path) -> dict[str, RecordedLine]:
    """The lines of a recording by key; none where there is no file.

    A key that stands there twice, as after a merge that kept both sides, has the tests of both.
    Raises `InvalidRecording` naming the first line that is none, or the merge conflict.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRecording(f"cannot read the recording {path}: {error}") from error
    lines: dict[str, RecordedLine] = {}
    for number, line in enumerate(text.split("\n"), 1):
        recorded = _read_line(line, f"{path.name}:{number}") if line.strip() else None
        if recorded is not None:
            key = recorded.entry.key
            others = lines[key].tests if key in lines else frozenset()
            lines[key] = RecordedLine(recorded.entry, recorded.tests | others)
    return lines


def write_recording(path: Path, use: RunUse, *, lock: Path) -> int:
    """Bring the recording up to date with a run; how many lines it has now.

    What another run has written meanwhile is kept: the file is read again under `lock`, which
    stands in a folder below that of the cache, and is replaced in one step.
    Raises `InvalidRecording` where the file is damaged, OSError where it cannot be written.
    """
    path = path.resolve()  # a link is kept, and the file behind it replaced
    held = acquired_lock(lock, _LOCK_SECONDS)
    try:
        lines = merged(read_recording(path), use)
        content = "".join(f"{line}\n" for line in _dumped(lines)).encode("ascii")
        is_there = path.exists()
        if content != path.read_bytes() if is_there else lines:
            _replace(path, content)
    finally:
        held.release()
    return len(lines)


def merged(lines: Mapping[str, RecordedLine], use: RunUse) -> dict[str, RecordedLine]:
    """The lines after a run.

    A test id leaves a line only if that test passed without using it, or if a run without any
    selection no longer collects it; a line without ids goes.
    """
    entries = {key: line.entry for key, line in lines.items()}
    tests = {key: set(line.tests) for key, line in lines.items()}
    used: dict[str, set[str]] = {}
    for test, verdicts in use.used.items():
        used[test] = set()
        for entry in verdicts:
            entries[entry.key] = entry
            tests.setdefault(entry.key, set()).add(test)
            used[test].add(entry.key)
    kept = {key: frozenset(_users(key, ids, used, use)) for key, ids in tests.items()}
    return {key: RecordedLine(entries[key], ids) for key, ids in kept.items() if ids}


def _users(key: str, tests: set[str], used: Mapping[str, set[str]], use: RunUse) -> Iterator[str]:
    """Those of `tests` that still use the line `key`."""
    for test in tests:
        is_left = test in use.passed and key not in used.get(test, ())
        is_gone = use.collected is not None and test not in use.collected
        if not is_left and not is_gone:
            yield test


def _read_line(line: str, where: str) -> RecordedLine | None:
    """The line; None for the header, which a merge may have left in any place."""
    if line.startswith(_CONFLICT):
        raise InvalidRecording(
            f"{where} is a merge conflict; keep the lines of both sides, "
            "or take either side and record again with --rag-record"
        )
    try:
        data = json.loads(line)
        if isinstance(data, dict) and _FORMAT in data:
            _require_format(data[_FORMAT])
            return None
        tests = typed(data, "tests", list)
        return RecordedLine(StoredVerdict.from_json(data), frozenset(map(str, tests)))
    except DAMAGED as error:
        raise InvalidRecording(
            f"{where} is no recorded verdict ({type(error).__name__}: {error}); "
            "restore the line, or delete it and record again with --rag-record"
        ) from error


def _require_format(number: object) -> None:
    if number != _HEADER[_FORMAT]:
        raise ValueError(f"a recording of format {number!r}, and this version reads format 1")


def _dumped(lines: Mapping[str, RecordedLine]) -> Iterator[str]:
    yield json.dumps(_HEADER)
    for key in sorted(lines):
        yield lines[key].dumps()


def _sorted_inside(value: Any, *, is_top: bool = True) -> Any:
    """Mappings below the top in the order of their keys, so that equal verdicts are equal bytes."""
    if isinstance(value, Mapping):
        items = value.items() if is_top else sorted(value.items())
        return {key: _sorted_inside(item, is_top=False) for key, item in items}
    if isinstance(value, list):
        return [_sorted_inside(item, is_top=False) for item in value]
    return value


def _replace(path: Path, content: bytes) -> None:
    """Write a file beside `path` and put it in its place: a killed run leaves the old or the new.

    What a killed run left half-written is removed; the lock says that nobody else is writing.
    """
    for stale in path.parent.glob(f".{path.name}.*.new"):
        stale.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
        else:
            Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
