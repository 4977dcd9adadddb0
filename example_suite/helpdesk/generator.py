"""Answers made of sentences that stand in the retrieved chunks."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from helpdesk.corpus import Chunk
from helpdesk.sentences import quotable
from helpdesk.words import words

REFUSAL = "I could not find an answer to that in the help centre."


class Generator(Protocol):
    def generate(self, question: str, chunks: Sequence[Chunk]) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that could be quoted."""

    text: str
    score: float
    coverage: float


class ExtractiveGenerator:
    """Quotes up to three sentences that share the most telling words with the question.

    A word tells more the fewer chunks it is in (its idf weight).
    """

    minimum_coverage = 0.5
    maximum_gap = 0.25
    maximum_sentences = 3

    def __init__(self, corpus: Sequence[Chunk]) -> None:
        self._chunk_counts = Counter(
            word for chunk in corpus for word in set(words(f"{chunk.title} {chunk.text}"))
        )
        self._size = len(corpus)

    def generate(self, question: str, chunks: Sequence[Chunk]) -> str:
        candidates = self.candidates(question, chunks)
        best = max(candidates, key=lambda c: c.score, default=None)
        if best is None or best.coverage < self.minimum_coverage:
            return REFUSAL
        ranked = sorted(candidates, key=lambda c: -c.score)[: self.maximum_sentences]
        floor = best.score * (1 - self.maximum_gap)
        chosen = [c for c in candidates if c in ranked and c.score >= floor]
        return " ".join(c.text for c in chosen)

    def candidates(self, question: str, chunks: Sequence[Chunk]) -> list[Candidate]:
        asked = set(words(question))
        return [self._candidate(s, asked, set(words(c.title))) for c in chunks for s in quotable(c.text)]

    def _candidate(self, text, asked, title) -> Candidate:
        said = asked & set(words(text))
        implied = asked & title - said
        total = self._weight(asked) or 1
        return Candidate(
            text=text,
            score=(self._weight(said) + 0.5 * self._weight(implied))/total,
            coverage=self._weight(said | implied) / total,
        )

    def _weight(self, vocabulary: set[str]) -> float:
        return sum(math.log(1+self._size / (0.5 + self._chunk_counts[word])) for word in sorted(vocabulary))
