"""Text of others on one line of ours: of bounded width, and with nothing invisible in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from wcwidth import wcswidth

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_LAST_BYTE, _LAST_OF_PLANE_0 = 0xFF, 0xFFFF
_MOST_PER_COLUMN = 4  # characters: marks may be stacked without end
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
    if code <= _LAST_BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _LAST_OF_PLANE_0 else f"\\U{code:08x}"


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
        return gap[: max(columns, 0)]
    tail = gap + _end(text, room // 2)
    return _beginning(text, columns - width(tail)) + tail


def _beginning(text: str, columns: int) -> str:
    """The longest one that fits; measured whole, since a cluster is wider than its characters."""
    count = 0
    while count < columns * _MOST_PER_COLUMN and width(text[: count + 1]) <= columns:
        count += 1
    return text[:count]


def _end(text: str, columns: int) -> str:
    count = 0
    while count < columns * _MOST_PER_COLUMN and width(text[len(text) - count - 1 :]) <= columns:
        count += 1
    return text[len(text) - count :]


def quote(text: str, columns: int) -> str:
    """`text` in double quotes on one line, in at most `columns`."""
    return f'"{shorten(visible(" ".join(text.split())), columns - 2)}"'


def fold(text: str, columns: int, *, indent: str = "") -> Iterator[str]:
    """`text` in lines of at most `columns`, broken between words; a longer word is shortened.

    `indent` stands in front of each line but the first.
    """
    line = ""
    for word in (shorten(word, columns - len(indent)) for word in visible(text).split()):
        candidate = f"{line} {word}" if line.strip() else line + word
        if width(candidate) > columns:
            yield line
            line = indent + word
        else:
            line = candidate
    yield line
