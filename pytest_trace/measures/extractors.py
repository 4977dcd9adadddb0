"""What finds entities in a sentence: the port, and the extractor that needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_trace.errors import hide_own_frames
from pytest_trace.language.names import names
from pytest_trace.language.quantities import CalendarDate, Quantity, quantities
from pytest_trace.language.words import words

__tracebackhide__ = hide_own_frames

Kind = Literal["name", "number", "date", "amount"]
_TIMES = frozenset({"time", "decade"})


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a sentence names; `quantity` is its value where it is a number or a date.

    `kind` is one of `Kind`, or the label that a model gave.
    """

    text: str
    kind: str
    quantity: Quantity | None = None


class EntityExtractor(Protocol):
    """Finds entities; `version` changes whenever it could find others in the same text."""

    @property
    def version(self) -> str:
        """Name and version, as a report shows it."""
        ...

    def extract(self, text: str) -> Sequence[Entity]:
        """The entities of a sentence, in order."""
        ...


@dataclass(frozen=True, slots=True)
class DefaultExtractor:
    """Names by their capitals; numbers, dates and amounts as values. The same on every machine.

    A word that only begins a sentence is no name, nor is a part of a word, and "two" in "two ways"
    is no number.
    """

    version: str = "default/1"

    def extract(self, text: str) -> list[Entity]:
        """Names first, then numbers, dates and amounts, each in the order of the text."""
        run = as_run(text)
        found = [Entity(name, "name") for name in names(text) if as_run(name) in run]
        exact = [item for item in quantities(text) if not item.is_vague]
        return found + [Entity(item.text, _kind(item), item) for item in exact]


def _kind(quantity: Quantity) -> Kind:
    if isinstance(quantity.value, CalendarDate) or quantity.unit in _TIMES:
        return "date"
    return "number" if quantity.unit in (None, "ordinal") else "amount"


def as_run(text: str) -> str:
    """The words of a text between spaces, so that one run of words can be looked for in another."""
    return f" {' '.join(words(text))} "
