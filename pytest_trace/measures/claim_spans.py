"""Cuts a sentence into its claims: coordinated clauses, relative clauses and lists.

Only where the words leave little doubt; all else stays one claim. The rules are English: in other
languages a sentence is cut at semicolons alone. No model is asked, and the same sentence is cut
the same way everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_trace.language.clause_words import (
    ADVERBS,
    DETERMINERS,
    FINITE_VERBS,
    OBJECTS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBJECTS,
    SUBORDINATORS,
    WHOLE_SENTENCE,
)
from pytest_trace.language.clauses import (
    Piece,
    awaits_complement,
    has_second_verb,
    is_finite,
    is_verb_behind,
    leaves_open,
    pieces_outside_brackets,
    starts_predicate,
    subject,
    verb_index,
)
from pytest_trace.measures.claim_lists import list_items

_WHOLE: Final = re.compile(r"[\n|`]|[?？]\s*$|\bnot only\b|\brather than\b|\bor\b|\be\.g\.")
_JOINT: Final = re.compile(r"[\s,;]*(?:\b(?:and|but)\b)?[\s,;]*\Z")
_CONJUNCTIONS: Final = frozenset({"and", "but"})
_FEWEST_WORDS: Final = 5
_MOST_WORDS: Final = 200  # what is longer is a dump of something, and no prose
_SUBJECT_WORDS: Final = 7
_FEWEST_AROUND_SEMICOLON: Final = 3


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """`text[start:end]` of a sentence; `context` is what it needs to be read alone: its subject."""

    start: int
    end: int
    context: str | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    pieces: Sequence[Piece]
    context: str | None = None


def claim_spans(text: str) -> list[ClaimSpan]:
    """The claims of one sentence, in order; one that covers it all where nothing is to be cut."""
    pieces = list(pieces_outside_brackets(text))
    words = [piece.folded for piece in pieces if piece.is_word]
    is_whole = _WHOLE.search(text) or not WHOLE_SENTENCE.isdisjoint(words)
    if is_whole or not _FEWEST_WORDS <= len(words) <= _MOST_WORDS:
        return [ClaimSpan(0, len(text))]
    parts = [
        item
        for clause in _clauses(text, pieces)
        for piece in _without_relative(text, clause)
        for item in _items(text, piece)
    ]
    starts = [0, *(part.pieces[0].start for part in parts[1:])]
    ends = [*(_end(text[:start]) for start in starts[1:]), len(text)]
    contexts = (part.context for part in parts)
    return [ClaimSpan(*values) for values in zip(starts, ends, contexts, strict=True)]


def _end(before: str) -> int:
    """Where a claim ends that another one follows: before the comma and the conjunction."""
    joint = _JOINT.search(before)
    return joint.start() if joint else len(before)


def _clauses(text: str, pieces: Sequence[Piece]) -> Iterator[_Part]:
    """The coordinated clauses, each with the subject that it shares with the one before."""
    start, context, is_phrase = 0, None, False
    for index, piece in enumerate(pieces):
        if index <= start or piece.folded not in {*_CONJUNCTIONS, ",", ";"}:
            continue
        left, right = _trimmed(pieces[start:index]), pieces[index + 1 :]
        kind = _kind_of(piece, left, right, is_left_phrase=is_phrase)
        if kind is None:
            continue
        yield _Part(left, context)
        shared = context if is_phrase else subject(text, left) or context
        is_phrase = kind == "phrase"
        start = index + 1
        context = shared if is_phrase or right[0].folded in PRONOUNS else None
    yield _Part(_trimmed(pieces[start:]), context)


def _trimmed(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """Without the signs and the conjunction around."""
    first, last = 0, len(pieces)
    while first < last and (not pieces[first].is_word or pieces[first].folded in _CONJUNCTIONS):
        first += 1
    while last > first and not pieces[last - 1].is_word:
        last -= 1
    return pieces[first:last]


def _kind_of(
    sign: Piece, left: Sequence[Piece], right: Sequence[Piece], *, is_left_phrase: bool
) -> str | None:
    """Whether behind `sign` is a clause, a phrase (a verb for the same subject), or neither."""
    if not sign.is_word and right and right[0].folded in _CONJUNCTIONS:
        return None
    if sign.text == ";":
        return "clause" if _are_clauses(left, right) else None
    verb = 0 if is_left_phrase else verb_index(left)
    words = [piece for piece in right if piece.folded not in ADVERBS]
    if verb is None or not _is_complete(left, verb) or len(words) < 2 or not words[0].is_word:  # noqa: PLR2004
        return None
    objects = left[verb + 1 :]
    is_plain = all(piece.is_word and piece.folded not in _CONJUNCTIONS for piece in objects)
    if _starts_phrase(words, left):
        return "phrase" if sign.is_word or (is_plain and is_finite(words[0])) else None
    has_subject = _has_subject(words) and (is_plain or words[0].folded in PRONOUNS)
    return "clause" if sign.is_word and has_subject else None


def _is_complete(pieces: Sequence[Piece], verb: int) -> bool:
    """Whether a clause says something behind its verb, and no other clause reaches out of it."""
    if verb + 1 == len(pieces) or leaves_open(pieces):
        return False
    has_aside = any(piece.folded in RELATIVES for piece in pieces)
    return has_aside or not has_second_verb(pieces, verb)


def _starts_phrase(words: Sequence[Piece], left: Sequence[Piece]) -> bool:
    """Whether a verb stands first, and nothing behind it can belong to the verb of `left`."""
    return is_finite(words[0]) or (starts_predicate(*words[:2]) and not awaits_complement(left))


def _are_clauses(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Whether a semicolon stands between statements, and not between the items of a list."""
    signs = [piece.text for piece in right]
    sides = (left, right[: signs.index(";")] if ";" in signs else right)
    if any(sum(piece.is_word for piece in side) < _FEWEST_AROUND_SEMICOLON for side in sides):
        return False
    is_english = any(piece.folded in FINITE_VERBS | DETERMINERS for piece in left)
    return not is_english or all(verb_index(side) is not None for side in sides)


