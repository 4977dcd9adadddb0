"""Answers in one spelling, and their tokens, before they are compared.

`squad` is the normalisation of SQuAD's evaluation script (Rajpurkar et al., EMNLP 2016), which
RAG evaluations on MS MARCO use too: lower case, no ASCII punctuation, no English article, single
spaces; tokens stand between spaces. `multilingual` follows MLQA's (Lewis et al., ACL 2020): no
punctuation of any script, and each character of a script without spaces is a token.
"""

from __future__ import annotations

import re
import string
import unicodedata
from typing import Final, Literal, get_args

from pytest_trace.errors import UnknownName
from pytest_trace.language.words import spaced

Normalisation = Literal["squad", "multilingual"]
"""How answers are spelled before they are compared."""

NORMALISATIONS: Final[tuple[str, ...]] = get_args(Normalisation)
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
_ASCII_PUNCTUATION: Final = dict.fromkeys(map(ord, string.punctuation))


def normalise(text: str, form: Normalisation = "squad") -> str:
    """`text` in one spelling; empty where nothing but punctuation and articles is in it.

    Raises `UnknownName` for an unknown form.
    """
    if form not in NORMALISATIONS:
        raise UnknownName(f"unknown normalisation {form!r}; known: {', '.join(NORMALISATIONS)}")
    bare = text.lower().translate(_ASCII_PUNCTUATION)
    if form == "multilingual" and not bare.isascii():
        bare = spaced("".join(sign for sign in bare if unicodedata.category(sign)[0] != "P"))
    return " ".join(_ARTICLES.sub(" ", bare).split())


def tokens(text: str, form: Normalisation = "squad") -> list[str]:
    """The tokens of `text` in order."""
    return normalise(text, form).split()
