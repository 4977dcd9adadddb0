"""What the lexical judge reads of a sentence, and of all document sentences together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import Final

from pytest_trace.language.quantities import Quantity, quantities
from pytest_trace.language.stop_words import DISCOURSE, STOP_WORDS
from pytest_trace.language.units import NUMBER_WORDS
from pytest_trace.language.words import is_content, is_unspaced, words
from pytest_trace.sentences import Sentence

_MARKERS: Final = re.compile(
    r"^\s*(?:[-*•>#]+\s*)?\(?\d{1,3}[.)](?=\s|$)|(?<=[.!?:;,)\"”]\s)\d{1,2}[.)]\s*$|\[\d+\]"
)
"""Numbers of a list or a citation, as they stand at the start and the end of a sentence."""
_ENDINGS: Final = ("ing", "edly", "ed", "es", "s", "ly")
_SHORTEST_STEM: Final = 3
_LONGEST_STEM: Final = 7
_LEAST_IDF: Final = 0.3


class ReadSentence:
    """One sentence as what is compared. Its context is read as well: it says what "it" is.

    `terms` maps the stem of each content word to the word. `pairs` are the neighbouring words
    that hold at least one of them. `said` is the text without markers of lists and citations.
    """

    def __init__(self, text: str, context: str | None = None, key: str = "") -> None:
        self.key = key
        self.text = text
        self.context = context or ""
        self.said = _MARKERS.sub(" ", text).strip()
        self.words = words(self.said)
        units = self.words if text.isascii() else _units(self.words)
        stems = [stem(unit) for unit in units]
        self.terms = {found: unit for found, unit in zip(stems, units, strict=True) if found}
        spelled = [found or unit for found, unit in zip(stems, units, strict=True)]
        self.pairs = {
            pair for pair in pairwise(spelled) if pair[0] in self.terms or pair[1] in self.terms
        }
        if context:
            for unit in _units(words(context)):
                self.terms.setdefault(stem(unit), unit)
            self.terms.pop("", None)

    @classmethod
    def of(cls, sentence: Sentence) -> ReadSentence:
        """The reading of a keyed sentence."""
        return cls(sentence.text, sentence.context, sentence.key)

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        """Numbers and dates, those of the context too."""
        return [*quantities(self.text), *quantities(self.context)]


class Evidence:
    """All document sentences, with the index from a term to the sentences that hold it.

    A sentence without any word but numbers ("12 | | —") is no evidence: `is_real` is False for it.
    """

    def __init__(self, documents: Sequence[Sentence]) -> None:
        self.sentences = [ReadSentence.of(sentence) for sentence in documents]
        self.documents = [sentence.document for sentence in documents]
        self.is_real = [not all(map(_is_number, item.terms)) for item in self.sentences]
        self.holders: dict[str, list[int]] = {}
        for index, sentence in enumerate(self.sentences):
            if self.is_real[index]:
                for term in sentence.terms:
                    self.holders.setdefault(term, []).append(index)
        # the square root of the idf: rare words tell more, but no single one decides
        self._weights = [
            math.sqrt(max(math.log((len(documents) + 1) / (count + 0.5)), _LEAST_IDF))
            for count in range(len(documents) + 1)
        ]

    def weight(self, term: str) -> float:
        """What a term counts; one that stands nowhere counts most."""
        return self._weights[len(self.holders.get(term, ()))]

    def overlaps(self, weights: Mapping[str, float]) -> list[float]:
        """For each document sentence the weight of those terms that it holds."""
        sums = [0.0] * len(self.sentences)
        for term, weight in weights.items():
            for index in self.holders.get(term, ()):
                sums[index] += weight
        return sums

    @cached_property
    def totals(self) -> list[float]:
        """For each document sentence the weight of all its terms."""
        return [sum(map(self.weight, sentence.terms)) for sentence in self.sentences]

    @cached_property
    def folded_words(self) -> frozenset[str]:
        """Every word of the documents."""
        return frozenset(
            word
            for sentence in self.sentences
            for part in (sentence.words, words(sentence.context))
            for word in part
        )


def _is_number(term: str) -> bool:
    return term[0].isdigit()


def _units(tokens: Iterable[str]) -> list[str]:
    """The words; characters of scripts without spaces are joined two by two."""
    units: list[str] = []
    for unspaced, group in groupby(tokens, is_unspaced):
        run = list(group)
        units += run if not unspaced or len(run) == 1 else map("".join, pairwise(run))
    return units


@lru_cache(maxsize=16384)
def stem(unit: str) -> str:
    """What a word is compared by: "refunds" is "refund", "five" is "5"; "" if it has no content."""
    if unit in DISCOURSE or not is_content(unit):
        return ""
    if unit[0].isdigit():
        return unit.replace(",", "")
    if unit in NUMBER_WORDS:
        return str(NUMBER_WORDS[unit])
    if not unit.isascii():
        is_empty = len(unit) > 1 and is_unspaced(unit) and STOP_WORDS.issuperset(unit)
        return "" if is_empty else unit[: _LONGEST_STEM - 1]
    for ending in _ENDINGS:
        if unit.endswith(ending) and len(unit) - len(ending) >= _SHORTEST_STEM:
            unit = unit[: -len(ending)]
            break
    if len(unit) > _SHORTEST_STEM and unit[-1] in "eyi":
        unit = unit[:-1]
    return unit[:_LONGEST_STEM]
