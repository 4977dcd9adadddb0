"""A trace: one question, the documents that were retrieved for it, and the response.

It is checked on construction, so that no later step meets a trace that must not be scored.
Documents are read by their shape; no framework is imported.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, get_args

from pytest_trace.errors import InvalidTrace, hide_own_frames

__tracebackhide__ = hide_own_frames

DocumentKind = Literal["retrieved", "tool", "system"]

_KINDS = get_args(DocumentKind)
_SHOWN = 40
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_TEXT_NAMES = ("text", "content", "page_content")
_METADATA_NAMES = ("metadata", "meta")
_ID_NAMES = ("id", "id_", "node_id")
_SHAPES = (
    "a str, a Document, a dict with 'text', 'content' or 'page_content', "
    "or a LangChain, LlamaIndex or Haystack document"
)


@dataclass(frozen=True, slots=True)
class Document:
    """One document that the generator was given.

    All kinds are evidence; only `retrieved` counts in relevance, utilization and completeness.
    A title is evidence too. `metadata` is kept as JSON values.
    """

    text: str
    _: KW_ONLY
    id: str | None = None
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    kind: DocumentKind = "retrieved"

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _text(self.text, "Document.text"))
        if self.title is not None:
            object.__setattr__(self, "title", _text(self.title, "Document.title"))
        if self.kind not in _KINDS:
            known = ", ".join(_KINDS)
            raise InvalidTrace(f"Document.kind is {self.kind!r}; expected one of {known}")
        object.__setattr__(self, "id", None if self.id is None else joined(str(self.id)))
        object.__setattr__(self, "metadata", _plain_mapping(self.metadata, "Document.metadata"))

    def to_json(self) -> dict[str, Any]:
        """This document as JSON values; fields at their defaults are left out."""
        data: dict[str, Any] = {"text": self.text}
        if self.id is not None:
            data["id"] = self.id
        if self.title is not None:
            data["title"] = self.title
        if self.metadata:
            data["metadata"] = dict(self.metadata)
        if self.kind != "retrieved":
            data["kind"] = self.kind
        return data


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of the conversation: it helps to read the question and is no evidence."""

    text: str
    role: str = "user"

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _text(self.text, "Turn.text"))
        object.__setattr__(self, "role", _text(self.role, "Turn.role"))

    def to_json(self) -> dict[str, str]:
        """This turn as JSON values."""
        return {"role": self.role, "content": self.text}


