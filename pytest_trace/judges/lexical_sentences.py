"""What the lexical judge reads of a sentence, and of all document sentences together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import Final

from pytest_trace.language.quantities import Quantity, quantities
from pytest_trace.language.quantity_hints import digit_groups, may_hold_quantities
from pytest_trace.language.stop_words import DISCOURSE, STOP_WORDS
from pytest_trace.language.units import NUMBER_WORDS
from pytest_trace.language.words import has_negation, has_unspaced, is_content, is_unspaced, words
from pytest_trace.sentences import Sentence

_MARKERS: Final = re.compile(
    r"^\s*(?:[-*•>#]+\s*)?\(?\d{1,3}[.)](?=\s|$)|(?<=[.!?:;,)\"”]\s)\d{1,2}[.)]\s*$|\[\d+\]"
)
"""Numbers of a list or a citation, as they stand at the start and the end of a sentence."""
_AFTER_DIGITS: Final = ":"
_ENDINGS: Final = ("ing", "edly", "ed", "es", "en", "s", "ly")
_SHORTEST_STEM: Final = 3
_LONGEST_STEM: Final = 7
_LEAST_IDF: Final = 0.3


class ReadSentence:
    """One sentence as what is compared. Its context is read as well: it says what "it" is.

    `said` is the text without markers of lists and citations, `terms` maps the stem of each
    content word to the word.
    """

    def __init__(self, text: str, context: str | None = None, key: str = "") -> None:
        self.key = key
        self.text = text
        self.context = context or ""
        self.said = text
        self.words = words(text)
        if self.words and (min(self.words[0], self.words[-1]) < _AFTER_DIGITS or "[" in text):
            self.said = _MARKERS.sub(" ", text).strip()
            self.words = words(self.said)
        units = _units(self.words) if has_unspaced(text) else self.words
        stems = list(map(stem, units))
        self.terms = dict(zip(stems, units, strict=True))
        self._joined = [term or unit for term, unit in zip(stems, units, strict=True)]
        if context:
            for unit in _units(words(context)):
                self.terms.setdefault(stem(unit), unit)
        self.terms.pop("", None)

    @classmethod
    def of(cls, sentence: Sentence) -> ReadSentence:
        """The reading of a keyed sentence."""
        return cls(sentence.text, sentence.context, sentence.key)

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """The neighbouring words, stop words too: they tell "within" from "after"."""
        return set(pairwise(self._joined))

    @cached_property
    def neighbours(self) -> Sequence[tuple[str, str]]:
        """The pairs in order, as often as they stand."""
        return list(pairwise(self._joined))

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        """Numbers and dates, those of the context too."""
        here = quantities(self.text) if may_hold_quantities(self.text, self.words) else []
        return [*here, *quantities(self.context)] if self.context else here

    @cached_property
    def digit_groups(self) -> frozenset[str] | None:
        """The ends of its numbers, to see fast that it cannot say a quantity; None if it may."""
        return digit_groups(self.text, self.words) if not self.context else None

    @cached_property
    def is_negated(self) -> bool:
        """Whether one of its words negates."""
        return has_negation(self.words)


class Evidence:
    """All document sentences, with the index from a term to the sentences that hold it.

    A sentence without any word but numbers ("12 | | —") is no evidence: `is_real` is False for it.
    `totals` has for each sentence the weight of all its terms.
    """

    def __init__(self, documents: Sequence[Sentence]) -> None:
        self.sentences = [ReadSentence.of(sentence) for sentence in documents]
        self.documents = [sentence.document for sentence in documents]
        self.is_real = [not all(map(_is_number, item.terms)) for item in self.sentences]
        self.holders: dict[str, list[int]] = {}
        for index, sentence in enumerate(self.sentences):
            for term in sentence.terms if self.is_real[index] else ():
                self.holders.setdefault(term, []).append(index)
        # the square root of the idf: rare words tell more, but no single one decides
        by_count = [
            math.sqrt(max(math.log((len(documents) + 1) / (count + 0.5)), _LEAST_IDF))
            for count in range(len(documents) + 1)
        ]
        self._weight_of_unknown = by_count[0]
        self._weights: dict[str, float] = {}
        self.totals = [0.0] * len(documents)
        for term, held in self.holders.items():
            weight = self._weights[term] = by_count[len(held)]
            for index in held:
                self.totals[index] += weight

    def weight(self, term: str) -> float:
        """What a term counts; one that stands nowhere counts most."""
        return self._weights.get(term, self._weight_of_unknown)

    def overlaps(self, weights: Mapping[str, float]) -> list[float]:
        """For each document sentence the weight of those terms that it holds."""
        sums = [0.0] * len(self.sentences)
        for term, weight in weights.items():
            for index in self.holders.get(term, ()):
                sums[index] += weight
        return sums

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
