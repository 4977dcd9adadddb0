"""The list that a clause ends with, item by item: "It contains a hammer, a saw and nails"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pytest_trace.language.clause_words import (
    DETERMINERS,
    MODALS,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECTS,
)
from pytest_trace.language.clauses import Piece, is_finite, leaves_open

_FEWEST_ITEMS: Final = 3  # two may be one thing: "research and development"
_LONGEST_ITEM: Final = 6
_LONGEST_OF_FEW_SIGNS: Final = 3
_LEADING: Final = (PREPOSITIONS | {"of"}) - {"to"}
_TURNS: Final = NEGATIONS | {"but"}
_ENDINGS: Final = ("ing", "ed", "able", "ible")
_LONGEST_WITHOUT_ENDING: Final = 4  # "red" has none


def list_items(pieces: Sequence[Piece]) -> tuple[int, list[Sequence[Piece]]] | None:
    """How many pieces lead in, and the items; None where the clause ends with no list."""
    ands = [index for index, piece in enumerate(pieces) if piece.folded == "and"]
    commas = [index for index, piece in enumerate(pieces) if piece.text == ","]
    if len(ands) != 1 or not commas or commas[-1] > ands[0]:
        return None
    if leaves_open(pieces) or any(piece.folded in _TURNS for piece in pieces):
        return None
    stops = [*commas, ands[0], len(pieces)]
    further = [pieces[a + 1 : b] for a, b in pairwise(stops)]
    further = [item for item in further if item]  # nothing stands between ", and"
    lead = _lead(pieces[: commas[0]], further[0]) if further else None
    if lead is None:
        return None
    items = [pieces[lead : commas[0]], *further]
    is_parted = commas[-1] == ands[0] - 1
    is_list = len(items) >= _FEWEST_ITEMS and _are_alike(items, is_parted=is_parted)
    return (lead, items) if is_list else None


def _lead(pieces: Sequence[Piece], second: Sequence[Piece]) -> int | None:
    """How many pieces stand before the first item: up to the last verb, colon or preposition."""
    verb = next(
        (i for i in range(len(pieces) - 1, 0, -1) if pieces[i].text == ":" or is_finite(pieces[i])),
        None,
    )
    if verb is None or pieces[verb].folded in MODALS:
        return None
    if _beginning(second) == "article" and _beginning(pieces[verb + 1 :]) == "article":
        return verb + 1
    for index in range(len(pieces) - 2, verb, -1):
        if pieces[index].folded in _LEADING:
            return index + 1
    return verb + 1 if verb + 1 < len(pieces) else None


def _beginning(item: Sequence[Piece]) -> str:
    """What kind of word a noun phrase starts with."""
    if not item or item[0].folded in DETERMINERS:
        return "article" if item else "nothing"
    if item[0].folded in PREPOSITIONS:
        return "preposition"
    return "number" if item[0].text[0].isdigit() else "other"


def _are_alike(items: Sequence[Sequence[Piece]], *, is_parted: bool) -> bool:
    """Whether these are things of one kind: short, without verbs, and not numbers alone.

    Without a comma before "and" the same may be an apposition or two adjectives: then they must
    be shorter, and the last one must start as the others do.
    """
    kinds = [_beginning(item) for item in items]
    is_last_alike = kinds[-1] == kinds[0] or (is_parted and kinds[-1] in {"article", "other"})
    longest = _LONGEST_ITEM if is_parted else _LONGEST_OF_FEW_SIGNS
    return (
        len(set(kinds[:-1])) == 1
        and is_last_alike
        and all(len(item) <= longest and _is_thing(item) for item in items)
        and len({_has_ending(item[0]) for item in items}) == 1
    )


def _has_ending(piece: Piece) -> bool:
    """Whether it describes or does, as "payable" and "located": an aside among things."""
    folded = piece.folded
    return len(folded) > _LONGEST_WITHOUT_ENDING and folded.endswith(_ENDINGS)


def _is_thing(item: Sequence[Piece]) -> bool:
    """Whether it is made of words, and none of them begins a clause."""
    no_thing = RELATIVES | SUBJECTS
    return (
        all(piece.is_word and piece.folded not in no_thing for piece in item)
        and not any(map(is_finite, item))
        and any(sign.isalpha() for piece in item for sign in piece.text)
    )
