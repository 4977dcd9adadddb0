"""Which document sentences say most of what a claim says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence

_ENOUGH_WORDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Match:
    """Where the documents say what a claim says.

    `covered` is the share of the claim's weight in one or two document sentences together, `best`
    are their indices, the best one first. `shares` is the share in each document sentence alone.
    `missing` are those of the `compared` words that the best sentences lack.
    """

    covered: float
    best: tuple[int, ...]
    shares: Sequence[float]
    pairs: float
    run: float
    compared: int
    missing: tuple[str, ...]


def match(claim: ReadSentence, evidence: Evidence) -> Match:
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
    return Match(
        covered=(sums[best[0]] + added) / total,
        best=tuple(best),
        shares=[value / total for value in sums],
        pairs=_pairs_in_one(claim, evidence, sums),
        run=_longest_run(claim, evidence.sentences[best[0]]),
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


def _longest_run(claim: ReadSentence, sentence: ReadSentence) -> float:
    """The longest run of the claim's pairs that `sentence` has, as a share of all of them."""
    longest = run = count = 0
    for pair in claim.neighbours:
        run = run + 1 if pair in sentence.pairs else 0
        longest = max(longest, run)
        count += 1
    return longest / count if count else 0.0
