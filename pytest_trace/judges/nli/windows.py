"""Premises: what of the documents stands beside a response sentence when a model compares them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pytest_trace.sentences import Sentence

CountTokens = Callable[[Sequence[str]], Sequence[int]]
"""How many tokens each of some texts takes, without those that mark its start and end."""

_MARKS: Final = re.compile(r"^\s*(?:#{1,6}|[-*+•>])\s+|\*\*|`|\[\d+\](?!\()", re.MULTILINE)
"""Marks of Markdown and citations: a model that was fitted to prose has not seen them."""


@dataclass(frozen=True, slots=True)
class Premise:
    """A text with the keys of the document sentences it is made of."""

    keys: tuple[str, ...]
    text: str


def readable(sentence: Sentence) -> str:
    """A sentence as it is read alone: behind its context, without marks of Markdown."""
    return _joined([sentence])


def has_words(text: str) -> bool:
    """Whether a text says anything: a rule of dashes does not."""
    return any(map(str.isalnum, text))


class Premises:
    """The premises that the documents of a trace give, each of at most `room` tokens."""

    def __init__(self, documents: Iterable[Sentence], room: int, count: CountTokens) -> None:
        read = {sentence: readable(sentence) for sentence in documents}
        self._texts = {sentence: text for sentence, text in read.items() if has_words(text)}
        tokens = count(list(self._texts.values()))
        self._tokens = dict(zip(self._texts, tokens, strict=True))
        self._by_key = {sentence.key: sentence for sentence in self._texts}
        self._room = room
        self._count = count

    def single(self) -> Iterator[Premise]:
        """Each sentence alone; one that does not fit in as many pieces as it takes."""
        for sentence, text in self._texts.items():
            fits = self._tokens[sentence] <= self._room
            for piece in [text] if fits else self._pieces(text):
                yield Premise((sentence.key,), piece)

    def runs(self, longest: int) -> Iterator[Premise]:
        """Up to `longest` neighbours of a document together, each run overlapping the next."""
        for _, group in groupby(self._texts, key=lambda sentence: sentence.document):
            sentences, start, end = list(group), 0, 0
            while end < len(sentences):
                end = start + self._fitting(sentences[start : start + longest])
                if end > start + 1:
                    yield self._premise(sentences[start:end])
                start += max(1, (end - start) // 2)

    def together(self, keys: Iterable[str]) -> Premise:
        """These sentences in the order of the documents, as many of the first as fit."""
        sentences = [self._by_key[key] for key in dict.fromkeys(keys)]
        kept = set(sentences[: self._fitting(sentences)])
        return self._premise([sentence for sentence in self._texts if sentence in kept])

    def _fitting(self, sentences: Sequence[Sentence]) -> int:
        """How many of the first sentences fit together, at least one."""
        left = self._room
        for number, sentence in enumerate(sentences):
            left -= self._tokens[sentence]
            if left < 0:
                return max(1, number)
        return len(sentences)

    def _premise(self, sentences: Sequence[Sentence]) -> Premise:
        return Premise(tuple(sentence.key for sentence in sentences), _joined(sentences))

    def _pieces(self, text: str) -> list[str]:
        """Halves, cut between words where there are any, until each fits."""
        if len(text) < 2 or self._count([text])[0] <= self._room:  # noqa: PLR2004 - nothing to cut
            return [text]
        middle = len(text) // 2
        cut = text.rfind(" ", 1, middle + 1)
        cut = cut if cut > 0 else middle
        halves = (text[:cut].strip(), text[cut:].strip())
        return [piece for half in halves if half for piece in self._pieces(half)]


def _joined(sentences: Sequence[Sentence]) -> str:
    """The texts in a row; a context is said once, and not behind the sentence that it is."""
    parts: list[str] = []
    said: set[str | None] = {None}
    for sentence in sentences:
        if sentence.context not in said:
            parts.append(sentence.context or "")
        parts.append(sentence.text)
        said |= {sentence.context, sentence.text}
    return " ".join(_MARKS.sub("", "\n".join(parts)).split())
