"""Which document sentences matter to the question.

The question decides, and an answer to it adds what its words cannot tell: a sentence that an answer
rests on matters, though it may share no word with the question. How much the response counts is its
trust: the share of its claims that are supported, times how much of the question they take up. A
refusal, an invention and an answer to something else have none, so that a retriever is not blamed
for what a generator makes of its documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_trace.judges.lexical_features import UtilizationFeatures, on_topic, relevance_features
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence
from pytest_trace.judges.lexical_weights import lexical_weights, logistic
from pytest_trace.verdict import SentenceSupport

_UNASKED: Final = 0.5
"""What is left of a sentence like nothing that was asked, if the response cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """For each document key how probably it matters, and from which probability on it does."""

    probability: Mapping[str, float]
    threshold: float

    @property
    def keys(self) -> frozenset[str]:
        """The sentences that matter."""
        return frozenset(key for key, value in self.probability.items() if value >= self.threshold)


def trust_in(
    claims: Sequence[ReadSentence],
    support: Sequence[SentenceSupport],
    asked: ReadSentence,
    evidence: Evidence,
) -> float:
    """How far the response tells what matters, from 0 to 1; `support` is that of the claims."""
    if not claims:
        return 0.0
    share = sum(item.supported for item in support) / len(claims)
    return share and share * on_topic(claims, asked, evidence)


def relevance(
    asked: ReadSentence, evidence: Evidence, taken: Sequence[UtilizationFeatures], trust: float
) -> Relevance:
    """By the question, and by what a response with this trust has taken up of each sentence."""
    weights = lexical_weights()
    features = relevance_features(asked, evidence)
    by_question = weights.relevance.log_odds(features)
    by_answer = weights.answer.log_odds(taken)
    unasked = _UNASKED + (1 - _UNASKED) * trust
    probability = {
        sentence.key: (1.0 if each.alike else unasked) * logistic(question + trust * answer)
        for sentence, each, question, answer in zip(
            evidence.sentences, features, by_question, by_answer, strict=True
        )
    }
    low, high = weights.relevance.threshold, weights.answer.threshold
    return Relevance(probability, low + trust * (high - low))
