"""Numeric fidelity: do the numbers, dates and amounts of the response stand in the documents?

    numeric fidelity = |numbers of the response that a document says| /
                       |numbers of the response that do not stand in the question alone|

They are compared as values, wherever they stand: whether a right number is said of the right thing
is a judge's question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final, Literal, cast

from pytest_trace.language.quantities import CalendarDate, Quantity, quantities
from pytest_trace.language.quantity_hints import conversions
from pytest_trace.sentences import KeyedTrace

Standing = Literal["document", "question", "nowhere"]
"""Where a number of the response stands; one that a document has is looked for no further."""

_FRACTION: Final = re.compile(
    r"\b(half)\b(?:\s+of\b|\s+the\b)"
    r"|\b(a|one|two|three|four)\s+(third|quarter|fourth|fifth|tenth)s?\s+of\b",
    re.IGNORECASE,
)
_COUNTS: Final = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_PARTS: Final = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_PERCENT: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class ResponseNumber:
    """A number, date or amount of the response sentence `key`, and where it stands.

    `document_key` is the first document sentence that says it, None where none does alone.
    """

    text: str
    key: str
    standing: Standing
    document_key: str | None = None


@dataclass(frozen=True, slots=True)
class NumericFidelity:
    """The numbers of a response, in its order, and the share of them that the documents say."""

    numbers: tuple[ResponseNumber, ...]

    @property
    def value(self) -> float | None:
        """In [0, 1]; None where the response has no number, or only those of the question."""
        claimed = [item for item in self.numbers if item.standing != "question"]
        said = sum(item.standing == "document" for item in claimed)
        return said / len(claimed) if claimed else None

    @property
    def invented(self) -> tuple[ResponseNumber, ...]:
        """The numbers that stand nowhere."""
        return tuple(item for item in self.numbers if item.standing == "nowhere")

    def to_json(self) -> dict[str, Any]:
        """The value and every number as JSON values."""
        return {"value": self.value, "numbers": [asdict(item) for item in self.numbers]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NumericFidelity:
        """The inverse of `to_json`."""
        return cls(tuple(ResponseNumber(**item) for item in data["numbers"]))


def numeric_fidelity(sentences: KeyedTrace) -> NumericFidelity:
    """Where each number of the response stands: in the documents, in the question, or nowhere.

    Number words without a unit ("two ways") are left out: they mostly count what a text lists.
    """
    trace = sentences.trace
    evidence = _Evidence({item.key: item.text for item in sentences.documents})
    turns = enumerate((trace.question, *(turn.text for turn in trace.history)))
    asked = _Evidence({str(number): text for number, text in turns})
    return NumericFidelity(
        tuple(
            _placed(number, sentence.key, evidence, asked)
            for sentence in sentences.response
            for number in _read(sentence.text)
            if not number.is_vague
        )
    )


def _placed(number: Quantity, key: str, evidence: _Evidence, asked: _Evidence) -> ResponseNumber:
    is_held, holder = evidence.look_up(number)
    if is_held:
        return ResponseNumber(number.text, key, "document", holder)
    is_asked, _ = asked.look_up(number)
    return ResponseNumber(number.text, key, "question" if is_asked else "nowhere")


class _Evidence:
    """The numbers of keyed texts, found by what they may be in any unit."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._keys = list(texts)
        self._dates: list[tuple[int, Quantity]] = []
        self._numbers: dict[Decimal, list[tuple[int, Quantity]]] = defaultdict(list)
        for position, text in enumerate(texts.values()):
            for number in _with_percents(_read(text)):
                for value in (number.value, *number.other_values):
                    is_date = isinstance(value, CalendarDate)
                    place = self._dates if is_date else self._numbers[cast("Decimal", value)]
                    place.append((position, number))

    def look_up(self, number: Quantity) -> tuple[bool, str | None]:
        """Whether the texts say it, and the key of the first that does alone."""
        for reading in _with_percents([number]):
            near = self._near(reading)
            if found := [position for position, other in near if reading.agrees_with(other)]:
                return True, self._keys[min(found)]
            if reading.is_among(other for _, other in near):
                return True, None
        return False, None

    def _near(self, number: Quantity) -> list[tuple[int, Quantity]]:
        near = list(self._dates)
        for value in (number.value, *number.other_values):
            if isinstance(value, Decimal):
                same = conversions(value, number.unit)
            else:
                same = [] if value.year is None else [Decimal(value.year)]
            near += (entry for each in same for entry in self._numbers.get(each, ()))
        return near


def _with_percents(numbers: Iterable[Quantity]) -> list[Quantity]:
    """The numbers, and what shares among them are in percent: 50 % is 0.5 and 1/2."""
    numbers = list(numbers)
    return numbers + [share for number in numbers if (share := _as_percent(number))]


def _as_percent(number: Quantity) -> Quantity | None:
    """What a bare number between 0 and 1 is in percent."""
    value = number.value
    if number.unit is not None or not isinstance(value, Decimal) or not 0 < value < 1:
        return None
    return Quantity(value * _PERCENT, "%", number.text)


def _read(text: str) -> Iterator[Quantity]:
    """The numbers of `text`, and the "half of" and "two thirds of" that are none elsewhere."""
    yield from quantities(text)
    for match in _FRACTION.finditer(text):
        half, count, part = match.groups()
        value = Decimal(1) / 2 if half else Decimal(_COUNTS[count.lower()]) / _PARTS[part.lower()]
        yield Quantity(value * _PERCENT, "%", match.group())
