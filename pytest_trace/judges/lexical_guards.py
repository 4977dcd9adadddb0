"""Guards: what makes a claim unsupported although its words stand in the documents.

Each returns its reason as one clause, or None. They compare with the sentences that have something
to do with the claim, since a figure that stands elsewhere is about something else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_trace.errors import JudgeError, hide_own_frames
from pytest_trace.judges.lexical_matching import Match
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence, stem
from pytest_trace.language.names import names
from pytest_trace.language.quantity import CalendarDate, Quantity
from pytest_trace.language.quantity_hints import digits_of
from pytest_trace.language.words import has_negation, scripts, words
from pytest_trace.sentences import Sentence

__tracebackhide__ = hide_own_frames

_RELATED_SHARE: Final = 0.2
"""A sentence is related to a claim from this part of the best sentence's share on."""
_CLOSE_SHARE: Final = 0.5
_SAME_STATEMENT: Final = 0.85
"""From this share on a sentence says the same but for a figure, …"""
_SAME_BUT_NOT: Final = 0.75
"""… and from this one on the same or the opposite."""
_FEWEST_TERMS: Final = 3
_LEAST_COVERED: Final = 0.2
"""Below this share of a claim in its best sentences nothing else makes it supported."""
_SHORTEST_PREFIX: Final = 4
_COMMON_SCRIPT: Final = 0.2
_BEYOND_LATIN: Final = re.compile(r"[\u0370-\u1dff\u2c00-\ud7ff\uf900-\ufdff\U00010000-\U0003ffff]")
_MAY_TURN: Final = re.compile(
    r"\b(?:but|while|whereas|although|though|however|unlike|only|unless|without|if|whether|except"
    r"|avoid\w*|prevent\w*|unable|illegal|fail\w*|lack\w*|refus\w*|exclud\w*|prohibit\w*|forbid\w*"
    r"|aber|sondern|nur|ohne|wenn|mais|sauf|si|sans|pero|sino|sin|ma|solo|mas|sem|maar|zonder)\b"
    r"|\bnon-|^\W*(?:no|yes|nein|ja|non|oui|sí|não|sim|nee)\b\W"
    r"|[:：]\s*$|,\s+not\b|\bmay not\b|但|如果|除|लेकिन|しか",
    re.IGNORECASE,
)
"""Words that negate in their own way or join a second statement: what is denied is not clear."""


def first_reason(
    claim: ReadSentence, found: Match, evidence: Evidence, asked: ReadSentence
) -> str | None:
    """The reason of the first guard that fires. What was asked is known, not supported."""
    if not found.covered:
        return "none of its content words stands in a document sentence"
    return (
        quantity_reason(claim, found, evidence, asked)
        or name_reason(claim, evidence, asked)
        or negation_reason(claim, found, evidence)
    )


def is_mostly_new(found: Match) -> bool:
    """Whether hardly any of the claim stands in its best sentences; its words are the reason."""
    return found.covered < _LEAST_COVERED


def quantity_reason(
    claim: ReadSentence, found: Match, evidence: Evidence, asked: ReadSentence
) -> str | None:
    """A number, date or unit that no related sentence has."""
    for quantity in claim.quantities:
        if quantity.is_vague:
            continue
        is_contradicted = _is_contradicted(quantity, claim, found, evidence)
        around = _quantities(quantity, found, evidence, is_narrow=is_contradicted)
        if quantity.is_among(around):
            continue
        if is_contradicted or not quantity.is_among(asked.quantities):
            return _missing_quantity(quantity, found, evidence)
    return None


def _quantities(
    quantity: Quantity, found: Match, evidence: Evidence, *, is_narrow: bool
) -> Iterator[Quantity]:
    """What may say `quantity`, the likeliest first, so that the rest is read only if need be."""
    part = _CLOSE_SHARE if is_narrow else _RELATED_SHARE
    indices = list(found.best)
    if not is_narrow:
        size = len(evidence.sentences)
        indices += (near for n in found.best for near in (n - 1, n + 1) if 0 <= near < size)
    least = part * found.shares[found.best[0]]
    indices += (n for n, share in enumerate(found.shares) if share and share >= least)
    digits = digits_of(quantity)
    for index in indices:
        sentence = evidence.sentences[index]
        groups = sentence.digit_groups
        if digits is None or groups is None or not groups.isdisjoint(digits):
            yield from sentence.quantities


def _is_date(quantity: Quantity) -> bool:
    return isinstance(quantity.value, CalendarDate)


def _is_contradicted(
    quantity: Quantity, claim: ReadSentence, found: Match, evidence: Evidence
) -> bool:
    """Whether the best sentence says the same with another value of the same kind."""
    best = found.best[0]
    return found.shares[best] >= _SAME_STATEMENT and any(
        _is_same_kind(quantity, other) and not other.is_among(claim.quantities)
        for other in evidence.sentences[best].quantities
    )