def _has_subject(pieces: Sequence[Piece]) -> bool:
    """Whether a noun phrase of a few words and its verb begin here."""
    for number, piece in enumerate(pieces[: _SUBJECT_WORDS + 1]):
        if not piece.is_word or piece.folded in SUBORDINATORS | RELATIVES | _CONJUNCTIONS:
            return False
        if number and piece.folded in SUBJECTS:  # "the kind of support they need"
            return False
        if number and is_verb_behind(pieces[number - 1], piece):
            return True
    return False


def _without_relative(text: str, part: _Part) -> Iterator[_Part]:
    """A clause, and the ", which …" in it as a claim of its own."""
    pieces = part.pieces
    commas = [index for index, piece in enumerate(pieces) if piece.text == ","]
    starts = [i for i in commas if i and i + 1 < len(pieces) and pieces[i + 1].folded in RELATIVES]
    if not starts:
        yield part
        return
    comma, later = starts[0], [index for index in commas if index > starts[0]]
    head, relative = pieces[:comma], pieces[comma + 1 :]
    has_verb = verb_index(head) is not None
    if not has_verb and later and _is_aside(pieces, comma, later[0]):
        yield _Part(pieces[: later[0]], part.context)
        yield _Part(pieces[later[0] + 1 :], text[head[0].start : head[-1].end])
    elif has_verb and not later and verb_index(relative) is not None:
        yield _Part(head, part.context)
        yield _Part(relative, _last_noun(text[: pieces[comma].start], head))
    else:
        yield part


def _is_aside(pieces: Sequence[Piece], first: int, last: int) -> bool:
    """Whether a clause stands between the commas, and the verb of the sentence behind them."""
    following = pieces[last + 1 :]
    has_verb = verb_index(pieces[first + 1 : last]) is not None
    return has_verb and len(following) > 1 and is_finite(following[0])


def _last_noun(text: str, pieces: Sequence[Piece]) -> str | None:
    """The noun phrase that `text` ends with, which a relative clause behind it speaks of."""
    limits = FINITE_VERBS | PREPOSITIONS
    first = len(pieces) - 1
    while first and pieces[first].folded not in limits | DETERMINERS:
        first -= 1
    start = pieces[first].end if pieces[first].folded in limits else pieces[first].start
    noun = text[start:].strip()
    return None if noun.casefold() in OBJECTS else noun


def _items(text: str, part: _Part) -> Iterator[_Part]:
    """A clause up to the first item of the list that it ends with, and each further item."""
    found = list_items(part.pieces)
    if found is None:
        yield part
        return
    lead, items = found
    context = text[part.pieces[0].start : part.pieces[lead - 1].end]
    yield _Part(part.pieces[: lead + len(items[0])], part.context)
    for item in items[1:]:
        yield _Part(item, f"{part.context} {context}" if part.context else context)
