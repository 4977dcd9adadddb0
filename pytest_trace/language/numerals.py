"""From digits and number words to values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pytest_trace.language.quantity_tokens import Token
from pytest_trace.language.units import NUMBER_WORDS, SCALES

_AMBIGUOUS: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_GROUP_SIGNS: Final = str.maketrans("", "", " '\u202f")
_MOST_DIGITS: Final = 100
_CJK_DIGITS: Final = {sign: value for value, sign in enumerate("一二三四五六七八九", 1)} | {
    "两": 2,
    "兩": 2,
}


def read_digits(text: str) -> tuple[Decimal, ...]:
    """What digits mean, the likeliest first: "1,234" is 1234 or 1.234."""
    text = text.translate(_GROUP_SIGNS)[:_MOST_DIGITS]
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return (Decimal(text),)
    if _AMBIGUOUS.fullmatch(text):
        grouped, decimal = Decimal(text[:last] + text[last + 1 :]), Decimal(text.replace(",", "."))
        return (grouped, decimal) if text[last] == "," else (decimal, grouped)
    whole, fraction = text[:last], text[last + 1 :]
    if text[last] in whole:  # the sign comes twice, so it groups
        return (Decimal(re.sub(r"[.,]", "", text)),)
    return (Decimal(f"{re.sub(r'[.,]', '', whole)}.{fraction}"),)


def read_number_words(found: Sequence[Token], start: int) -> tuple[int, int]:
    """The value of the number words from `start` on and the index after them."""
    total = current = 0
    index = start
    while index < len(found):
        word = found[index].folded
        if word in NUMBER_WORDS and _continues(current, NUMBER_WORDS[word]):
            current += NUMBER_WORDS[word]
        elif word == "hundred" and 0 < current < 100:  # noqa: PLR2004 - nine hundred
            current *= 100
        elif SCALES.get(word, 0) > 100 and current:  # noqa: PLR2004 - two thousand
            total, current = total + current * SCALES[word], 0
        elif not (word in ("and", "-") and index > start and _joins(found, index)):
            break
        index += 1
    return total + current, index


def _continues(current: int, value: int) -> bool:
    """Whether "twenty five" or "hundred seven" goes on, while "two three" is two numbers."""
    if not current:
        return True
    size = 10 if current % 100 else 100
    return value < size <= current and current % size == 0


def _joins(found: Sequence[Token], index: int) -> bool:
    before = found[index - 1].folded
    after = found[index + 1].folded if index + 1 < len(found) else ""
    if after not in NUMBER_WORDS:
        return False
    if found[index].folded == "and":
        return before in SCALES
    return NUMBER_WORDS.get(before, 0) >= 20 and NUMBER_WORDS[after] < 10  # noqa: PLR2004 - twenty-five


def read_cjk_numeral(text: str) -> int:
    """The value of up to three Chinese numerals: 三 is 3, 十五 is 15, 二十 is 20."""
    tens, ten, ones = text.rpartition("十")
    value = _CJK_DIGITS.get(ones, 0)
    return 10 * (_CJK_DIGITS.get(tens, 0) if tens else 1) + value if ten else value
