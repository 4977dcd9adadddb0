"""Answers put together from sentences of the retrieved chunks. No language model is involved."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from helpdesk.corpus import Chunk
from helpdesk.sentences import quotable
from helpdesk.words import words

REFUSAL = "I could not find an answer to that in the help centre."

_ASKS_FOR_A_FIGURE = re.compile(
    r"^(when|wann)\b|\b(how (long|many|much|old)|costs?|wie (lange|viele?)|kostet)\b", re.IGNORECASE
)
_FIGURE = re.compile(r"\d")
_WHOLE_NUMBER = re.compile(r"(?<![\d.,:])\d+(?![.,:]?\d)")


class Generator(Protocol):
    def generate(self, question: str, chunks: Sequence[Chunk]) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that could be quoted.

    `match` is the share of the question that it covers, from 0 to 1. `score` is less where the
    question asks for a figure and the sentence has none.
    """

    sentence: str
    chunk_id: str
    match: float
    score: float


class ExtractiveGenerator:
    """Quotes the best matching sentence, with up to two from the same chunk that match as well.

    Question and sentence are compared as sets of words, each with its idf weight: a word tells
    more the fewer chunks it is in. A word in the chunk's title counts half.
    """

    smallest_match = 0.5
    title_weight = 0.5
    without_wanted_figure = 0.5
    close_to_best = 0.8
    most_sentences = 3

    def __init__(self, corpus: Sequence[Chunk]) -> None:
        self._corpus_size = len(corpus)
        self._chunks_with = Counter(
            word for chunk in corpus for word in set(words(f"{chunk.title} {chunk.text}"))
        )

    def generate(self, question: str, chunks: Sequence[Chunk]) -> str:
        ranked = self.rank(question, chunks)
        if not ranked or ranked[0].match < self.smallest_match:
            return REFUSAL
        best = ranked[0]
        quoted = [
            candidate.sentence
            for candidate in ranked
            if candidate.chunk_id == best.chunk_id
            and candidate.score >= self.close_to_best * best.score
        ]
        return " ".join(quoted[: self.most_sentences])

    def rank(self, question: str, chunks: Sequence[Chunk]) -> list[Candidate]:
        """All sentences of the chunks, the best first; equals stay in the order of the page."""
        candidates = [
            self._candidate(question, chunk, sentence)
            for chunk in chunks
            for sentence in quotable(chunk.text)
        ]
        return sorted(candidates, key=lambda candidate: -candidate.score)

    def _candidate(self, question: str, chunk: Chunk, sentence: str) -> Candidate:
        asked = set(words(question))
        said = asked.intersection(words(sentence))
        implied = asked.intersection(words(chunk.title)) - said
        weight = self._weight(said) + self.title_weight * self._weight(implied)
        match = weight / self._weight(asked) if asked else 0.0
        lacks_figure = _ASKS_FOR_A_FIGURE.search(question) and not _FIGURE.search(sentence)
        return Candidate(
            sentence=sentence,
            chunk_id=chunk.id,
            match=match,
            score=match * self.without_wanted_figure if lacks_figure else match,
        )

    def _weight(self, vocabulary: set[str]) -> float:
        return math.fsum(
            math.log(1 + self._corpus_size / (0.5 + self._chunks_with[word])) for word in vocabulary
        )


class InventiveGenerator:
    """Quotes like the extractive generator, then adds a sentence that no page contains.

    It behaves like a language model that hallucinates, so that tests have something to catch.
    """

    def __init__(self, honest: ExtractiveGenerator, invent: Callable[[str], str]) -> None:
        self._honest = honest
        self._invent = invent

    def generate(self, question: str, chunks: Sequence[Chunk]) -> str:
        """The honest response and the next best sentence that the invention changes."""
        response = self._honest.generate(question, chunks)
        if response == REFUSAL:
            return response
        unused = [
            candidate.sentence
            for candidate in self._honest.rank(question, chunks)
            if candidate.sentence not in response
        ]
        invented = [self._invent(sentence) for sentence in unused]
        changed = [new for new, old in zip(invented, unused, strict=True) if new != old]
        return " ".join([response, *changed[:1]])


def invent_figure(sentence: str) -> str:
    """The sentence with each whole number half as large again, rounded up."""
    return _WHOLE_NUMBER.sub(lambda number: str(math.ceil(int(number[0]) * 1.5)), sentence)


def invent_name(sentence: str) -> str:
    """The sentence as the statement of a person and a company that do not exist."""
    return f"{sentence.removesuffix('.')}, says Marta Lindqvist of Halden Analytics."
