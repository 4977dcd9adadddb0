"""One JSON row of labels: its fields, checked, and the document sentences that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from pytest_trace.datasets.json_files import json_object
from pytest_trace.errors import InvalidCase, InvalidTrace
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Document, Trace

_OWN: Final = "relevant_doc_sentences"
_SHOWN: Final = 60
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A row and where it stands. Everything wrong with it is an `InvalidCase` that says where."""

    data: Mapping[str, Any]
    line: int
    where: str

    @classmethod
    def loads(cls, text: str, line: int, file: str) -> LabelRow:
        """The row in a line of a file."""
        where = f"{file}:{line}"
        return cls(json_object(text, where), line, where)

    def fault(self, name: str, what: str) -> InvalidCase:
        """What is wrong with a field."""
        return InvalidCase(f"{self.where}, field {name}: {what}")

    @property
    def id(self) -> str:
        """The row's `id`, or its line number."""
        identifier = self.data.get("id")
        return str(self.line if identifier is None else identifier)

    @property
    def has_response(self) -> bool:
        """Whether there is anything to judge."""
        return bool((self.text("response") or "").strip())

    def text(self, name: str) -> str | None:
        """A string, or None where the row has none."""
        return self._typed(name, str, "a string")

    def flag(self, name: str) -> bool | None:
        """true, false or null."""
        return self._typed(name, bool, "true, false or null")

    def mapping(self, name: str) -> Mapping[str, Any] | None:
        """An object, or None where the row has none."""
        return self._typed(name, dict, "an object or null")

    def trace(self) -> Trace:
        """The row as a trace."""
        documents: list[Any] = self._needed("documents", list, "a list")
        response = self._needed("response", str, "a string")
        history = self.data.get("history") or ()
        try:
            return Trace(self.text("question"), documents, response, history=history)
        except InvalidTrace as error:
            raise InvalidCase(f"{self.where}: {error}") from error

    def named(self, name: str, sentences: KeyedTrace) -> frozenset[str] | None:
        """The keys of the document sentences that a field lists; None where there is no list."""
        listed = self._typed(name, list, "a list of sentences or keys")
        if listed is None:
            return None
        return frozenset(key for item in listed for key in self._keys(name, item, sentences))

    def _keys(self, name: str, item: Any, sentences: KeyedTrace) -> set[str]:
        if not isinstance(item, str) or not item.strip():
            raise self.fault(name, f"{_shown(item)} is no sentence and no key of one")
        if item in {sentence.key for sentence in sentences.counted}:
            return {item}
        if not (found := set(_standing(item, sentences))):
            raise self.fault(name, f"{_shown(item)} stands in no document and is no sentence's key")
        return found

    def with_own_sentences(
        self, keyed: KeyedTrace, labels: Mapping[str, Any]
    ) -> tuple[KeyedTrace, dict[str, str]]:
        """The trace with the document sentences that its labels speak of, and our keys for theirs.

        A document of which no sentence is listed stays evidence, and is not counted.
        """
        try:
            groups, ours = _own_sentences(keyed.trace.documents, labels["sentences"])
            held = _holding(keyed.trace, groups)
            own = KeyedTrace.from_sentences(held, groups, [held.response])
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise self.fault(_OWN, f"{type(error).__name__}: {error}") from error
        others = [
            replace(sentence, is_counted=False)
            for sentence in keyed.documents
            if sentence.document is not None and not groups[sentence.document]
        ]
        documents = sorted([*own.documents, *others], key=lambda item: item.document or 0)
        return replace(own, documents=tuple(documents), response=keyed.response), ours

    def translated(self, listed: Sequence[str], ours: Mapping[str, str]) -> frozenset[str]:
        """Our keys for those of the row; those of blank sentences stand for nothing."""
        if not isinstance(listed, list) or (unknown := [key for key in listed if key not in ours]):
            what = f"names the unknown {unknown}" if isinstance(listed, list) else "lists no keys"
            raise self.fault(_OWN, what)
        return frozenset(ours[key] for key in listed if ours[key])

    def _needed(self, name: str, kind: type[_T], expected: str) -> _T:
        value = self._typed(name, kind, expected)
        if value is None:
            raise self.fault(name, f"is missing; expected {expected}")
        return value

    def _typed(self, name: str, kind: type[_T], expected: str) -> _T | None:
        value = self.data.get(name)
        if value is None or type(value) is kind:
            return value
        came = f"{_shown(value)} is a {type(value).__name__}"
        raise self.fault(name, f"{came}; expected {expected}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _standing(text: str, sentences: KeyedTrace) -> Iterator[str]:
    """The keys of the retrieved sentences that hold any of `text`, whatever its white space."""
    pattern = re.compile(r"\s+".join(map(re.escape, text.split())))
    spans = [
        [match.span() for match in pattern.finditer(document.text)]
        for document in sentences.trace.documents
    ]
    for sentence in sentences.counted:
        found = spans[sentence.document or 0]
        if any(start < sentence.end and sentence.start < end for start, end in found):
            yield sentence.key


def _own_sentences(
    documents: Sequence[Document], listed: Sequence[Sequence[Any]]
) -> tuple[list[list[str]], dict[str, str]]:
    """The row's sentences by document, and our keys for its keys; a blank one has the key ''."""
    groups: list[list[str]] = [[] for _ in documents]
    ours = {}
    for key, index, start, end, *text in listed:
        if not 0 <= index < len(documents):
            raise IndexError(f"there is no document {index}")
        sentence: str = documents[index].text[start:end] if start is not None else text[0]
        ours[key] = f"doc_{index}_s{len(groups[index])}" if sentence.strip() else ""
        if sentence.strip():
            groups[index].append(sentence)
    return groups, ours


def _holding(trace: Trace, groups: Sequence[Sequence[str]]) -> Trace:
    """The trace; a document in which its own sentences do not stand word for word becomes them."""
    documents = [
        document if _holds(document.text, group) else replace(document, text=" ".join(group))
        for document, group in zip(trace.documents, groups, strict=True)
    ]
    if documents == list(trace.documents):
        return trace
    return replace(trace, documents=tuple(documents))


def _holds(text: str, group: Sequence[str]) -> bool:
    position = 0
    for sentence in map(str.strip, group):
        found = text.find(sentence, position)
        if found < 0:
            return False
        position = found + len(sentence)
    return True
