"""Whether reading a text for a quantity is worth it: a look at its digits instead of its tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pytest_trace.language.quantity import Quantity
from pytest_trace.language.quantity_tokens import CJK_NUMERALS
from pytest_trace.language.units import MONTHS, NUMBER_WORDS, ORDINAL_WORDS, SCALES, UNIT_SCALES
from pytest_trace.language.words import words

NUMERIC_WORDS: Final = frozenset(NUMBER_WORDS | ORDINAL_WORDS | SCALES | MONTHS).union(CJK_NUMERALS)
"""Words that a number or a date may start with or hold."""

_DIGITS: Final = re.compile(r"\d+")
_DIGITS_MEAN_MORE: Final = re.compile(r"\d[kKmMB/⁄:]")
_GROUP: Final = 3


def may_hold_quantities(text: str, words_of_text: Sequence[str] | None = None) -> bool:
    """Whether there is a digit, or a word for a number or a month."""
    if _DIGITS.search(text):
        return True
    return not NUMERIC_WORDS.isdisjoint(words(text) if words_of_text is None else words_of_text)


def digit_groups(text: str, words_of_text: Sequence[str]) -> frozenset[str] | None:
    """The last digits of each number in `text`; None where digits do not tell all its numbers."""
    is_open = not text.isascii() or _DIGITS_MEAN_MORE.search(text)
    if is_open or not NUMERIC_WORDS.isdisjoint(words_of_text):
        return None
    return frozenset(map(_last_digits, _DIGITS.findall(text)))


def digits_of(quantity: Quantity) -> frozenset[str] | None:
    """Any text that says `quantity` has one of these as a digit group; None if it needs none."""
    values = (quantity.value, *quantity.other_values)
    if quantity.unit == "time":
        return None
    groups: set[str] = set()
    for value in values:
        if not isinstance(value, Decimal):
            return None
        groups.update(_last_digits(str(int(same))) for same in conversions(value, quantity.unit))
    return frozenset(groups)


def conversions(value: Decimal, unit: str | None) -> list[Decimal]:
    """`value` in every unit that measures the same: 7 days are 168 hours and 1 week."""
    if unit not in UNIT_SCALES:
        return [value]
    measured, size = UNIT_SCALES[unit]
    sizes = [other for name, other in UNIT_SCALES.values() if name == measured]
    return [value * size / other for other in sizes]


def _last_digits(digits: str) -> str:
    """What stays of a number however it is grouped: "1,005", "1005" and "05" end in 5."""
    return digits[-_GROUP:].lstrip("0")
