"""What stands beside the written file: of whom and of what its rows are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from pytest_trace.cli.scoring.paths import batch_path, lock_path, retry_path, run_path
from pytest_trace.errors import InvalidCase
from pytest_trace.quoting import shorten

_FORMAT: Final = "rag_trace_score"
_VERSION: Final = 1
_SHOWN: Final = 60


def begin_or_go_on(out: Path, run: Mapping[str, Any]) -> None:
    """Begin a run, or see whether this is one to go on with: `run` says who judges what, and how.

    Raises `InvalidCase` where `out`, or a batch for it, was begun otherwise or by something else.
    """
    path = run_path(out)
    before, now = _read(path), {_FORMAT: _VERSION, **run}
    if before == now:
        return
    if begun := _begun(out):
        raise InvalidCase(_refusal(begun, path, before, now))
    retry_path(out).unlink(missing_ok=True)  # of a run that is gone
    write_json(path, now)


def _begun(out: Path) -> Path | None:
    """What would be lost if another run began."""
    if out.exists() and out.stat().st_size:
        return out
    return batch_path(out) if batch_path(out).exists() else None


def _refusal(
    begun: Path, path: Path, before: Mapping[str, Any] | None, now: Mapping[str, Any]
) -> str:
    ways_out = f"name another file with --out, or remove {begun.name}"
    if before is None:
        return f"{begun} is there already, and no {path.name} says of which run; {ways_out}"
    name = next(name for name in now if before.get(name) != now[name])
    return (
        f"{begun} was begun with another {name}: {_changed(before.get(name), now[name])}; "
        f"{ways_out} and {path.name}"
    )


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a small file as a whole: a process that is killed leaves the old one or the new."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    os.replace(fresh, path)  # noqa: PTH105 - it stands beside the write it completes


@contextmanager
def held_alone(out: Path) -> Iterator[None]:
    """Nobody else writes to `out` meanwhile; raises `InvalidCase` if somebody does."""
    lock = FileLock(lock_path(out))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise InvalidCase(f"another process writes to {out}: let it end, or stop it") from None
    try:
        yield
    finally:
        with suppress(OSError):
            Path(lock.lock_file).unlink()
        lock.release()


def _read(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (RecursionError, ValueError):
        data = None
    if not isinstance(data, dict) or data.get(_FORMAT) != _VERSION:
        raise InvalidCase(f"{path} is no file of this rag-trace score; remove it with its rows")
    return data


def _changed(before: Any, now: Any) -> str:
    """What differs: of two objects the first field that does."""
    if isinstance(before, dict) and isinstance(now, dict):
        name = next(name for name in {**before, **now} if before.get(name) != now.get(name))
        return f"{name} was {_shown(before.get(name))}, and is {_shown(now.get(name))}"
    return f"it was {_shown(before)}, and is {_shown(now)}"


def _shown(value: Any) -> str:
    return shorten(json.dumps(value), _SHOWN)
