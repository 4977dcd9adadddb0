"""All features of the lexical judge: numbers about a sentence, without any weight or threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence


class SupportFeatures(NamedTuple):
    """How well one or two document sentences together contain a claim.

    `covered` is the idf-weighted share of its content words that they hold, `pairs` the share of
    its neighbouring words that stand so in one document sentence, `missing` the logarithm of 1 +
    the number of content words they lack.
    """

    covered: float
    pairs: float
    missing: float


@dataclass(frozen=True, slots=True)
class Match:
    """The features of a claim with the document sentences they come from.

    `best` are the indices of the sentences that contain most of it together, the best one first.
    `shares` is the share of the claim's weight in each document sentence alone.
    """

    features: SupportFeatures
    best: tuple[int, ...]
    shares: Sequence[float]
    missing: tuple[str, ...]


def match(claim: ReadSentence, evidence: Evidence) -> Match:
    """Where the documents say what `claim` says.

    Digits choose no sentence, they stand anywhere; the guards compare them as values.
    """
    words = [term for term in claim.terms if not term[0].isdigit()] or list(claim.terms)
    weights = {term: evidence.weight(term) for term in words}
    total = math.fsum(weights.values())
    sums = evidence.overlaps(weights)
    first = _best(sums, evidence)
    rest = {
        term: weight
        for term, weight in weights.items()
        if term not in evidence.sentences[first].terms
    }
    more = evidence.overlaps(rest)
    second = _best(more, evidence)
    best = (first, second) if more[second] else (first,)
    missing = [term for term in rest if term not in evidence.sentences[second].terms]
    features = SupportFeatures(
        covered=(sums[first] + more[second]) / total,
        pairs=_pairs_in_one(claim, evidence),
        missing=math.log1p(len(missing)),
    )
    shares = [value / total for value in sums]
    return Match(features, best, shares, tuple(claim.terms[term] for term in missing))


def _best(sums: Sequence[float], evidence: Evidence) -> int:
    """The index of the highest sum; of equals the shortest sentence, then the first."""
    highest = max(sums)
    ties = [index for index, value in enumerate(sums) if value == highest]
    return min(ties, key=lambda index: len(evidence.sentences[index].terms))


def _pairs_in_one(claim: ReadSentence, evidence: Evidence) -> float:
    if not claim.pairs:
        return float(any(claim.terms.keys() <= item.terms.keys() for item in evidence.sentences))
    held = max(len(claim.pairs & sentence.pairs) for sentence in evidence.sentences)
    return held / len(claim.pairs)


class RelevanceFeatures(NamedTuple):
    """What a document sentence has to do with the question.

    `covered` is the idf-weighted share of the question's words in it; `document` is that of the
    best sentence of its document, `neighbour` that of the sentence before or after it. `length` is
    the logarithm of 1 + its content words, `position` its place in its document in tens.
    """

    covered: float
    document: float
    neighbour: float
    length: float
    position: float


def relevance_features(question: ReadSentence, evidence: Evidence) -> list[RelevanceFeatures]:
    """For each document sentence; words of the question that stand nowhere count for nothing."""
    weights = {
        term: evidence.weight(term) for term in question.terms if term in evidence.holders
    }
    total = math.fsum(weights.values()) or 1.0
    covered = [value / total for value in evidence.overlaps(weights)]
    result: list[RelevanceFeatures] = []
    start = 0
    for index, document in enumerate(evidence.documents):
        if document != evidence.documents[start]:
            start = index
        ...
    return result
