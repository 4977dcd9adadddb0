"""What other tools write in forms of their own: the documents in a row of TruLens or DeepEval."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_trace.datasets.cells import read_cell

_BETWEEN_CONTEXTS: Final = "|"
_MARKED_CONTEXT: Final = re.compile(
    r"deepeval_source=(?P<source>.*?),deepeval_context=(?P<context>.*)", re.DOTALL
)
_RETRIEVING: Final = re.compile("retriev|relevant_doc", re.IGNORECASE)
_EVIDENCE_ARGUMENTS: Final = ("context", "contexts", "source")
_TEXT_NAMES: Final = frozenset({"text", "content", "page_content"})


def deepeval_documents(value: Any) -> Any:
    """DeepEval's `retrieval_context`: a list, or one text with `|` between the contexts.

    A context with a source stands in its files as `deepeval_source=…,deepeval_context=…`.
    """
    if isinstance(value, str):
        listed = _parsed(value)
        value = listed if isinstance(listed, list) else value.split(_BETWEEN_CONTEXTS)
    if not isinstance(value, list):
        return value
    return [_deepeval_document(item) for item in value]


def _deepeval_document(item: Any) -> Any:
    if isinstance(item, str) and (marked := _MARKED_CONTEXT.fullmatch(item)):
        item = marked.groupdict()
    if isinstance(item, Mapping) and "context" in item:
        source = item.get("source")
        return {"text": item["context"], "metadata": {"source": source} if source else {}}
    return item


def promptfoo_documents(value: Any) -> Any:
    """The variable `context`, which promptfoo gives its assertions as one text."""
    return [value] if isinstance(value, str) else value


def trulens_documents(row: Mapping[str, Any]) -> list[Any] | None:
    """What was retrieved for a record of TruLens; None where it does not tell.

    A record holds its calls until TruLens 1, and those that retrieve return documents. Since the
    spans of TruLens 2 stand elsewhere, what its metrics were given is read in their place: the
    argument `context`, `contexts` or `source` in the columns that end with `_calls`.
    """
    return _distinct(_returned(row)) or _distinct(_given(row)) or None


def _returned(row: Mapping[str, Any]) -> Iterator[Any]:
    record = _parsed(row.get("record_json", row))
    for call in _listed(record, "calls"):
        method = (call.get("stack") or [{}])[-1].get("method") or {}
        names = (method.get("name"), ((method.get("obj") or {}).get("cls") or {}).get("name"))
        if any(name and _RETRIEVING.search(name) for name in names):
            yield from _documents(call.get("rets"))


def _given(row: Mapping[str, Any]) -> Iterator[Any]:
    calls = [
        call.get("args") or {}
        for name in row
        if name.endswith("_calls")
        for call in _listed({name: _parsed(row[name])}, name)
    ]
    for argument in _EVIDENCE_ARGUMENTS:
        if found := [item for call in calls for item in _documents(call.get(argument), alone=True)]:
            yield from found
            return


def _documents(value: Any, *, alone: bool = False) -> Iterator[Any]:
    """The texts and documents in a list, however deep; one that stands `alone` too."""
    if isinstance(value, list):
        for item in value:
            yield from _documents(item, alone=True)
    elif isinstance(value, Mapping):
        found = value.get("node") or value.get("kwargs") or value
        if isinstance(found, Mapping) and found.keys() & _TEXT_NAMES:
            yield found
    elif isinstance(value, str) and alone:
        yield value


def _listed(record: Any, name: str) -> list[Mapping[str, Any]]:
    items = record.get(name) if isinstance(record, Mapping) else None
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def _parsed(value: Any) -> Any:
    """A value that may be written as text, as it is in a table."""
    if not isinstance(value, str):
        return value
    try:
        return read_cell(value)
    except ValueError:
        return None


def _distinct(items: Iterator[Any]) -> list[Any]:
    found: list[Any] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
