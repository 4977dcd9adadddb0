"""Cuts a text into the tokens that numbers, dates and units are read from."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_trace.language.units import MONTHS

_LABELS: Final = (
    "passage|document|doc|source|context|excerpt|article|reference|ref|step|option|type|figure|fig|"
    "table|dokument|quelle|schritt|abbildung|étape|fuente|paso|passo|stap"
)
_NO_CODES: Final = (
    "mid|pre|post|top|sub|early|late|under|over|age|ages|aged|plus|about|approx|since|to|around"
)
_MONTH: Final = "|".join(sorted(MONTHS))
CJK_NUMERALS: Final = "一二两兩三四五六七八九十"
_LETTER: Final = rf"[^\W\d_{CJK_NUMERALS}]"
_MARK: Final = r"[\u0300-\u036f\u0900-\u0903\u093a-\u094f]"
_LETTERS: Final = rf"{_LETTER}+(?:{_MARK}+{_LETTER}*)*"
_KINDS: Final = {"plain": "word"}
_TOKEN: Final = re.compile(
    rf"""
    (?P<plain>                                                      # most words, fast
        {_LETTERS}(?!{_LETTER}|{_MARK}|\d|_|-\d|\.?\ ?\#?\d|://|[.-]?\w*@)
    )\ ?
  |
    (?P<skip>
        https?://\S+ | [\w.+-]{{1,64}}@[\w.-]{{1,255}}
      | \[\d+(?:(?:\s*[,;–-]\s*|\ and\ )\d+)*\] | 【[^】]*】           # citations
      | \[\^[^\]\s]{{1,64}}\]                                          # footnotes
      | \(\d{{1,2}}\)                                                 # enumerators
      | ^[ \t]*(?:[-*•>\#]+\s*)?\(?\d{{1,3}}[.)](?=\s|$|\*)           # list markers
        (?!\s(?i:{_MONTH})\b(?!(?<=[Mm]ay)\ [a-z]))                   # but "3. Mai", not "4. May I"
      | (?<=:\s)1[.)](?=\s|$) | (?<=[.!?;,)"”]\s)\d{{1,2}}[.)](?=\s|$)   # markers in running text
      | (?<!\w)(?i:{_LABELS})s?\.?\ ?\#?\d+(?:(?:,\s*|,?\ and\ |\s*&\s*)\d+)*(?!\d)
      | (?<![A-Za-z])(?!(?i:{_NO_CODES})-)[A-Za-z]{{2,}}[-_]\d[\w-]*      # COVID-19, omega-3
      | (?<![A-Za-z])[A-Z][-_]\d[\w-]*                                # X-200
      | (?<![A-Za-z])(?!(?:EUR|USD|GBP|INR|CHF|JPY|CNY|Rs)\d)[A-Za-z]+\d[\w-]*(?:\.\d+)*  # A4, v2.1
      | (?<![A-Za-z])[A-Za-z]+-\d+-[A-Za-z][\w-]*                         # indole-3-carbinol
      | (?!\d{{1,3}}(?:\.\d{{3}})+(?!\.?\d))\d+(?:\.\d+){{3,}}           # addresses
      | \d+\.\d+\.\d(?!\d|\.\d)                                       # versions
    )
  | (?P<day>
        \d{{4}}-\d{{1,2}}-\d{{1,2}}(?!\d)
      | \d{{1,2}}(?P<separator>[./-])\d{{1,2}}(?P=separator)(?:\d{{4}}|\d{{2}})(?!\d)
      | \d{{4}}\s?[年년]\s?\d{{1,2}}\s?[月월](?:\s?\d{{1,2}}\s?[日일号號])?
      | \d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日일号號]
    )
  | (?P<clock>\d{{1,2}}:[0-5]\d(?::[0-5]\d)?(?!\d))
  | (?P<number>
        \d{{1,3}}(?:['\u202f]\d{{3}})+(?:[.,]\d+)?(?!\d)
      | \d{{1,3}}(?:\ \d{{3}})+,\d+(?!\d) | \d{{1,3}}(?:\ \d{{3}}){{2,}}(?!\d)
      | \d{{1,3}}\ \d00(?![\d.,]\d|\d)                                # 10 000, not "iPhone 15 128"
      | \d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?:\.\d+)?(?!\d)                # 1,23,456
      | \d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?!\d)
      | \d{{1,3}}(?:\.\d{{3}})+(?:,\d+)?(?!\d)
      | \d+(?:[.,]\d+)?
    )
  | (?P<word>{_LETTERS})
  | (?P<numeral>[{CJK_NUMERALS}]{{1,3}})
  | (?P<sign>US\$|°(?:\ ?[CFcf](?![a-z]))?|[^\w\s])
    """,
    re.VERBOSE | re.MULTILINE,
)


class Token(NamedTuple):
    """A piece of the text; `folded` is what names are looked up by.

    `kind` is skip, day, clock, number, word, numeral or sign.
    """

    kind: str
    text: str
    folded: str
    start: int
    end: int


NO_TOKEN: Final = Token("sign", "", "", -1, -1)


def tokens(text: str) -> list[Token]:
    """The tokens of `text` in order; whitespace is left out."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        part = match.group(kind)
        start = match.start()
        token = Token(_KINDS.get(kind, kind), part, part.casefold(), start, start + len(part))
        found.append(token)
    return found
