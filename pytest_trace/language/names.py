"""Names in a text: capitalised words, acronyms and product codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_trace.language.stop_words import STOP_WORDS
from pytest_trace.language.units import MONTHS, UNIT_NAMES
from pytest_trace.language.word_sets import word_set
from pytest_trace.language.words import plain

# Scripts with capitals only, so that "请使用iPhone" gives iPhone.
_LETTER: Final = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u052f"
_WORD: Final = re.compile(rf"(?<![A-Za-z0-9])[{_LETTER}][{_LETTER}0-9]*(?:['&_-][{_LETTER}0-9]+)*")
_CODE_FIRST: Final = re.compile(r"\W*\w[\w-]*\d")
_MARKER: Final = re.compile(r"(?:^|\s)\(?\d{1,2}[.)]$")
_BEFORE_START: Final = frozenset(" \t\"'“”„«»‘’*_#>|•([-–—")
_DASHES: Final = (" - ", " – ", " — ", " • ", " * ")
_SENTENCE_ENDS: Final = frozenset(".!?:;…\n\r。！？।")
_TITLES: Final = word_set("mr mrs ms dr prof sir lady herr frau señor señora monsieur madame st")
_GERMAN: Final = word_set(
    "der das und ist nicht ein eine einen einem einer mit für von zu auf wir ich werden wird kann "
    "können innerhalb im zum zur beträgt haben sind den dem wurde wurden worden hatte hatten seit "
    "beim vom nach aus über unter durch ohne zwischen sich auch oder kein keine diese dieser "
    "dieses kostet liegt gibt Der Das Eine"
)
_ENGLISH: Final = word_set("the of is and to")
_ORDINARY: Final = word_set(
    "please yes no note however therefore sorry unfortunately hello hi thanks thank ok okay step "
    "according based additionally overall finally first second third next lastly moreover "
    "furthermore passage document context question answer source table figure section although "
    "while since because many multiple several some most every all in on for with here today each"
)
_NO_NAMES: Final = (STOP_WORDS, _ORDINARY, _TITLES, MONTHS, UNIT_NAMES)
_TITLE_SHARE: Final = 0.85
_SHOUTED_SHARE: Final = 0.6
_HEADING_WORDS: Final = 3
_SHORTEST_PLURAL: Final = 2


def names(text: str) -> list[str]:
    """The names of `text` in order: "Acme Corp", "NASA", "X-200".

    A word that is capitalised only because it starts a sentence is none, nor are the words of a
    title-cased or shouted heading, nor months. German capitalises every noun: there only codes,
    acronyms and titled persons are names.
    """
    if text[1:].islower() and not _CODE_FIRST.match(text):
        return []
    text = plain(text)
    found = list(_WORD.finditer(text))
    case = _case_of([match.group() for match in found])
    groups: list[list[int]] = []
    for index, match in enumerate(found):
        if not (_is_code(match.group(), case) or _is_capitalised_name(text, found, index, case)):
            continue
        if groups and text[found[groups[-1][-1]].end() : match.start()] == " ":
            groups[-1].append(index)
        else:
            groups.append([index])
    return [
        _singular(text[found[group[0]].start() : found[group[-1]].end()])
        for group in groups
        if not _is_label(text, found, group[0], group[-1])
    ]


def _is_label(text: str, found: Sequence[re.Match[str]], first: int, last: int) -> bool:
    """Whether this is the "Manual Pairing:" that starts a sentence like a heading."""
    is_followed = text.startswith(":", found[last].end()) and _starts_sentence(text, found, first)
    return is_followed and not _is_code(found[first].group(), "")


def _singular(name: str) -> str:
    """Without the `'s` of a possessive and the "s" of "TVs"."""
    name = name.removesuffix("'s")
    is_plural = len(name) > _SHORTEST_PLURAL and name[:-1].isupper() and name.endswith("s")
    return name[:-1] if is_plural else name


def _case_of(found: Sequence[str]) -> str:
    """What capitals tell in this text: names, nouns, or nothing in a title or a shouted line."""
    content = [word for word in found if word.casefold() not in STOP_WORDS]
    capitalised = sum(word[0].isupper() for word in content)
    if len(found) >= _HEADING_WORDS and sum(map(str.isupper, found)) > _SHOUTED_SHARE * len(found):
        return "shouted"
    if len(content) >= _HEADING_WORDS and capitalised > _TITLE_SHARE * len(content):
        return "title"
    if any(word in _GERMAN for word in found) and not any(word in _ENGLISH for word in found):
        return "nouns"
    return "names"


def _is_code(word: str, case: str) -> bool:
    """Whether this is a name by its shape: NASA, X-200, A4, iPhone, YouTube."""
    folded = word.casefold()
    if word.islower() or len(word) == 1 or folded in STOP_WORDS or folded in UNIT_NAMES:
        return False
    if case == "shouted" and word.isupper():
        return any(sign.isdigit() for sign in word)
    return word[1:] != word[1:].lower() or any(sign.isdigit() for sign in word)


def _is_capitalised_name(text: str, found: Sequence[re.Match[str]], index: int, case: str) -> bool:
    word = found[index].group()
    if case == "shouted" or not word[0].isupper() or len(word) == 1 or not _can_be_name(word):
        return False
    if index and found[index - 1].group().casefold() in _TITLES:
        return True
    if case != "names":
        return False
    return not _starts_sentence(text, found, index) or _goes_on(found, index, text)


def _can_be_name(word: str) -> bool:
    folded = word.casefold()
    return not any(
        folded in listed for listed in (STOP_WORDS, _ORDINARY, _TITLES, MONTHS, UNIT_NAMES)
    )


def _starts_sentence(text: str, found: Sequence[re.Match[str]], index: int) -> bool:
    position = found[index].start() - 1
    while position >= 0 and text[position] in _BEFORE_START:
        position -= 1
    if position < 0:
        return True
    if any(dash in text[position + 1 : found[index].start()] for dash in _DASHES):
        return True
    if text[position] in ".)" and _MARKER.search(text, max(0, position - 4), position + 1):
        return True
    is_initial = text[position] == "." and index > 0 and len(found[index - 1].group()) == 1
    return text[position] in _SENTENCE_ENDS and not is_initial


def _goes_on(found: Sequence[re.Match[str]], index: int, text: str) -> bool:
    """Whether the next word is capitalised too, as in "Acme Corp sells …"."""
    if index + 1 == len(found):
        return False
    following = found[index + 1]
    word = following.group()
    is_next = text[found[index].end() : following.start()] == " "
    return is_next and word[0].isupper() and len(word) > 1 and _can_be_name(word)
