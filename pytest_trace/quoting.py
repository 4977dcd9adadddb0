"""Text of others on one line of ours: of bounded width, and with nothing invisible in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from wcwidth import wcswidth, wcwidth

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # part of words in Persian and the Indic scripts


def visible(text: str) -> str:
    """`text` with control, format and surrogate characters written as escapes."""
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in _JOINERS or unicodedata.category(character) not in _INVISIBLE:
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def width(text: str) -> int:
    """The terminal columns that `text` takes; a wide character takes two."""
    columns = wcswidth(text)
    return columns if columns >= 0 else len(text)


def shorten(text: str, columns: int, *, gap: str = "...") -> str:
    """`text` in at most `columns`, shortened in the middle: beginnings and ends tell most."""
    if width(text) <= columns:
        return text
    room = columns - len(gap)
    if room < 2:  # noqa: PLR2004 - a character on each side
        return gap[:columns]
    tail = _take(reversed(text), room // 2)[::-1]
    return _take(text, room - width(tail)) + gap + tail


def _take(characters: Iterable[str], columns: int) -> str:
    taken: list[str] = []
    for character in characters:
        columns -= max(wcwidth(character), 0)
        if columns < 0:
            break
        taken.append(character)
    return "".join(taken)


def quote(text: str, columns: int) -> str:
    """`text` in double quotes on one line, in at most `columns`."""
    return f'"{shorten(visible(" ".join(text.split())), columns - 2)}"'