@dataclass(frozen=True, slots=True)
class Trace:
    """A question, the documents retrieved for it, and the response to be judged.

    `documents` takes str, `Document`, dicts and the document shapes of LangChain, LlamaIndex and
    Haystack; `[]` is legal and means that retrieval found nothing. `history` holds earlier turns
    as str, `(role, text)` or `{"role": …, "content": …}`. The question may be empty: a summary
    has none.

    Raises `InvalidTrace`, naming the field, for a blank response, for documents without any text
    and for anything of another shape: such a trace must never be scored.
    """

    question: str
    documents: tuple[Document, ...]
    response: str
    _: KW_ONLY
    history: tuple[Turn, ...] = ()
    reference: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __init__(  # a hand-written one: it takes more shapes than the fields hold
        self,
        question: str | None,
        documents: Iterable[Any],
        response: str,
        *,
        history: Iterable[Any] = (),
        reference: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        question = _text("" if question is None else question, "question")
        response = _text(response, "response")
        if not response.strip():
            raise InvalidTrace(
                f"response is blank ({response!r}); there is nothing to judge: "
                "assert on the empty response before you build the trace"
            )
        values = {
            "question": question,
            "documents": read_documents(documents),
            "response": response,
            "history": read_history(history),
            "reference": None if reference is None else _text(reference, "reference"),
            "metadata": _plain_mapping(metadata, "metadata"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """This trace as JSON values; fields at their defaults are left out."""
        data: dict[str, Any] = {
            "question": self.question,
            "documents": [document.to_json() for document in self.documents],
            "response": self.response,
        }
        if self.history:
            data["history"] = [turn.to_json() for turn in self.history]
        if self.reference is not None:
            data["reference"] = self.reference
        if self.metadata:
            data["metadata"] = dict(self.metadata)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trace:
        """The inverse of `to_json`; raises `InvalidTrace` naming a missing field."""
        missing = [name for name in ("question", "documents", "response") if name not in data]
        if missing:
            raise InvalidTrace(f"a trace needs {', '.join(missing)}; got only {sorted(data)}")
        return cls(
            data["question"],
            data["documents"],
            data["response"],
            history=data.get("history", ()),
            reference=data.get("reference"),
            metadata=data.get("metadata"),
        )


def joined(text: str) -> str:
    """`text` with each surrogate pair as the one character it stands for.

    JSON cannot tell them apart, so a trace would come back with other offsets than it left with.
    """
    if text.isascii() or not _SURROGATE_PAIR.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InvalidTrace(f"{name} is {_describe(value)}; expected a str")
    return joined(value)


def _describe(value: object) -> str:
    shown = repr(value)
    return (
        f"{shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + '...'} ({type(value).__name__})"
    )


def read_documents(values: object) -> tuple[Document, ...]:
    if isinstance(values, str | bytes):
        raise InvalidTrace(
            f"documents is a {type(values).__name__}; expected a list of documents: "
            "write documents=[text], or every letter would become a document"
        )
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise InvalidTrace(
            f"documents is {_describe(values)}; expected a list of documents ([] if none was found)"
        )
    documents = tuple(_read_document(value, index) for index, value in enumerate(values))
    if documents and not any(document.text.strip() for document in documents):
        raise InvalidTrace(
            f"documents hold no text ({len(documents)} of {len(documents)} are blank); "
            "pass documents=[] if retrieval found nothing"
        )
    return documents


def _read_document(value: Any, index: int) -> Document:
    if isinstance(value, Document):
        return value
    if isinstance(value, str):
        return Document(value)
    try:
        return _from_mapping(value) if isinstance(value, Mapping) else _from_object(value)
    except InvalidTrace as error:
        raise InvalidTrace(f"documents[{index}]: {error}") from None


def _from_mapping(value: Mapping[str, Any]) -> Document:
    for name in _TEXT_NAMES:
        if name in value:
            break
    else:
        raise InvalidTrace(f"a dict with the keys {sorted(map(str, value))}; expected {_SHAPES}")
    metadata = next((value[name] for name in _METADATA_NAMES if value.get(name)), None)
    return Document(
        value[name],
        id=value.get("id"),
        title=value.get("title"),
        metadata=metadata or {},
        kind=value.get("kind") or "retrieved",
    )


def _from_object(value: Any) -> Document:
    node = getattr(value, "node", value)  # LlamaIndex wraps a node together with its score
    for name in _TEXT_NAMES:
        text = getattr(node, name, None)
        if isinstance(text, str):
            break
    else:
        raise InvalidTrace(f"{_describe(value)}; expected {_SHAPES}")
    metadata = next(
        (getattr(node, name, None) for name in _METADATA_NAMES if hasattr(node, name)), None
    )
    identifier = next(
        (getattr(node, name) for name in _ID_NAMES if getattr(node, name, None)), None
    )
    title = getattr(node, "title", None)
    return Document(
        text,
        id=identifier,
        title=title if isinstance(title, str) else None,
        metadata=metadata or {},
    )


def read_history(values: object) -> tuple[Turn, ...]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidTrace(f"history is {_describe(values)}; expected a list of earlier turns")
    return tuple(_read_turn(value, index) for index, value in enumerate(values))


def _read_turn(value: object, index: int) -> Turn:
    if isinstance(value, Turn):
        return value
    if isinstance(value, str):
        return Turn(value)
    if isinstance(value, Mapping):
        role, text = value.get("role", "user"), value.get("content", value.get("text"))
    elif isinstance(value, tuple | list) and len(value) == 2:  # noqa: PLR2004 - a pair
        role, text = value
    else:
        role = text = None
    if not isinstance(role, str) or not isinstance(text, str):
        raise InvalidTrace(
            f"history[{index}] is {_describe(value)}; expected a str, a (role, text) pair "
            "or a dict with 'role' and 'content'"
        )
    return Turn(text, role)


def _plain_mapping(value: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidTrace(f"{name} is {_describe(value)}; expected a dict")
    return {joined(str(key)): plain(item) for key, item in value.items()}


def plain(value: Any) -> Any:
    """`value` as JSON values: dates, paths, numpy scalars and the like become their text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {joined(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [plain(item) for item in items]
    return joined(str(value))
