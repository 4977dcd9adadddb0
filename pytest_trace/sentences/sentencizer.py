"""What splits a text into sentences: the port, and what crosses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence within its text: `text[start:end]`, in characters.

    `context` is what the sentence needs to be read alone: a list item's lead-in, a row's header.
    """

    text: str
    start: int
    end: int
    context: str | None = None


class Sentencizer(Protocol):
    """Splits a text; `version` changes whenever the same text would be split differently."""

    @property
    def version(self) -> str:
        """Name and version, as it goes into the key of a stored verdict."""
        ...

    def split(self, text: str) -> Sequence[Span] | Sequence[str]:
        """The sentences in order, none overlapping; plain strings are looked up in the text."""
        ...
