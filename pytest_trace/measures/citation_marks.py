"""Finds citations in a response: `[2]`, `[1, 3]`, `[1-3]`, `[^2]`, `(doc 2)`, `(Source: title)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_trace.trace import Document

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_GROUP: Final = re.compile(
    r"\[(?P<square>[^\[\]\n]{1,200})\](?P<link>\((?:https?://|/|#)[^)\s]*\))?"
    r"|【(?P<wide>[^【】\n]{1,200})】|\((?P<round>[^()\n]{1,200})\)"
)
_NUMBER: Final = r"\d{1,3}"
_SPAN: Final = rf"{_NUMBER}(?:\s*[-–]\s*{_NUMBER})?"
_NUMBERS: Final = re.compile(rf"\^?{_SPAN}(?:\s*(?:[,;&]|and)\s*\^?{_SPAN})*")
_LABELLED: Final = re.compile(
    r"(?:doc|document|source|passage|context|chunk|excerpt|ref|reference|citation|dokument|quelle"
    rf"|fuente|documento)s?\.?\s*[:#]?\s*(?:no\.\s*)?(?P<numbers>{_NUMBERS.pattern})",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"(?:sources?|quellen?|fuentes?)\s*:\s*(?P<names>\S.*)", re.IGNORECASE)
_FROM: Final = re.compile(
    r"(?:see|from|cf\.?|according to|siehe|aus)\s+(?P<name>\S.*)", re.IGNORECASE
)
_LOCATOR: Final = re.compile(
    r"(?:(?:pages?|pp?\.|seiten?|s\.|sections?|chapters?|lines?|§)\s*)?[\divx–-]+", re.IGNORECASE
)
_OPENAI: Final = re.compile(r"†.*")
_FOOTNOTE: Final = re.compile(r"^ {0,3}\[\^(?P<name>[^\]\s]+)\]:(?P<text>.*)$", re.MULTILINE)
_HEADING: Final = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*)?[*_]*(?:sources|references|citations|bibliography|footnotes|quellen"
    r"|fuentes|referencias|références)[*_]*[ \t]*(?::|$)",
    re.MULTILINE | re.IGNORECASE,
)
_ENTRY: Final = re.compile(
    rf"^[ \t]*(?:[-*•][ \t]*)?(?:\[\^?({_NUMBER})\]:?|({_NUMBER})[.)])[ \t]*(.+)$", re.MULTILINE
)
_NAME_KEYS: Final = ("source", "title", "url")
_SHORTEST_NAME: Final = 3


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One target of a citation: `[1, 3]` has two, with the same place in the response.

    `document` is the index of the document that it stands for, None where it stands for none.
    """

    text: str
    target: str
    start: int
    end: int
    document: int | None


class CitedResponse:
    """The citations of one response and the list of references that it may end with.

    `numbering_from` is the number of the first document, 1 or 0. A document is named by its id,
    its title, or the `source`, `title` or `url` of its metadata.
    """

    def __init__(self, response: str, documents: Sequence[Document], numbering_from: int) -> None:
        self._response = response
        self._documents = documents
        self._numbering_from = numbering_from
        self._text = _CODE.sub(lambda match: " " * len(match.group()), response)

    @cached_property
    def marks(self) -> tuple[CitationMark, ...]:
        """The citations in order, those of the references' list left out."""
        return tuple(
            CitationMark(match.group(), target, match.start(), match.end(), document)
            for match in _GROUP.finditer(self._text)
            if not self.is_reference(match.start())
            for target, document in self._targets(match)
        )

    def is_reference(self, offset: int) -> bool:
        """Whether the response has a list of references or the text of a footnote there."""
        if self._list_start is not None and offset >= self._list_start:
            return True
        return any(note.start() <= offset < note.end() for note in self._footnotes)

    @cached_property
    def _footnotes(self) -> Sequence[re.Match[str]]:
        return list(_FOOTNOTE.finditer(self._text))

    @cached_property
    def _list_start(self) -> int | None:
        """Where the list of references starts; the last heading of that kind counts."""
        headings = [match.start() for match in _HEADING.finditer(self._text)]
        return headings[-1] if headings and headings[-1] else None

    @cached_property
    def _named(self) -> Mapping[str, int]:
        """Each name of a document with its index; of documents with one name the first."""
        found: dict[str, int] = {}
        for index, document in enumerate(self._documents):
            values = [document.id, document.title, *map(document.metadata.get, _NAME_KEYS)]
            for value in values:
                if isinstance(value, str) and value.strip():
                    found.setdefault(_folded(value), index)
        return found

    @cached_property
    def _defined(self) -> Mapping[str, int]:
        """What footnotes and the list of references say a number stands for."""
        texts = {note["name"]: note["text"] for note in self._footnotes}
        if self._list_start is not None:
            for entry in _ENTRY.finditer(self._text, self._list_start):
                texts.setdefault(entry[1] or entry[2], entry[3])
        found = {name: self._named_in(text) for name, text in texts.items()}
        return {name: document for name, document in found.items() if document is not None}

    def _named_in(self, text: str) -> int | None:
        """The document with the longest name that stands in `text`."""
        folded = _folded(text)
        names = [
            name
            for name in self._named
            if len(name) >= _SHORTEST_NAME and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded)
        ]
        return self._named[max(names, key=len)] if names else None

    def _targets(self, match: re.Match[str]) -> Iterator[tuple[str, int | None]]:
        content = _OPENAI.sub("", match["square"] or match["wide"] or match["round"]).strip()
        if labelled := _LABELLED.fullmatch(content):
            yield from self._numbered(labelled["numbers"])
        elif not match["round"] and _NUMBERS.fullmatch(content):
            yield from self._numbered(content)
        elif (name := _folded(content.removeprefix("^"))) in {*self._named, *self._defined}:
            yield content, self._named.get(name, self._defined.get(name))
        elif named := _NAMED.fullmatch(content):
            yield from self._sources(named["names"])
        elif (source := _FROM.fullmatch(content)) and _folded(source["name"]) in self._named:
            yield source["name"], self._named[_folded(source["name"])]
        elif content.startswith("^") and not match["round"]:
            yield content, None

    def _sources(self, names: str) -> Iterator[tuple[str, int | None]]:
        """The documents of "Source: A; B"; a name may hold a comma, so the whole is tried first."""
        if (document := self._named.get(_folded(names))) is not None:
            yield names, document
            return
        if _NUMBERS.fullmatch(names):
            yield from self._numbered(names)
            return
        parts = [part.strip() for part in re.split(r"[;,]", names)]
        parts = [part for part in parts if part and not _LOCATOR.fullmatch(part)]
        known = [self._named.get(_folded(part)) for part in parts]
        if any(document is not None for document in known):
            yield from zip(parts, known, strict=True)
        else:
            yield names, None

    def _numbered(self, numbers: str) -> Iterator[tuple[str, int | None]]:
        for span in re.findall(_SPAN, numbers):
            ends = [int(digits) for digits in re.findall(r"\d+", span)]
            is_range = ends[0] < ends[-1]
            for number in range(ends[0], ends[-1] + 1) if is_range else ends:
                yield str(number), self._document(number)

    def _document(self, number: int) -> int | None:
        if (defined := self._defined.get(str(number))) is not None:
            return defined
        index = number - self._numbering_from
        return index if 0 <= index < len(self._documents) else self._named.get(str(number))


def _folded(name: str) -> str:
    return " ".join(name.casefold().split()).strip(" .,;:\"'“”*_")
