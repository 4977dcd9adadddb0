"""Where the files of a model are, and what says that they are still the same."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Final, TypeVar

from pytest_trace.errors import JudgeUnavailable, UnknownName, hide_own_frames
from pytest_trace.judges.nli.options import NliOptions

__tracebackhide__ = hide_own_frames

_HUB_ID: Final = re.compile(r"[\w][\w.-]*(?:/[\w][\w.-]*)?", re.ASCII)
_STARTS_OF_PATHS: Final = (".", "~", "/", "\\")
_Found = TypeVar("_Found")
_ONE_THREAD: Final = threading.Lock()
"""The threads of a run wait for one digest in place of making as many."""
_NO_PART_OF_A_MODEL: Final = frozenset({".md", ".log"})


@dataclass(frozen=True, slots=True)
class Folder:
    """A model in a folder of this machine."""

    name: str
    path: Path

    @property
    def label(self) -> str:
        """What it is called where it is stored: the same on every machine."""
        return self.path.name

    def weights(self) -> str:
        """The sha256 of all files in the folder, read again where one was changed."""
        with _ONE_THREAD:
            return _digest(self.path, tuple(_stamps(self.path)))

    def files(self) -> Path:
        """The folder."""
        return self.path


class Repository:
    """A model of the hub, at a revision or at its main branch.

    What the hub said is kept, a failure too: it is not asked again for every trace.
    """

    def __init__(self, name: str, options: NliOptions) -> None:
        self.name = name
        self._revision = options.revision
        self._lock = threading.Lock()
        self._commit = options.revision if options.has_commit else None
        self._fault: JudgeUnavailable | None = None

    @property
    def label(self) -> str:
        """What it is called where it is stored."""
        return self.name

    def weights(self) -> str:
        """The commit; it is looked up, on this machine first, unless it is given."""
        with self._lock:
            if self._commit is None:
                self._commit = self._asked(lambda hub: hub.find_commit(self.name, self._revision))
            return self._commit

    def files(self) -> Path:
        """The folder that has the files of that commit, downloaded if need be."""
        commit = self.weights()
        with self._lock:
            folder: Path = self._asked(lambda hub: hub.fetch(self.name, self._revision, commit))
        return folder

    def _asked(self, ask: Callable[[ModuleType], _Found]) -> _Found:
        from pytest_trace.judges.nli import hub

        if self._fault is not None:
            raise JudgeUnavailable(*self._fault.args)
        try:
            return ask(hub)
        except JudgeUnavailable as error:
            self._fault = error
            raise


def find_source(model: str, options: NliOptions, root: Path | None = None) -> Folder | Repository:
    """Where `model` is: a folder, from the working directory or else from `root`, or on the hub.

    Raises `UnknownName` for a path where no folder is, and for what can be neither.
    """
    path = Path(os.path.expanduser(model))  # noqa: PTH111 - pathlib's raises without a home
    places = dict.fromkeys(Path(start, path) for start in (Path.cwd(), root) if start is not None)
    for place in places:
        if os.path.isdir(place):  # noqa: PTH112 - pathlib's raises for long names
            if options.revision is not None:
                raise UnknownName(f"revision is for models of the hub, and {model} is a folder")
            return Folder(model, place.resolve())
        if os.path.isfile(place):  # noqa: PTH113
            raise UnknownName(f"{model} is a file; expected the folder that holds a model's files")
    if _is_path(model):
        raise UnknownName(f"there is no folder {' or '.join(map(str, places))}")
    if not _HUB_ID.fullmatch(model):
        raise UnknownName(f"{model!r} is neither a folder nor a model's id on the hub: OWNER/NAME")
    return Repository(model, options)


def _is_path(model: str) -> bool:
    """Whether it can be nothing but a path."""
    is_nested = model.count("/") > 1 or model.endswith("/") or "\\" in model
    return is_nested or model.startswith(_STARTS_OF_PATHS) or Path(model).is_absolute()


def _stamps(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of each file that can change what a model says."""
    try:
        for file in sorted(folder.iterdir()):
            if file.is_file() and not file.name.startswith(".") and _may_matter(file):
                stat = file.stat()
                yield file.name, stat.st_size, stat.st_mtime_ns
    except OSError as error:
        raise _unreadable(folder, error) from None


def _may_matter(file: Path) -> bool:
    return file.suffix not in _NO_PART_OF_A_MODEL


@lru_cache(maxsize=32)
def _digest(folder: Path, stamps: tuple[tuple[str, int, int], ...]) -> str:
    whole = hashlib.sha256()
    for name, _, _ in stamps:
        try:
            with (folder / name).open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise _unreadable(folder, error) from None
        whole.update(f"{name}\0{content}\n".encode("utf-8", "surrogateescape"))
    return f"sha256:{whole.hexdigest()}"


def _unreadable(folder: Path, error: OSError) -> JudgeUnavailable:
    reason = os.strerror(error.errno) if error.errno else str(error)
    return JudgeUnavailable(f"the model in {folder} cannot be read: {reason}")