def _is_same_kind(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit and _is_date(one) == _is_date(other)


def _missing_quantity(quantity: Quantity, found: Match, evidence: Evidence) -> str:
    what = "date" if _is_date(quantity) else "number"
    reason = f"the {what} {quantity} stands in no supporting sentence"
    for index in found.best:
        sentence = evidence.sentences[index]
        others = [item for item in sentence.quantities if _is_date(item) == _is_date(quantity)]
        same = [item for item in others if item.unit == quantity.unit]
        if others:
            return f"{reason}; {sentence.key} has {(same or others)[0]}"
    return reason


def name_reason(claim: ReadSentence, evidence: Evidence, asked: ReadSentence) -> str | None:
    """A capitalised name that stands nowhere in the documents or the question."""
    for name in names(claim.text):
        parts = words(name)
        starts = claim.text.lstrip("-*•>#\"'“„_ ").startswith(name)
        if starts and len(parts) > 1:  # "Choose Tint": the first word has its capital anyway
            parts = parts[1:]
        if f"({name})" in claim.text:  # an abbreviation of what stands before it
            continue
        if not all(_is_known(part, evidence, asked) for part in parts):
            return f"the name {name} stands neither in a document nor in the question"
    return None


def _is_known(word: str, evidence: Evidence, asked: ReadSentence) -> bool:
    """Whether `word`, or one that it is derived from ("Islamic" from "Islam"), is known."""
    term = stem(word)
    if term in evidence.holders or term in asked.terms:
        return True
    known = evidence.folded_words
    if word in known or word in asked.words or f"{word}s" in known:
        return True
    prefix = word[: max(_SHORTEST_PREFIX, len(word) - 3)]
    return len(prefix) >= _SHORTEST_PREFIX and any(other.startswith(prefix) for other in known)


def negation_reason(claim: ReadSentence, found: Match, evidence: Evidence) -> str | None:
    """A negation on one side only, where all sentences that say the same are on the other side."""
    same = [index for index, share in enumerate(found.shares) if share >= _SAME_BUT_NOT]
    if not same or len(claim.terms) < _FEWEST_TERMS or _MAY_TURN.search(claim.text):
        return None
    is_negated = claim.is_negated
    sides = [_is_denied(evidence.sentences[index], claim) for index in same]
    if not all(side is not None and side != is_negated for side in sides):
        return None
    key = evidence.sentences[same[0]].key
    return f"it is negated, {key} is not" if is_negated else f"{key} is negated, it is not"


def _is_denied(sentence: ReadSentence, claim: ReadSentence) -> bool | None:
    """Whether `sentence` is negated where it has the claim's words; None if that is not clear."""
    if not sentence.is_negated:
        return None if _MAY_TURN.search(sentence.text) else False
    places = [place for place, word in enumerate(sentence.words) if stem(word) in claim.terms]
    part = sentence.words[places[0] : places[-1] + 1] if places else []
    added = [word for word in part if (term := stem(word)) and term not in claim.terms]
    is_clear = len(added) <= 1 and has_negation(part) and not _MAY_TURN.search(sentence.text)
    return True if is_clear else None


def require_common_script(claims: Sequence[ReadSentence], documents: Sequence[Sentence]) -> None:
    """Raise `JudgeError` where the claims are written in a script that no document is written in.

    Names in another script do no harm, and a claim all of whose words stand in the documents can
    be compared whatever its script.
    """
    texts = [*(claim.text for claim in claims), *(sentence.text for sentence in documents)]
    if not any(not text.isascii() and _BEYOND_LATIN.search(text) for text in texts):
        return
    said = _scripts([claim.text for claim in claims])
    parts: dict[int | None, list[str]] = defaultdict(list)
    for sentence in documents:
        parts[sentence.document].append(sentence.text)
    written = [counts for part in parts.values() if (counts := _scripts(part))]
    if not said or not written or any(_overlap(said, counts) for counts in written):
        return
    known = {word for sentence in documents for word in words(sentence.text)}
    if all(known.issuperset(claim.words) for claim in claims):
        return
    raise JudgeError(
        f"not judged: the response is written in {_main(said)} and the documents in "
        f"{_main(sum(written, Counter()))}; overlap of words means nothing there: "
        "use a judge that reads both languages"
    )


def _scripts(texts: Iterable[str]) -> Counter[str]:
    """The words by script; Han and Kana count as one, since Japanese mixes them."""
    counts = scripts("\n".join(texts))
    counts["Han"] += counts.pop("Kana", 0)
    return +counts


def _main(counts: Counter[str]) -> str:
    return counts.most_common(1)[0][0]


def _overlap(said: Counter[str], written: Counter[str]) -> bool:
    """Whether the main script of either makes up a part of the other that is more than names."""
    return any(
        one[_main(other)] >= _COMMON_SCRIPT * one.total()
        for one, other in ((said, written), (written, said))
    )
