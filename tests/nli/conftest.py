"""Tests of the judge `nli` with real models of transformers (`make test-nli`).

They have an environment of their own: torch is larger than everything else together. The models
are made here; nothing is downloaded but from a server that a test starts.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_model import save_model

from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Trace

DOCUMENTS = ("The bike is red. The lamp is green.", "The house is black.")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that is made once, and must not be changed."""
    return save_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def tiny(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return shutil.copytree(made, tmp_path / "tiny")


@pytest.fixture
def keyed() -> Callable[..., KeyedTrace]:
    """A trace about things and their colours."""

    def keyed(response: str, *documents: str) -> KeyedTrace:
        trace = Trace("What colour is the bike?", documents or DOCUMENTS, response)
        return KeyedTrace.from_trace(trace, make_sentencizer())

    return keyed
