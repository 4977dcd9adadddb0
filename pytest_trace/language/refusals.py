"""Whether a sentence only declines to answer."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pytest_trace.language.quantities import quantities
from pytest_trace.language.refusal_patterns import OBJECT_FIRST, find_refusal, may_refuse
from pytest_trace.language.refusal_phrases import CLAUSE, COMMAS, CONTRASTS, FILLERS, OFFERS
from pytest_trace.language.words import content_words, plain, words

_MARKUP: Final = re.compile(r"[*_#>`\"“”]+|^\s*(?:[-•]|\d+[.)])\s+|\[\d+\]")
_ELISION: Final = re.compile(r"\b([cdjlnst])'", re.IGNORECASE)
_LONGEST_OBJECT: Final = 12


@lru_cache(maxsize=512)
def is_refusal(sentence: str) -> bool:
    """Whether `sentence` says that the answer is not known or not in the documents, and no more.

    It is False where something is claimed beside that ("I'm not sure, but it is five years"), and
    for negative statements about anything else ("It comes without a charger").
    """
    parts = _parts(sentence)
    if not parts:
        return False
    before, core, after = parts
    return _leads_in(before, may_hold_object=core in OBJECT_FIRST) and _claims_nothing(after)


def declined(sentence: str) -> list[str]:
    """The content words of what a refusal says is not known: those of "the price of the X-200"."""
    parts = _parts(sentence)
    around = f"{parts[0]} {parts[2]}" if parts else ""
    return [word for word in content_words(words(around)) if word not in FILLERS]


def _parts(sentence: str) -> tuple[str, str, str] | None:
    """The text before the core of a refusal, the core's language, and the text after it."""
    text = plain(sentence)
    if not may_refuse(text):
        return None
    text = _ELISION.sub(r"\1 ", " ".join(_MARKUP.sub(" ", text).split()))
    found = find_refusal(text)
    if not found:
        return None
    language, core = found
    return text[: core.start()], language, text[core.end() :]


def _leads_in(text: str, *, may_hold_object: bool) -> bool:
    """Whether `text`, before the core, only apologises or, in some languages, names the object."""
    *before, nearest = (piece for part in CONTRASTS.split(text) for piece in COMMAS.split(part))
    if not all(_is_filler(piece) or find_refusal(piece) for piece in before):
        return False
    if may_hold_object:
        return len(content_words(words(nearest))) <= _LONGEST_OBJECT and not quantities(nearest)
    return _is_filler(nearest)


def _claims_nothing(text: str) -> bool:
    """Whether `text`, after the core, is its object, an offer or another refusal."""
    for number, part in enumerate(CONTRASTS.split(text)):
        first, *others = COMMAS.split(part)
        if number and not _declines_or_offers(first):
            return False
        if any(_is_clause(piece) and not _declines_or_offers(piece) for piece in others):
            return False
    return True


def _declines_or_offers(text: str) -> bool:
    return bool(_is_filler(text) or find_refusal(text) or OFFERS.search(text))


def _is_clause(text: str) -> bool:
    return bool(CLAUSE.search(text) or quantities(text))


def _is_filler(text: str) -> bool:
    return all(word in FILLERS for word in content_words(words(text)))
