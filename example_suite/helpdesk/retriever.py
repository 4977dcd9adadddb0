"""Retrieval of chunks by BM25."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import bm25s

from helpdesk.corpus import Chunk
from helpdesk.words import words

logging.getLogger("bm25s").setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A retrieved chunk with its BM25 score, which has no upper bound."""

    chunk: Chunk
    score: float


class Retriever:
    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._index = bm25s.BM25()
        self._index.index([words(f"{c.title} {c.text}") for c in chunks], show_progress=False)

    def search(self, question: str, *, k: int = 3) -> list[Hit]:
        """At most `k` hits, the best first. Chunks that share no word with the question are out."""
        k = min(k, len(self._chunks))
        positions, scores = self._index.retrieve([words(question)], k=k, show_progress=False)
        return [
            Hit(chunk=self._chunks[position], score=float(score))
            for position, score in zip(positions[0], scores[0], strict=True)
            if score > 0
        ]
