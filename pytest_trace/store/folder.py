"""The folder of the cache, and the lock files in it."""

from __future__ import annotations

from pathlib import Path

from filelock import BaseFileLock, FileLock

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
    if there can be no lock.
    """
    prepare_folder(path.parent.parent)
    path.parent.mkdir(exist_ok=True)
    lock = FileLock(path, timeout=timeout_seconds)
    try:
        lock.acquire()
    except NotImplementedError as error:  # a file system without locks
        raise OSError(str(error)) from error
    return lock
