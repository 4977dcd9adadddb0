"""Text as the words that retrieval and generation compare."""

import re

from bm25s.stopwords import STOPWORDS_EN_PLUS, STOPWORDS_GERMAN

_QUESTION_WORDS = """
    cost costs could get give last long many may much need please take takes want would
    gibt kosten kostet lange viele
"""
_STOP_WORDS = {*STOPWORDS_EN_PLUS, *STOPWORDS_GERMAN, *_QUESTION_WORDS.split()}
_WORD = re.compile(r"\w+(?:[.,:]\d+)*")
_ENDINGS = ("ing", "ies", "en", "ed", "es", "e", "s", "y")
_SHORTEST_STEM = 3


def words(text: str) -> list[str]:
    """The stems of all words but stop words, in order and with repeats."""
    return [_stem(word) for word in _WORD.findall(text.casefold()) if word not in _STOP_WORDS]


def _stem(word: str) -> str:
    """Cut one English or German ending: `returns`, `returned` and `returning` become `return`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word.removesuffix(ending)
            return stem[:-1] if stem[-1] == stem[-2] else stem
    return word
