"""What retrieval found and what it should have found, in ids of documents."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

from pytest_trace.errors import InvalidTrace, hide_own_frames
from pytest_trace.trace import Document, Trace

__tracebackhide__ = hide_own_frames

Relevance = Mapping[str, int] | Iterable[str]
"""The relevant ids, or each judged id with its grade: 0 is not relevant, more is better."""

RELEVANT_IDS = "relevant_ids"
"""The name in a trace's metadata, and in the row of a case, that holds them."""


def ranking_of(trace: Trace, *, id_key: str | None = None) -> tuple[str, ...]:
    """The ids of the retrieved documents by rank; several chunks of a document count once.

    An id is `Document.id`, or the metadata value called `id_key` where the chunks of one document
    have ids of their own. Tool and system documents were not retrieved and are left out. Raises
    `InvalidTrace` naming a document without an id.
    """
    ids = [
        _id_of(document, index, id_key)
        for index, document in enumerate(trace.documents)
        if document.kind == "retrieved"
    ]
    return distinct(ids)


def relevance_of(trace: Trace, given: Relevance | None = None) -> dict[str, int]:
    """`given`, or what the trace's metadata holds under `relevant_ids`, as grades by id.

    Raises `ValueError` where neither is there.
    """
    if given is None:
        given = trace.metadata.get(RELEVANT_IDS)
    if given is None:
        raise ValueError(
            "nothing says which documents are relevant: give relevant_ids=[…], or "
            "Trace(…, metadata={'relevant_ids': […]})"
        )
    return read_relevance(given)


def read_relevance(given: object) -> dict[str, int]:
    """Grades by id; an id alone has grade 1, and one below 0, which TREC gives to spam, is 0.

    Raises `ValueError` for anything else than ids, or whole numbers by id.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ValueError(  # noqa: TRY004 - as for every other bad value of an assertion
            f"relevant_ids is {given!r}; expected a list of ids, or a mapping from id to grade"
        )
    if not isinstance(given, Mapping):
        return dict.fromkeys(distinct(given), 1)
    return {_as_id(name): _grade(name, grade) for name, grade in given.items()}


def distinct(ids: Iterable[Any]) -> tuple[str, ...]:
    """Each id once, where it stands first; numbers become their text, as in `Document.id`."""
    if isinstance(ids, str | bytes):  # its letters would become ids
        raise ValueError(f"ids are {ids!r}; expected a list of ids")  # noqa: TRY004
    return tuple(dict.fromkeys(map(_as_id, ids)))


def require_k(k: object) -> int:
    """`k` if it counts documents; raises `ValueError` for anything but a whole number from 1 on."""
    number = _whole(k)
    if number is None or number < 1:
        raise ValueError(f"k is {k!r}; expected a whole number from 1 on")
    return number


def _id_of(document: Document, index: int, id_key: str | None) -> str:
    value = document.id if id_key is None else document.metadata.get(id_key)
    if value is not None:
        return str(value)
    lacks = "id" if id_key is None else f"metadata {id_key!r}"
    raise InvalidTrace(
        f"documents[{index}] has no {lacks}, so nothing tells whether it is relevant: "
        "give Document(text, id=…)"
    )


def _as_id(value: object) -> str:
    if isinstance(value, str):
        return value
    number = _whole(value)
    if number is None:
        raise ValueError(f"{value!r} is no id of a document; expected a str")
    return str(number)


def _grade(name: object, grade: object) -> int:
    number = int(grade) if isinstance(grade, float) and grade.is_integer() else _whole(grade)
    if number is None:
        raise ValueError(
            f"the grade of {name!r} is {grade!r}; expected a whole number, such as 0 or 1"
        )
    return max(0, number)


def _whole(value: object) -> int | None:
    """A whole number of any kind, numpy's too; None for anything else, and for True and False."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    return operator.index(value)
