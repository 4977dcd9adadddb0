"""The words of an English sentence, and what tells its clauses apart: verbs and their subjects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from pytest_trace.language.clause_words import (
    ADVERBS,
    DETERMINERS,
    FINITE_VERBS,
    MODALS,
    PAST_VERBS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SINGULAR,
    SUBORDINATORS,
)

_PIECE: Final = re.compile(r"[^\W_]+(?:[.,'’/-][^\W_]+)*|[,;:]|[()\[\]{}\"“”„«»]")
_OPENERS: Final = "([{“„«"
_CLOSERS: Final = ")]}”»"


@dataclass(frozen=True)
class Piece:
    """A word, a comma, a colon or a semicolon of a sentence, which has it at `start:end`."""

    text: str
    start: int
    end: int

    @cached_property
    def folded(self) -> str:
        """As the lists of words have it."""
        return self.text.casefold().replace("’", "'")

    @property
    def is_word(self) -> bool:
        """Whether it is no punctuation."""
        return self.text[0].isalnum()

    @property
    def is_capitalised(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[0].isupper()


def pieces_outside_brackets(text: str) -> Iterator[Piece]:
    """The pieces of `text` that stand in no brackets and no quotes."""
    depth, is_quoted = 0, False
    for match in _PIECE.finditer(text):
        sign = match.group()
        if sign == '"':
            is_quoted = not is_quoted
        elif sign in _OPENERS:
            depth += 1
        elif sign in _CLOSERS:
            depth = max(0, depth - 1)
        elif not depth and not is_quoted:
            yield Piece(sign, match.start(), match.end())


def is_finite(piece: Piece) -> bool:
    """Whether it is a verb that nothing else is spelled like."""
    return piece.folded in FINITE_VERBS and not piece.is_capitalised


def verb_index(pieces: Sequence[Piece]) -> int | None:
    """Where the first finite verb stands that has a subject before it."""
    pairs = enumerate(pairwise(pieces), 1)
    return next((index for index, pair in pairs if is_verb_behind(*pair)), None)


def is_verb_behind(before: Piece, piece: Piece) -> bool:
    """Whether `piece` is a finite verb, by itself or by its subject: "it costs", "Ann moved"."""
    if before.folded == "to":
        return False
    if is_finite(piece):
        return True
    if before.folded in SINGULAR and piece.text.endswith("s"):
        return True
    is_agent = before.is_word and (before.folded in PRONOUNS or before.is_capitalised)
    return is_agent and before.folded not in DETERMINERS and _has_past_ending(piece)


def starts_predicate(first: Piece, following: Piece) -> bool:
    """Whether these are the "acquired the" or "won two" of a second predicate in the past."""
    if first.folded in PAST_VERBS:
        return True
    if not _has_past_ending(first) or first.is_capitalised:
        return False
    return following.folded in PREPOSITIONS | DETERMINERS or not following.text[0].islower()


def awaits_complement(pieces: Sequence[Piece]) -> bool:
    """Whether what completes the verb comes later: "is stored in" and released from …."""
    return _has_past_ending(pieces[-1]) or pieces[-1].folded in PREPOSITIONS


def has_second_verb(pieces: Sequence[Piece], first: int) -> bool:
    """Whether a clause hides behind the verb at `first`: "will verify the latch is closed"."""
    later = pairwise(pieces[first:])
    return any(is_finite(piece) and before.folded not in MODALS for before, piece in later)


def _has_past_ending(piece: Piece) -> bool:
    folded = piece.folded
    return folded.endswith("ed") and not folded.endswith(("eed", "hundred"))


def leaves_open(pieces: Sequence[Piece]) -> bool:
    """Whether what follows may depend on a conjunction or belong to a relative clause in here."""
    for index, piece in enumerate(pieces):
        if piece.folded in SUBORDINATORS:
            return True
        if piece.folded in RELATIVES:
            is_aside = index > 0 and pieces[index - 1].text == ","
            if not is_aside or not any(later.text == "," for later in pieces[index:]):
                return True
    return False


def subject(text: str, pieces: Sequence[Piece]) -> str | None:
    """What stands before the first verb of a clause; None where it is a pronoun alone.

    It leaves out an opening ("In 1990, …"), the number of a list and an aside ("Acme, a maker, …").
    """
    verb = verb_index(pieces) or 0
    signs = [index for index in range(verb) if not pieces[index].is_word]
    has_aside = bool(signs) and signs[-1] == verb - 1
    has_list = bool(signs) and pieces[signs[-1] + 1].folded == "and"
    first = signs[-1] + 1 if signs and not has_aside and not has_list else 0
    last = signs[0] if has_aside else verb
    while first < last and pieces[first].text.isdigit() and text[pieces[first].end] in ".)":
        first += 1
    while last > first and pieces[last - 1].folded in ADVERBS:
        last -= 1
    if last == first or (last - first == 1 and pieces[first].folded in PRONOUNS):
        return None
    return text[pieces[first].start : pieces[last - 1].end]
