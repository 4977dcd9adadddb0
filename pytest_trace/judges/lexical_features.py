"""All features of the lexical judge: numbers about a sentence, without any weight or threshold."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from pytest_trace.judges.lexical_matching import Match
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence

_WITHOUT_QUESTION: Final = 0.46
_ONE_DOCUMENT: Final = 0.48
"""What features count that a trace lacks: about their means where it has them."""
_FEEDBACK_SENTENCES: Final = 3
_UNKNOWN_PART: Final = 0.3
"""What a word of the question counts that stands in no document: it may be the topic or not."""


class SupportFeatures(NamedTuple):
    """How well the documents contain a claim; the last four are the same for a whole response.

    `covered` is the idf-weighted share of its content words that its best document sentence holds
    alone, `pairs` the share of its neighbouring words that stand so in one document sentence,
    `asked` the share of the question's words in the best sentence. `copied` is the mean over the
    claims of the longest run of words that stands so in the best sentence, as a share of the claim,
    `agreeing` the share of the response's words in the document that holds the second most of
    them, and `claims` the logarithm of 1 + the number of claims.
    """

    covered: float
    pairs: float
    asked: float
    copied: float
    agreeing: float
    claims: float


def support_features(
    claims: Sequence[ReadSentence],
    matches: Sequence[Match],
    evidence: Evidence,
    question: ReadSentence,
) -> list[SupportFeatures]:
    """For each claim with its match."""
    if not matches:
        return []
    copied = math.fsum(found.run for found in matches) / len(matches)
    agreeing = _second_document(claims, evidence)
    return [
        SupportFeatures(
            covered=found.shares[found.best[0]],
            pairs=found.pairs,
            asked=_asked(question, evidence.sentences[found.best[0]]),
            copied=copied,
            agreeing=agreeing,
            claims=math.log1p(len(matches)),
        )
        for found in matches
    ]


def _asked(question: ReadSentence, sentence: ReadSentence) -> float:
    if not question.terms:
        return _WITHOUT_QUESTION
    return len(question.terms.keys() & sentence.terms.keys()) / len(question.terms)


def _second_document(claims: Sequence[ReadSentence], evidence: Evidence) -> float:
    if len(set(evidence.documents)) == 1:
        return _ONE_DOCUMENT
    terms = {term for claim in claims for term in claim.terms}
    counts: dict[int | None, int] = defaultdict(int)
    document_of = evidence.documents.__getitem__
    for term in terms:
        for document in set(map(document_of, evidence.holders.get(term, ()))):
            counts[document] += 1
    return sorted([0, 0, *counts.values()])[-2] / len(terms)


class RelevanceFeatures(NamedTuple):
    """What a document sentence has to do with the question, whatever the response.

    `covered` is the idf-weighted share of the question's words in it, `document` that of the best
    sentence of its document, `alike` the share of the words of the sentences closest to the
    question that it has, and `share` that of its own words that were asked for. `length` is the
    logarithm of 1 + its content words, `position` its place in its document in tens.
    """

    covered: float
    document: float
    alike: float
    share: float
    length: float
    position: float


def relevance_features(question: ReadSentence, evidence: Evidence) -> list[RelevanceFeatures]:
    """For each document sentence; a word that stands nowhere tells that the topic is not there."""
    weights = {term: evidence.weight(term) for term in question.terms}
    total = math.fsum(
        weight if term in evidence.holders else _UNKNOWN_PART * weight
        for term, weight in weights.items()
    )
    sums = evidence.overlaps(weights)
    covered = [value / total if total else 0.0 for value in sums]
    alike = _like_the_closest(covered, evidence)
    highest: list[float] = []
    positions: list[float] = []
    for _, group in groupby(zip(covered, evidence.documents, strict=True), itemgetter(1)):
        values = [value for value, _ in group]
        highest += [max(values)] * len(values)
        positions += [place / 10 for place in range(len(values))]
    share = [value and value / total for value, total in zip(sums, evidence.totals, strict=True)]
    length = [math.log1p(len(sentence.terms)) for sentence in evidence.sentences]
    columns = (covered, highest, alike, share, length, positions)
    return [RelevanceFeatures(*values) for values in zip(*columns, strict=True)]


def _like_the_closest(covered: Sequence[float], evidence: Evidence) -> Sequence[float]:
    """The share of the words of the sentences closest to the question that each sentence has."""
    closest = sorted(range(len(covered)), key=covered.__getitem__, reverse=True)
    weights: dict[str, float] = {}
    for index in closest[:_FEEDBACK_SENTENCES]:
        if covered[index]:
            for term in evidence.sentences[index].terms:
                added = evidence.weight(term) * covered[index]
                weights[term] = weights.get(term, 0.0) + added
    total = math.fsum(weights.values())
    return [value / total for value in evidence.overlaps(weights)] if total else covered


def on_topic(claims: Sequence[ReadSentence], question: ReadSentence, evidence: Evidence) -> float:
    """How much of the question the claims take up, from 0 to 1: an answer says what was asked.

    It is the idf-weighted share of the question's words in them, as a part of the highest such
    share among the document sentences; 0 where no document has a word of the question.
    """
    weights = {term: evidence.weight(term) for term in question.terms if term in evidence.holders}
    highest = max(evidence.overlaps(weights), default=0.0)
    taken_up = math.fsum(
        weight for term, weight in weights.items() if any(term in claim.terms for claim in claims)
    )
    return min(1.0, taken_up / highest) if highest else 0.0


class UtilizationFeatures(NamedTuple):
    """How much of a document sentence the response has taken up.

    `taken` is the idf-weighted share of it in the whole response, `before` and `after` are those of
    its neighbours. `given` is the largest share of a response sentence in it and `alike` the
    largest overlap of both (Dice), each as a part of the highest among the document sentences.
    """

    taken: float
    given: float
    alike: float
    before: float
    after: float


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
    columns = (taken, _of_highest(given), _of_highest(alike), [0.0, *taken], [*taken[1:], 0.0])
    return [UtilizationFeatures(*values) for values in zip(*columns, strict=False)]


def _of_highest(values: Sequence[float]) -> Sequence[float]:
    highest = max(values, default=0.0)
    return [value / highest for value in values] if highest else values
