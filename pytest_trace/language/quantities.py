"""Numbers, dates, percentages, money and units as values: what a claim can get wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, NamedTuple

from pytest_trace.language.dates import date_of_digits, read_date_from_day, read_date_from_month
from pytest_trace.language.measures import read_scale, read_unit, token_at
from pytest_trace.language.numerals import read_cjk_numeral, read_digits, read_number_words
from pytest_trace.language.quantity import CalendarDate, Quantity
from pytest_trace.language.quantity_hints import NUMERIC_WORDS, may_hold_quantities
from pytest_trace.language.quantity_tokens import Token, tokens
from pytest_trace.language.stop_words import STOP_WORDS
from pytest_trace.language.units import MONTHS, NUMBER_WORDS, ORDINAL_WORDS, UNIT_NAMES
from pytest_trace.language.word_sets import word_set
from pytest_trace.language.words import plain

__all__ = ["CalendarDate", "Quantity", "quantities"]

_EMPTY_KINDS: Final = frozenset({"skip", "sign"})
_MONEY_SIGNS: Final = word_set("$ us$ € £ ¥ ₹ usd eur gbp inr rs chf jpy cny")
_SUFFIXES: Final = dict.fromkeys(("st", "nd", "rd", "th"), "ordinal") | {"s": "decade"}
_FRACTIONS: Final = {
    ("1", "2"): Decimal("0.5"),
    ("1", "3"): Decimal(1) / 3,
    ("2", "3"): Decimal(2) / 3,
    ("1", "4"): Decimal("0.25"),
    ("3", "4"): Decimal("0.75"),
}
_HOUR: Final = re.compile(r"\d{1,2}")
_SLASHES: Final = frozenset({"/", "\u2044"})
_CLOCK_WORD: Final = re.compile(r"\s?(?:([ap])(?:m\b|\.m\.)|uhr\b|o'clock\b)", re.IGNORECASE)
_RANGE: Final = re.compile(
    r"\s*(?:[-–—~～至到]|to|or|and|bis|und|oder|à|ou|et|a|y|o|e|tot|en|से|から)\s*", re.IGNORECASE
)
_NOON: Final = 720
_FIRST_YEAR: Final = 1000
_LIST_NUMBERS: Final = frozenset(map(str, range(1, 21)))


class _Found(NamedTuple):
    quantity: Quantity
    start: int
    end: int


def quantities(text: str) -> list[Quantity]:
    """The quantities of `text` in order.

    List markers ("1."), citations ("[2]"), labels ("Step 3"), versions and the digits of codes
    ("X-200") are none, nor is "one" without a unit.
    """
    text = plain(text)
    if not may_hold_quantities(text):
        return []
    found: list[_Found] = []
    pieces = tokens(text)
    index = 0
    while index < len(pieces):
        token = pieces[index]
        if token.kind in _EMPTY_KINDS or (
            token.kind == "word" and token.folded not in NUMERIC_WORDS
        ):
            index += 1
            continue
        after, quantity = _read(text, pieces, index)
        if quantity is None:
            index += 1
            continue
        start, end = _extent(pieces, index, after)
        spelled = Quantity(quantity.value, quantity.unit, text[start:end], quantity.other_values)
        found.append(_Found(spelled, start, end))
        index = after
    return _with_shared_units(text, found)


def _read(text: str, pieces: Sequence[Token], index: int) -> tuple[int, Quantity | None]:
    """The index after the quantity that starts at `index`, and the quantity if there is one."""
    token = pieces[index]
    match token.kind:
        case "number":
            return _read_number(text, pieces, index)
        case "word":
            return _read_word(pieces, index)
        case "numeral":
            return _read_numeral(pieces, index)
        case "clock":
            return _read_clock(text, pieces, index)
        case "day":
            return index + 1, date_of_digits(token.text)
        case _:
            return index, None


def _read_number(text: str, pieces: Sequence[Token], index: int) -> tuple[int, Quantity | None]:
    number = pieces[index].text
    after, quantity = read_date_from_day(pieces, index)
    if quantity:
        return after, quantity
    if _HOUR.fullmatch(number) and _CLOCK_WORD.match(text, pieces[index].end):
        return _read_clock(text, pieces, index)
    if after_fraction := _fraction_end(pieces, index):
        value = _FRACTIONS[number, pieces[index + 2].text]
        return _with_unit(pieces, index, after_fraction, (value,))
    suffix = token_at(pieces, index + 1)
    if suffix.folded in _SUFFIXES and suffix.start == pieces[index].end:
        return index + 2, Quantity(read_digits(number)[0], _SUFFIXES[suffix.folded])
    if _is_marker(pieces, index):
        return index, None
    return _with_unit(pieces, index, index + 1, read_digits(number))


def _is_marker(pieces: Sequence[Token], index: int) -> bool:
    """Whether this is the "2." of a list in running text: "Select General 2. Press OK"."""
    before, stop, after = (token_at(pieces, index + offset) for offset in (-1, 1, 2))
    return (
        pieces[index].text in _LIST_NUMBERS
        and stop.text == "."
        and (not after.text or after.text[0].isupper())
        and before.kind == "word"
        and before.folded not in STOP_WORDS
    )


def _fraction_end(pieces: Sequence[Token], index: int) -> int:
    """The index after the fraction at `index`; 0 where there is none."""
    if token_at(pieces, index + 1).text not in _SLASHES:
        return 0
    numerator, denominator = pieces[index], token_at(pieces, index + 2)
    is_adjacent = denominator.start == numerator.end + 1
    is_known = (numerator.text, denominator.text) in _FRACTIONS
    return index + 3 if is_adjacent and is_known else 0


def _with_unit(
    pieces: Sequence[Token], index: int, after: int, values: tuple[Decimal, ...]
) -> tuple[int, Quantity]:
    before = token_at(pieces, index - 1).folded
    money = UNIT_NAMES[before] if before in _MONEY_SIGNS else None
    scale, after = read_scale(pieces, after, is_money=money is not None)
    unit, after_unit = read_unit(pieces, after)
    if money is None or unit == money:
        money, after = unit, after_unit
    if money == "year" and "年" in pieces[after - 1].text and values[0] >= _FIRST_YEAR:
        money = None  # 2024年 is the year 2024, not a span of years
    first, *others = (value * scale if scale > 1 else value for value in values)
    return after, Quantity(first, money, "", tuple(others))


def _read_word(pieces: Sequence[Token], index: int) -> tuple[int, Quantity | None]:
    token = pieces[index]
    if token.folded in MONTHS:
        after, quantity = read_date_from_month(pieces, index)
        if quantity:
            return after, quantity
    if token.folded in NUMBER_WORDS:
        value, after = read_number_words(pieces, index)
        after, quantity = _with_unit(pieces, index, after, (Decimal(value),))
        return after, quantity if value != 1 or quantity.unit else None
    if token.folded in ORDINAL_WORDS:
        return index + 1, Quantity(Decimal(ORDINAL_WORDS[token.folded]), "ordinal")
    return index, None


def _read_numeral(pieces: Sequence[Token], index: int) -> tuple[int, Quantity | None]:
    """三天 is three days; without a unit a Chinese numeral is mostly part of a word."""
    unit, after = read_unit(pieces, index + 1)
    is_adjacent = unit and pieces[index].end == pieces[index + 1].start
    value = Decimal(read_cjk_numeral(pieces[index].text))
    return after, Quantity(value, unit) if is_adjacent else None


def _read_clock(text: str, pieces: Sequence[Token], index: int) -> tuple[int, Quantity | None]:
    """A time as minutes since midnight; "5:00" without am or pm may be 17:00."""
    token = pieces[index]
    hours, minutes = (*map(int, token.text.split(":")), 0)[:2]
    if hours > 24:  # noqa: PLR2004 - hours of a day
        return index, None
    time, after = 60 * hours + minutes, index + 1
    word = _CLOCK_WORD.match(text, token.end)
    while word and after < len(pieces) and pieces[after].start < word.end():
        after += 1
    half = word and word.group(1)
    if half:
        time = time % _NOON + (_NOON if half in "pP" else 0)
    is_open = not half and hours <= 12  # noqa: PLR2004 - hours of a half day
    others = ((Decimal((time + _NOON) % (2 * _NOON))),) if is_open else ()
    return after, Quantity(Decimal(time), "time", "", others)


def _extent(pieces: Sequence[Token], index: int, after: int) -> tuple[int, int]:
    before = token_at(pieces, index - 1)
    is_money = before.folded in _MONEY_SIGNS and pieces[index].kind == "number"
    return pieces[index - is_money].start, pieces[after - 1].end


def _with_shared_units(text: str, found: Sequence[_Found]) -> list[Quantity]:
    """In "5 to 7 days" and "10-20 %" the first number has the unit of the second."""
    result = [item.quantity for item in found]
    for number in range(len(found) - 2, -1, -1):
        first, second = result[number], result[number + 1]
        is_number = isinstance(first.value, Decimal) and isinstance(second.value, Decimal)
        if first.unit is None and second.unit not in (None, "ordinal") and is_number:
            between = text[found[number].end : found[number + 1].start]
            if _RANGE.fullmatch(between):
                result[number] = replace(first, unit=second.unit)
    return result
