"""Scales and units that stand behind a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_trace.language.quantity_tokens import NO_TOKEN, Token
from pytest_trace.language.units import SCALES, UNIT_NAMES
from pytest_trace.language.word_sets import word_set

_BEFORE_UNIT: Final = word_set(
    "- business working calendar consecutive full square cubic sq whole additional more"
)
_SINGLE_LETTERS: Final = word_set("m g l h A V W")
_MONEY: Final = word_set("$ £ € ¥ ₹")
_ATTACHED_SCALES: Final = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
_LONGEST_CJK_UNIT: Final = 3
_LONGER_UNITS: Final = {"km": (3,)} | {name.split()[0]: (2,) for name in UNIT_NAMES if " " in name}
"""How many tokens a unit of more than one may have, by its first."""


def token_at(pieces: Sequence[Token], index: int) -> Token:
    """The token at `index`, or an empty one where there is none."""
    try:
        return pieces[index] if index >= 0 else NO_TOKEN
    except IndexError:
        return NO_TOKEN


def read_scale(pieces: Sequence[Token], index: int, *, is_money: bool) -> tuple[int, int]:
    """The scale at `index` ("million", "5k", "$5m"; 1 where there is none) and the index after."""
    token, before = token_at(pieces, index), token_at(pieces, index - 1)
    if token.kind != "word":
        return 1, index
    if len(token.text) == 1 and token.text.isascii():
        if token.start != before.end:
            return 1, index
        spelled = token.text.upper() if is_money else token.text
        scale = _ATTACHED_SCALES.get(spelled, 1)
    else:
        first = "" if token.text.isascii() else token.folded[0]  # 5万元
        scale = SCALES.get(token.folded) or SCALES.get(first, 1)
    return scale, index + (scale > 1)


def read_unit(pieces: Sequence[Token], index: int) -> tuple[str | None, int]:
    """The unit at `index` behind a number, over a hyphen or "business", and the index after."""
    start = index
    while token_at(pieces, index).folded in _BEFORE_UNIT and index < start + 2:
        index += 1
    token = token_at(pieces, index)
    for length in _LONGER_UNITS.get(token.folded, ()):
        joined = _joined(pieces, index, length)
        if joined in UNIT_NAMES:
            return UNIT_NAMES[joined], index + length
    following = token_at(pieces, index + 1)
    if token.text in _MONEY and following.kind == "number" and following.start == token.end:
        return None, start  # the sign of the next amount
    unit = _unit_of(token)
    return (unit, index + 1) if unit else (None, start)


def _joined(pieces: Sequence[Token], index: int, length: int) -> str:
    parts = [token_at(pieces, index + offset).folded for offset in range(length)]
    return "".join(parts) if parts[1] == "/" else " ".join(parts)


def _unit_of(token: Token) -> str | None:
    if len(token.text) == 1 and token.text.isascii() and token.text.isalpha():
        return UNIT_NAMES[token.text] if token.text in _SINGLE_LETTERS else None
    if token.folded in UNIT_NAMES or token.folded.isascii():
        return UNIT_NAMES.get(token.folded)
    beginnings = (token.folded[:length] for length in range(_LONGEST_CJK_UNIT, 0, -1))
    return next(
        (UNIT_NAMES[name] for name in beginnings if _is_cjk(name) and name in UNIT_NAMES), None
    )


def _is_cjk(text: str) -> bool:
    return text >= "\u3005"
