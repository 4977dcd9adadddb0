"""What stands beside the written file: of whom and of what its rows are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from pytest_trace.cli.scoring.plan import retry_path
from pytest_trace.errors import InvalidCase
from pytest_trace.quoting import shorten

_FORMAT: Final = "rag_trace_score"
_VERSION: Final = 1
_SHOWN: Final = 60


def run_path(out: Path) -> Path:
    """The file beside `out`."""
    return out.with_name(f"{out.name}.run.json")


def begin_or_go_on(out: Path, run: Mapping[str, Any]) -> None:
    """Begin a run, or see whether this is one to go on with: `run` says who judges what, and how.

    What an earlier run has left beside an `out` that is gone is removed. Raises `InvalidCase`
    where `out` was written otherwise, or by something else.
    """
    path = run_path(out)
    now = {_FORMAT: _VERSION, **run}
    before = _read(path)
    is_begun = out.exists() and out.stat().st_size > 0
    if before is None and is_begun:
        raise InvalidCase(
            f"{out} is there already, and no {path.name} says whose rows it holds; "
            "name another file with --out, or remove it"
        )
    if before is None or not is_begun:
        retry_path(out).unlink(missing_ok=True)
        write_json(path, now)
        return
    differences = [name for name in now if before.get(name) != now[name]]
    if differences:
        name = differences[0]
        raise InvalidCase(
            f"{out} was begun with another {name.replace('_', ' ')}: "
            f"{_changed(before.get(name), now[name])}; name another file with --out, or remove "
            f"{out.name} and {path.name}"
        )


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a small file as a whole: a process that is killed leaves the old one or the new."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    os.replace(fresh, path)  # noqa: PTH105 - it stands beside the write it completes


@contextmanager
def held_alone(out: Path) -> Iterator[None]:
    """Nobody else writes to `out` meanwhile; raises `InvalidCase` if somebody does."""
    lock = FileLock(out.with_name(f"{out.name}.lock"))
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
