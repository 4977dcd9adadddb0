"""Words of any script, which scripts a text is written in, and words that carry no content."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from pytest_trace.language.stop_words import NEGATIONS, STOP_WORDS
from pytest_trace.language.word_sets import word_set

# Python's \w leaves out combining marks, which would cut every Devanagari word at its vowels.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0859-\u085b\u08d3-\u0903"
    "\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2\u09e3"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3"
    "\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c56"
    "\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6\u0ce2\u0ce3\u0d00-\u0d03\u0d3b-\u0d57\u0d62\u0d63"
    "\u0d81-\u0d83\u0dca-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86-\u0fbc\u102b-\u103e\u1056-\u109d"
    "\u135d-\u135f\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u302a-\u302f\u3099\u309a"
    "\ufe20-\ufe2f"
)
# Scripts that put no spaces between words; Korean does, but its particles stick to the nouns.
_UNSPACED: Final = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ec0-\u0ec6\u0edc-\u0edf"
    "\u0f00-\u0f17\u0f40-\u0f6c\u1000-\u102a\u1780-\u17b3\u3005-\u3007\u3041-\u3096\u30a1-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
_ASCII_WORD: Final = re.compile(r"[a-z][a-z0-9]*(?:'[a-z]+)*|[0-9]+(?:[.,][0-9]+)*")
_DOTTED: Final = re.compile(r"(?<![^\W_])(?:[a-z]\.){2,}")
_MAY_BE_DOTTED: Final = re.compile(r"\.[a-z]\.")  # re looks for a literal fast
_LETTER: Final = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])"
_ANY_WORD: Final = re.compile(
    rf"[{_UNSPACED}][{_MARKS}]*|\d+(?:[.,]\d+)*|{_LETTER}+(?:'{_LETTER}+)*"
)
_UNSPACED_WORD: Final = re.compile(rf"[{_UNSPACED}]")
_UNSPACED_CHARACTER: Final = re.compile(rf"[{_UNSPACED}][{_MARKS}]*")
_ASCII_RUN: Final = re.compile(r"[a-z0-9]+")
_ANY_RUN: Final = re.compile(rf"[{_UNSPACED}][{_MARKS}]*|{_LETTER}+")
_ELISIONS: Final = word_set(
    "c d j l m n s t qu jusqu lorsqu puisqu quoiqu all dall dell nell sull quell quest"
)
_PLAIN: Final = (
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u02bc": "'",
        "\u00ad": "",
        "\u200b": "",
        "\u2060": "",
        "\ufeff": "",
        "™": " ",
        "®": " ",
        "©": " ",
        "½": " 1/2",
        "¼": " 1/4",
        "¾": " 3/4",
    }
    | dict.fromkeys("⁰¹²³⁴⁵⁶⁷⁸⁹", " ")  # footnotes and km²: NFKC would make "102" of "10²"
)
_NOT_PLAIN: Final = re.compile(f"[{''.join(_PLAIN)}]")
_TYPOGRAPHY: Final = re.compile("[–—“”„«»…•·€£→]+")
_SCRIPTS: Final = (
    (0x41, 0x5A, "Latin"),
    (0x61, 0x7A, "Latin"),
    (0xAA, 0x24F, "Latin"),
    (0x250, 0x2AF, "Latin"),
    (0x370, 0x3FF, "Greek"),
    (0x400, 0x52F, "Cyrillic"),
    (0x531, 0x58F, "Armenian"),
    (0x591, 0x5F4, "Hebrew"),
    (0x600, 0x77F, "Arabic"),
    (0x8A0, 0x8FF, "Arabic"),
    (0x900, 0x97F, "Devanagari"),
    (0x980, 0x9FF, "Bengali"),
    (0xA00, 0xA7F, "Gurmukhi"),
    (0xA80, 0xAFF, "Gujarati"),
    (0xB00, 0xB7F, "Odia"),
    (0xB80, 0xBFF, "Tamil"),
    (0xC00, 0xC7F, "Telugu"),
    (0xC80, 0xCFF, "Kannada"),
    (0xD00, 0xD7F, "Malayalam"),
    (0xD80, 0xDFF, "Sinhala"),
    (0xE00, 0xE7F, "Thai"),
    (0xE80, 0xEFF, "Lao"),
    (0xF00, 0xFFF, "Tibetan"),
    (0x1000, 0x109F, "Myanmar"),
    (0x10A0, 0x10FF, "Georgian"),
    (0x1100, 0x11FF, "Hangul"),
    (0x1200, 0x139F, "Ethiopic"),
    (0x1780, 0x17FF, "Khmer"),
    (0x1E00, 0x1EFF, "Latin"),
    (0x1F00, 0x1FFF, "Greek"),
    (0x3005, 0x3007, "Han"),
    (0x3041, 0x30FF, "Kana"),
    (0x3130, 0x318F, "Hangul"),
    (0x3400, 0x9FFF, "Han"),
    (0xAC00, 0xD7A3, "Hangul"),
    (0xF900, 0xFAFF, "Han"),
    (0xFB50, 0xFDFF, "Arabic"),
    (0xFE70, 0xFEFC, "Arabic"),
    (0x20000, 0x3134F, "Han"),
)
_SCRIPT_STARTS: Final = tuple(start for start, _, _ in _SCRIPTS)


def plain(text: str) -> str:
    """`text` in one spelling: NFKC, straight apostrophes, no invisible or trade-mark signs."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _NOT_PLAIN.sub(_plain_sign, text))


