"""Citation accuracy: does the document that a sentence cites support it?

    citation accuracy = correct citations / citations of sentences that claim something

What is wrong is told apart: the wrong passage, a sentence that nothing supports, a number or name
that stands for no document, and a claim without a citation. The last is counted beside the
accuracy, as `coverage`. This is the precision of citations of ALCE (Gao et al., EMNLP 2023), for
one sentence and one judge's verdict.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from pytest_trace.language.words import words
from pytest_trace.marks import CheckedSupport
from pytest_trace.measures.citation_marks import CitationMark, CitedResponse
from pytest_trace.sentences import KeyedTrace, Sentence

CitationStatus = Literal["correct", "wrong_passage", "unsupported", "unknown", "no_claim"]
"""`wrong_passage`: the sentence has support, but not there. `unsupported`: it has none anywhere.
`unknown`: the number or name stands for no document. `no_claim`: there is nothing to support."""

SupportsAlone = Callable[[int], frozenset[str]]
"""The keys of the response sentences that the document of this index supports by itself."""

_SENTENCE_END: Final = re.compile(r"[.!?…。！？][\"”»')\]*_]*[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation of the response sentence `key`: what it says, and whether it is right.

    `document` is the index of the cited document, `supporting` those of the documents that
    support the sentence.
    """

    text: str
    target: str
    start: int
    end: int
    key: str
    document: int | None
    status: CitationStatus
    supporting: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """This citation as JSON values."""
        return asdict(self) | {"supporting": list(self.supporting)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Citation:
        """The inverse of `to_json`."""
        return cls(**{**data, "supporting": tuple(data["supporting"])})


@dataclass(frozen=True, slots=True)
class Citations:
    """The citations of a response, in order, and the claiming sentences without one.

    `claims` counts the sentences that claim something, cited or not.
    """

    citations: tuple[Citation, ...]
    missing: tuple[str, ...]
    claims: int
    numbering_from: int = 1

    @property
    def value(self) -> float | None:
        """The share of citations that are correct, in [0, 1]; None where none is counted."""
        counted = [item.status == "correct" for item in self.citations if item.status != "no_claim"]
        return sum(counted) / len(counted) if counted else None

    @property
    def coverage(self) -> float | None:
        """The share of claiming sentences with a citation; None where nothing is claimed."""
        return 1 - len(self.missing) / self.claims if self.claims else None

    @property
    def wrong(self) -> tuple[Citation, ...]:
        """The citations that are not correct, of sentences that claim something."""
        return tuple(item for item in self.citations if item.status not in {"correct", "no_claim"})

    def number(self, document: int) -> int:
        """The number that the response would cite the document of this index by."""
        return document + self.numbering_from

    def to_json(self) -> dict[str, Any]:
        """The shares and every citation as JSON values."""
        return {
            "value": self.value,
            "coverage": self.coverage,
            "claims": self.claims,
            "missing": list(self.missing),
            "numbering_from": self.numbering_from,
            "citations": [item.to_json() for item in self.citations],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Citations:
        """The inverse of `to_json`."""
        return cls(
            tuple(Citation.from_json(item) for item in data["citations"]),
            tuple(data["missing"]),
            data["claims"],
            data["numbering_from"],
        )


def check_citations(
    sentences: KeyedTrace,
    supports: Sequence[CheckedSupport],
    *,
    numbering_from: int = 1,
    supports_alone: SupportsAlone | None = None,
) -> Citations:
    """The citations of the response by a judge's verdict on it, as the mark policy left it.

    A cited document is right if the verdict names a sentence of it, or one with the same words. A
    verdict need not name all that would do, so `supports_alone` is asked about a document that it
    does not name, once for each. `numbering_from` is the number of the first document, 1 or 0;
    anything else raises `ValueError`.
    """
    if isinstance(numbering_from, bool) or numbering_from not in {0, 1}:
        raise ValueError(f"numbering_from is {numbering_from!r}; expected 1 or 0")
    cited = CitedResponse(sentences.trace.response, sentences.trace.documents, numbering_from)
    check = _Check(sentences, supports, supports_alone)
    found = [check.citation(mark, key) for mark, key in _placed(sentences, cited.marks)]
    with_citation = {citation.key for citation in found}
    claims = [
        sentence
        for sentence, support in zip(sentences.response, supports, strict=True)
        if support.role == "claim" and _says_something(sentence, cited)
    ]
    missing = tuple(sentence.key for sentence in claims if sentence.key not in with_citation)
    return Citations(tuple(found), missing, len(claims), int(numbering_from))


def _says_something(sentence: Sentence, cited: CitedResponse) -> bool:
    """Whether it is no list of references, and has words beside its citations."""
    if cited.is_reference(sentence.start):
        return False
    text = sentence.text
    for mark in cited.marks:
        if sentence.start <= mark.start < sentence.end:
            text = text.replace(mark.text, " ")
    return bool(words(text))


def _placed(
    sentences: KeyedTrace, marks: Iterable[CitationMark]
) -> Iterator[tuple[CitationMark, str]]:
    """Each citation with the sentence that it stands on: behind a full stop, the one before."""
    response, last_end, anchor = sentences.trace.response, -1, 0
    for mark in marks:
        is_first = last_end < 0 or bool(response[last_end : mark.start].strip(" \t"))
        if is_first:  # of those that stand side by side
            before = response[: mark.start]
            ends = _SENTENCE_END.search(before.rpartition("\n")[2])
            anchor = len(before.rstrip()) - 1 if ends else mark.start
        last_end = mark.end
        yield mark, _sentence_at(sentences.response, anchor).key


def _sentence_at(response: Sequence[Sentence], offset: int) -> Sentence:
    before = [sentence for sentence in response if sentence.start <= offset]
    return before[-1] if before else response[0]


class _Check:
    """The citations of one response against one verdict."""

    def __init__(
        self,
        sentences: KeyedTrace,
        supports: Sequence[CheckedSupport],
        supports_alone: SupportsAlone | None,
    ) -> None:
        self._by_key = sentences.by_key
        self._supports = {support.key: support for support in supports}
        self._supports_alone = supports_alone
        self._alone: dict[int, frozenset[str]] = {}
        self._same: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for sentence in sentences.documents:
            if sentence.document is not None:
                self._same[tuple(words(sentence.text))].add(sentence.document)

    def citation(self, mark: CitationMark, key: str) -> Citation:
        support = self._supports[key]
        documents = self._supporting(support, names_one=not mark.target.isdecimal())
        status = self._status(mark.document, support, documents)
        return Citation(
            mark.text,
            mark.target,
            mark.start,
            mark.end,
            key,
            mark.document,
            status,
            tuple(sorted(documents)) if support.is_supported else (),
        )

    def _supporting(self, support: CheckedSupport, *, names_one: bool) -> set[int]:
        """The documents with a sentence that the verdict names, or one that reads the same.

        Where the citation names its document, a title is no evidence: it stands in the citation.
        """
        named = [self._by_key[key] for key in support.document_keys]
        if names_one:
            named = [item for item in named if item.key.startswith(f"doc_{item.document}_s")]
        return {index for item in named for index in self._same[tuple(words(item.text))]}

    def _status(
        self, document: int | None, support: CheckedSupport, supporting: set[int]
    ) -> CitationStatus:
        if document is None:
            return "unknown"
        if support.role != "claim":
            return "no_claim"
        if not support.is_supported:
            return "unsupported"
        is_right = document in supporting or support.key in self._supported_by(document)
        return "correct" if is_right else "wrong_passage"

    def _supported_by(self, document: int) -> frozenset[str]:
        if document not in self._alone:
            asked = self._supports_alone
            self._alone[document] = asked(document) if asked else frozenset()
        return self._alone[document]
