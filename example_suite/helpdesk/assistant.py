"""The assistant: retrieval, then generation."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from helpdesk.corpus import Chunk, read_chunks
from helpdesk.generator import ExtractiveGenerator, Generator
from helpdesk.retriever import Retriever


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    question: str
    chunks: tuple[Chunk, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    retriever: Retriever
    generator: Generator

    @classmethod
    def over(cls, pages: Path) -> Self:
        chunks = read_chunks(pages)
        return cls(retriever=Retriever(chunks), generator=ExtractiveGenerator(chunks))

    def with_generator(self, generator: Generator) -> Self:
        return replace(self, generator=generator)

    def ask(self, question: str) -> Answer:
        chunks = tuple(hit.chunk for hit in self.retriever.search(question))
        return Answer(
            question=question, chunks=chunks, text=self.generator.generate(question, chunks)
        )

    async def aask(self, question: str) -> Answer:
        return await asyncio.to_thread(self.ask, question)
