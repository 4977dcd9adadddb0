"""All features of the lexical judge: numbers about a sentence, without any weight or threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence

_ENOUGH_WORDS: Final = 0.5
_UNKNOWN_PART: Final = 0.3
"""What a word of the question counts that stands in no document: it may be the topic or not."""


class SupportFeatures(NamedTuple):
    """How well one or two document sentences together contain a claim.

    `covered` is the idf-weighted share of its content words that they hold, `pairs` the share of
    its neighbouring words that stand so in one document sentence, `novel` the logarithm of 1 + the
    number of content words that stand in no document and not in the question.
    """

    covered: float
    pairs: float
    novel: float


@dataclass(frozen=True, slots=True)
class Match:
    """The features of a claim with the document sentences they come from.

    `best` are the indices of the sentences that contain most of it together, the best one first.
    `shares` is the share of the claim's weight in each document sentence alone. `missing` are
    those of the `compared` words that the best sentences lack.
    """

    features: SupportFeatures
    best: tuple[int, ...]
    shares: Sequence[float]
    compared: int
    missing: tuple[str, ...]


def match(claim: ReadSentence, evidence: Evidence, asked: ReadSentence) -> Match:
    """Where the documents say what `claim` says; some document sentence must be real.

    Digits choose no sentence, they stand anywhere; the guards compare them as values.
    """
    terms = [term for term in claim.terms if not term[0].isdigit()] or list(claim.terms)
    weights = {term: evidence.weight(term) for term in terms}
    total = math.fsum(weights.values())
    sums = evidence.overlaps(weights)
    best = [_best(sums, evidence)]
    missing = _without(weights, evidence.sentences[best[0]])
    more = evidence.overlaps(missing) if missing else []
    added = max(more, default=0.0)
    if added:
        best.append(_best(more, evidence))
        missing = _without(missing, evidence.sentences[best[1]])
    novel = sum(term not in evidence.holders and term not in asked.terms for term in missing)
    return Match(
        features=SupportFeatures(
            covered=(sums[best[0]] + added) / total,
            pairs=_pairs_in_one(claim, evidence, sums),
            novel=math.log1p(novel),
        ),
        best=tuple(best),
        shares=[value / total for value in sums],
        compared=len(weights),
        missing=tuple(claim.terms[term] for term in missing),
    )


def _without(weights: Mapping[str, float], sentence: ReadSentence) -> dict[str, float]:
    return {term: weight for term, weight in weights.items() if term not in sentence.terms}


def _best(sums: Sequence[float], evidence: Evidence) -> int:
    """The index of the highest sum; of equals the shortest sentence, then the first."""
    highest = max(sums)
    ties = [index for index, value in enumerate(sums) if value == highest]
    return min(ties, key=lambda index: len(evidence.sentences[index].terms))


def _pairs_in_one(claim: ReadSentence, evidence: Evidence, sums: Sequence[float]) -> float:
    """The share of the claim's pairs in one sentence, of those with enough of its words."""
    least = _ENOUGH_WORDS * max(sums)
    candidates = [
        sentence
        for sentence, value in zip(evidence.sentences, sums, strict=True)
        if value and value >= least
    ]
    pairs = {pair for pair in claim.pairs if _tells(pair, claim)}
    if not pairs:
        return float(any(claim.terms.keys() <= item.terms.keys() for item in candidates))
    return max((len(pairs & item.pairs) for item in candidates), default=0) / len(pairs)


def _tells(pair: tuple[str, str], claim: ReadSentence) -> bool:
    return pair[0] in claim.terms or pair[1] in claim.terms


class RelevanceFeatures(NamedTuple):
    """What a document sentence has to do with the question.

    `covered` is the idf-weighted share of the question's words in it, `document` that of the best
    sentence of its document. `length` is the logarithm of 1 + its content words, `position` its
    place in its document in tens.
    """

    covered: float
    document: float
    length: float
    position: float


def relevance_features(question: ReadSentence, evidence: Evidence) -> list[RelevanceFeatures]:
    """For each document sentence; a word that stands nowhere tells that the topic is not there."""
    weights = {term: evidence.weight(term) for term in question.terms}
    total = math.fsum(
        weight if term in evidence.holders else _UNKNOWN_PART * weight
        for term, weight in weights.items()
    )
    covered = [value / total if total else 0.0 for value in evidence.overlaps(weights)]
    result: list[RelevanceFeatures] = []
    for _, group in groupby(range(len(covered)), evidence.documents.__getitem__):
        indices = list(group)
        highest = max(covered[index] for index in indices)
        result += [
            RelevanceFeatures(
                covered=covered[index],
                document=highest,
                length=math.log1p(len(evidence.sentences[index].terms)),
                position=place / 10,
            )
            for place, index in enumerate(indices)
        ]
    return result


class UtilizationFeatures(NamedTuple):
    """How much of a document sentence the response has taken up.

    `taken` is the idf-weighted share of it in the whole response, `given` the largest share of a
    response sentence in it, `alike` the largest overlap of both (Dice).
    """

    taken: float
    given: float
    alike: float


def utilization_features(
    response: Sequence[ReadSentence], evidence: Evidence
) -> list[UtilizationFeatures]:
    """For each document sentence, from the response sentences that claim something."""
    whole: dict[str, float] = {}
    given = alike = [0.0] * len(evidence.sentences)
    for sentence in response:
        weights = {term: evidence.weight(term) for term in sentence.terms}
        whole |= weights
        total = math.fsum(weights.values())
        shared = evidence.overlaps(weights)
        given = [max(old, value / total) for old, value in zip(given, shared, strict=True)]
        alike = [
            max(old, 2 * value / (total + size))
            for old, value, size in zip(alike, shared, evidence.totals, strict=True)
        ]
    taken = [
        value / total if total else 0.0
        for value, total in zip(evidence.overlaps(whole), evidence.totals, strict=True)
    ]
    return [UtilizationFeatures(*values) for values in zip(taken, given, alike, strict=True)]
