"""Each model is loaded once for a process, however many judges, threads and tests use it."""

from __future__ import annotations

import threading
from typing import Final

from pytest_trace.errors import hide_own_frames
from pytest_trace.judges.nli.classifier import Classifier
from pytest_trace.judges.nli.source import Folder, Repository

__tracebackhide__ = hide_own_frames

_LOCK: Final = threading.Lock()
_LOADED: Final[dict[tuple[str, str], tuple[str, Classifier]]] = {}


def load(source: Folder | Repository, device: str) -> Classifier:
    """The model of `source`, loaded anew only where its weights have changed.

    Raises `JudgeUnavailable` where it cannot be loaded; then it is tried again next time.
    """
    with _LOCK:
        weights, place = source.weights(), (source.name, device)
        known = _LOADED.get(place)
        if known is not None and known[0] == weights:
            return known[1]
        from pytest_trace.judges.nli.model import load_classifier

        classifier = load_classifier(source.name, source.files(), device)
        _LOADED[place] = (weights, classifier)
        return classifier
