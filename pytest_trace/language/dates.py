"""Dates, from digits and from names of months in several languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_trace.language.measures import token_at
from pytest_trace.language.quantity import CalendarDate, Quantity
from pytest_trace.language.quantity_tokens import Token
from pytest_trace.language.units import CAPITALISED_MONTHS, MONTHS
from pytest_trace.language.word_sets import word_set

_SUFFIXES: Final = word_set("st nd rd th er º ª .")
_OF: Final = word_set("of de del di , .")
_BEFORE_MONTH: Final = word_set(
    "in im en since until till by of from early late mid next last every to through and between "
    "during before after du de seit bis ab"
)
_DIGITS: Final = re.compile(r"\d+")
_CENTURY: Final = 2000
_MONTHS: Final = range(1, 13)
_DAYS: Final = range(1, 32)
_YEARS: Final = range(1000, 3000)


def date_of_digits(text: str) -> Quantity | None:
    """The date of "2024-05-03", "3.5.2024", "05/03/2024" or "2024年5月3日"; None for 99/99/99."""
    numbers = [int(digits) for digits in _DIGITS.findall(text)]
    if any(sign in text for sign in "月월"):
        full = [None, *numbers] if numbers[0] in _MONTHS else [*numbers, None]
        return _quantity(text, [full[:3]])
    if numbers[0] in _YEARS:
        return _quantity(text, [numbers])
    first, second, year = numbers
    year += _CENTURY if year < _YEARS.start else 0
    day_first, month_first = [year, second, first], [year, first, second]
    return _quantity(text, [month_first, day_first] if "/" in text else [day_first, month_first])


def _quantity(text: str, readings: Sequence[Sequence[int | None]]) -> Quantity | None:
    dates = [
        CalendarDate(year, month, day)
        for year, month, day in readings
        if month in _MONTHS and (day is None or day in _DAYS)
    ]
    if not dates:
        return None
    is_ambiguous = "/" in text and len(dates) > 1  # 3.5.2024 is a day in May wherever it is written
    return Quantity(dates[0], None, text, (dates[1],) if is_ambiguous else ())


def read_date_from_day(pieces: Sequence[Token], index: int) -> tuple[int, Quantity | None]:
    """The date of "3 May 2024", "3. Mai", "3rd of May" from its day on, and the index after."""
    day = _number_in(token_at(pieces, index), _DAYS)
    after = index + 1
    if day is None:
        return index, None
    after += token_at(pieces, after).folded in _SUFFIXES
    after += token_at(pieces, after).folded in _OF
    month = MONTHS.get(token_at(pieces, after).folded)
    if month is None:
        return index, None
    year, after = _read_year(pieces, after + 1)
    return after, Quantity(CalendarDate(year, month, day))


def read_date_from_month(pieces: Sequence[Token], index: int) -> tuple[int, Quantity | None]:
    """The date of "May 3, 2024", "May 2024" or "in May" from its month on, and the index after."""
    token = pieces[index]
    month = MONTHS[token.folded]
    after = index + 1
    after += token_at(pieces, after).folded == "."
    day = _number_in(token_at(pieces, after), _DAYS)
    if day is not None and token.text[0].isupper():
        after += 1
        after += token_at(pieces, after).folded in _SUFFIXES - {"."}
        year, after = _read_year(pieces, after)
        return after, Quantity(CalendarDate(year, month, day))
    year, after = _read_year(pieces, index + 1)
    if year is not None or _stands_alone(pieces, index):
        return after, Quantity(CalendarDate(year, month, None))
    return index, None


def _read_year(pieces: Sequence[Token], index: int) -> tuple[int | None, int]:
    """The year at `index`, over a comma or "de", and the index after it."""
    for after in range(index, index + 3):
        year = _number_in(token_at(pieces, after), _YEARS)
        if year is not None:
            return year, after + 1
        if token_at(pieces, after).folded not in _OF:
            break
    return None, index


def _stands_alone(pieces: Sequence[Token], index: int) -> bool:
    """Whether this is "in May" rather than "you may" or a person called June."""
    token = pieces[index]
    is_month = token.text[0].isupper() and token.folded in CAPITALISED_MONTHS
    return is_month and token_at(pieces, index - 1).folded in _BEFORE_MONTH


def _number_in(token: Token, allowed: range) -> int | None:
    if token.kind != "number" or not token.text.isdecimal():
        return None
    value = int(token.text[:5])
    return value if value in allowed else None
