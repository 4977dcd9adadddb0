"""The folder of the cache, and the lock files in it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from filelock import BaseFileLock, FileLock, Timeout

from pytest_trace.concurrency.calls import pause

_POLL_SECONDS: Final = 0.05

_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder holds cached verdicts of judges. See https://bford.info/cachedir/
"""


def prepare_folder(folder: Path) -> None:
    """Make the folder of the cache, ignored by git and by backups.

    One that is there already is left as it is: it may be somebody's own.
    """
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    (folder / ".gitignore").write_text("*\n", encoding="ascii")
    (folder / "CACHEDIR.TAG").write_text(_TAG, encoding="ascii")


def acquired_lock(path: Path, timeout_seconds: float) -> BaseFileLock:
    """The lock file at `path`, in a folder below that of the cache; held.

    A process that is killed lets it go. Raises TimeoutError if others hold it for longer, OSError
    if there can be no lock, and `GivenUp` where the call of this thread is given up meanwhile.
    """
    prepare_folder(path.parent.parent)
    path.parent.mkdir(exist_ok=True)
    lock = FileLock(path)
    end = time.monotonic() + timeout_seconds
    while not _is_acquired(lock, is_last=time.monotonic() >= end):
        pause(_POLL_SECONDS)
    return lock


def _is_acquired(lock: BaseFileLock, *, is_last: bool) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if is_last:
            raise
        return False
    except NotImplementedError as error:  # a file system without locks
        raise OSError(str(error)) from error
    return True