def _plain_sign(match: re.Match[str]) -> str:
    return _PLAIN[match.group()]


def words(text: str) -> list[str]:
    """The words of `text` in order, casefolded.

    Marks stay with their letters, a number is one word, a possessive loses its `'s` and an
    elided article is a word of its own. Scripts without spaces give one word per character.
    """
    folded = plain(text).casefold()
    if not folded.isascii():
        folded = _TYPOGRAPHY.sub(
            " ", folded
        )  # most texts are plain ASCII but for dashes and quotes
    if _MAY_BE_DOTTED.search(folded):
        folded = _DOTTED.sub(_without_dots, folded)  # "U.S." is a word
    found = (_ASCII_WORD if folded.isascii() else _ANY_WORD).findall(folded)
    if "'" not in folded:
        return found
    result: list[str] = []
    for word in found:
        result += _without_apostrophes(word) if "'" in word else (word,)
    return result


def runs(text: str) -> list[str]:
    """The runs of letters and digits of `text` in order, in lower case.

    Marks stay with their letters. Scripts without spaces give one run per character.
    """
    lower = text.lower()
    return (_ASCII_RUN if lower.isascii() else _ANY_RUN).findall(lower)


def spaced(text: str) -> str:
    """`text` with a space around each character of a script without spaces."""
    return _UNSPACED_CHARACTER.sub(r" \g<0> ", text) if has_unspaced(text) else text


def _without_dots(match: re.Match[str]) -> str:
    return match.group().replace(".", "") + " "


def _without_apostrophes(word: str) -> list[str]:
    head, _, tail = word.partition("'")
    if tail == "s":
        return [head]
    if head in _ELISIONS and len(tail) > 1:
        return [head, *_without_apostrophes(tail)] if "'" in tail else [head, tail]
    return [word]


def is_unspaced(word: str) -> bool:
    """Whether `word` is one character of a script without spaces, or of Korean."""
    return word[0] > "\u0e00" and bool(_UNSPACED_WORD.match(word))


def has_unspaced(text: str) -> bool:
    """Whether a character of `text` is a word of its own."""
    return not text.isascii() and bool(_UNSPACED_WORD.search(text))


def content_words(tokens: Iterable[str]) -> list[str]:
    """Those of `tokens` that carry content: no articles, pronouns, auxiliaries, lone letters."""
    return [word for word in tokens if is_content(word)]


def is_content(word: str) -> bool:
    """Whether `word`, as `words` gives it, is on none of the lists of words without content."""
    return word not in STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())


def has_negation(tokens: Iterable[str]) -> bool:
    """Whether one of `tokens` negates, as "not", "kein" and "नहीं" do."""
    tokens = tuple(tokens)
    return not NEGATIONS.isdisjoint(tokens) or any(word.endswith("n't") for word in tokens)


def scripts(text: str) -> Counter[str]:
    """How many words of `text` are written in each script; a CJK character is a word."""
    folded = plain(text).casefold()
    if folded.isascii():
        count = sum(1 for word in _ASCII_WORD.findall(folded) if word[0].isalpha())
        return Counter({"Latin": count}) if count else Counter()
    counts = Counter(_script(word[0]) for word in _ANY_WORD.findall(folded))
    counts.pop("", None)
    return counts


def dominant_script(text: str) -> str | None:
    """The script of most words of `text`; None where it has no letter."""
    counts = scripts(text)
    return min(counts, key=lambda name: (-counts[name], name)) if counts else None


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    if not (character.isalpha() or unicodedata.category(character).startswith("M")):
        return ""
    code = ord(character)
    index = bisect_right(_SCRIPT_STARTS, code) - 1
    if index >= 0 and code <= _SCRIPTS[index][1]:
        return _SCRIPTS[index][2]
    return "Other"
