"""From a name to a sentencizer."""

from __future__ import annotations

from pytest_trace.errors import UnknownName
from pytest_trace.sentences.sentencizer import Sentencizer


def make_sentencizer(name: str = "default") -> Sentencizer:
    """The sentencizer called `name`; raises `UnknownName` listing the known ones."""
    if name == "default":
        from pytest_trace.sentences.splitter import SentencexSentencizer

        return SentencexSentencizer()
    raise UnknownName(f"unknown sentencizer {name!r}; known: default")
