"""Models of the hub: the only module that imports its client, and never before one is needed.

What is on this machine is taken as it is, so that a run gives the same again tomorrow; the hub is
asked for what is not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_trace.errors import JudgeUnavailable, hide_own_frames
from pytest_trace.judges.nli.libraries import first_line, imported_quietly

__tracebackhide__ = hide_own_frames

_FILES: Final = ("*.json", "*.txt", "*.model")
_WEIGHTS: Final = ("model*.safetensors", "pytorch_model*.bin")
"""In the order in which they are looked for; of both only the first is downloaded."""

_Found = TypeVar("_Found")


def find_commit(repository: str, revision: str | None) -> str:
    """The commit of a revision, or of the main branch; raises `JudgeUnavailable` with the reason.

    If its files are on this machine nobody else is asked, and a newer commit is not looked for.
    """

    def find(hub: Any) -> str:
        folder = _cached(hub, repository, revision)
        return folder.name if folder else str(_info(hub, repository, revision).sha)

    return _asked(repository, revision, find)


def fetch(repository: str, revision: str | None, commit: str) -> Path:
    """The folder with the files of a commit, downloaded if it is not on this machine.

    It is downloaded as what `revision` stands for, so that it is known by that name the next time.
    """

    def get(hub: Any) -> Path:
        if (folder := _cached(hub, repository, commit)) is not None:
            return folder
        folder = _downloaded(hub, repository, revision)
        if folder.name == commit:
            return folder
        return _downloaded(hub, repository, commit)  # the branch has moved in the meantime

    return _asked(repository, commit, get)


def _cached(hub: Any, repository: str, revision: str | None) -> Path | None:
    for weights in _WEIGHTS:
        with suppress(OSError):  # what the client raises for files that are not there
            folder = _snapshot(hub, repository, revision, weights, local_files_only=True)
            if any(folder.glob(weights)):
                return folder
    return None


def _snapshot(
    hub: Any, repository: str, revision: str | None, weights: str, *, local_files_only: bool = False
) -> Path:
    folder: str = hub.snapshot_download(
        repository,
        revision=revision,
        allow_patterns=[*_FILES, weights],
        ignore_patterns="*/*",
        local_files_only=local_files_only,
    )
    return Path(folder)


def _info(hub: Any, repository: str, revision: str | None) -> Any:
    return hub.HfApi().model_info(repository, revision=revision)


def _downloaded(hub: Any, repository: str, revision: str | None) -> Path:
    files = [Path(file.rfilename) for file in _info(hub, repository, revision).siblings]
    kinds = [kind for kind in _WEIGHTS if any(file.match(kind) for file in files)]
    return _snapshot(hub, repository, revision, kinds[0] if kinds else _WEIGHTS[0])


def _asked(repository: str, revision: str | None, ask: Callable[[Any], _Found]) -> _Found:
    with _quiet() as hub:
        try:
            return ask(hub)
        except Exception as error:  # noqa: BLE001 - its own, those of its transport, and the disk's
            reason = _reason(hub.errors, error, revision)
            raise JudgeUnavailable(
                f"the model {repository} is no folder here, and {reason}"
            ) from None


def _reason(errors: Any, error: Exception, revision: str | None) -> str:
    if isinstance(error, errors.GatedRepoError):
        return "the hub has it behind terms: accept them there, and set HF_TOKEN"
    if isinstance(error, errors.RevisionNotFoundError):
        return f"the hub has no revision {revision} of it"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "the hub has none of that name, or it is private: set HF_TOKEN"
    if isinstance(error, errors.OfflineModeIsEnabled):
        return "it is not in the hub's cache, and HF_HUB_OFFLINE forbids to download it"
    return f"it cannot be had from the hub: {first_line(error)}"


@contextmanager
def _quiet() -> Iterator[Any]:
    """The client, saying nothing: neither progress nor warnings belong on a test run's screen."""
    with imported_quietly():
        import huggingface_hub
        from huggingface_hub import errors, logging, utils  # noqa: F401 - errors is looked up in it
    with_bars, verbosity = not utils.are_progress_bars_disabled(), logging.get_verbosity()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        utils.disable_progress_bars()
        logging.set_verbosity_error()
        try:
            yield huggingface_hub
        finally:
            logging.set_verbosity(verbosity)
            if with_bars:
                utils.enable_progress_bars()
