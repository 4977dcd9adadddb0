"""Shapes of rows: by which fields each is known, and which field holds which part of a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from pytest_trace.datasets.exports import deepeval_documents, promptfoo_documents, trulens_documents
from pytest_trace.errors import UnknownName

PARTS: Final = (
    "question",
    "documents",
    "document_ids",
    "response",
    "references",
    "relevant_ids",
    "history",
    "id",
    "evaluation_config",
)
"""What a case is read from; each may be said to stand in another field."""

_CONFIG: Final = ("evaluation_config", "metadata.evaluation_config")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A row has this shape if it has any of the fields in `known_by`, and no other shape's.

    `parts` has the fields a part is read from; a point leads into a field: `vars.query`.
    `as_documents` makes a list of what stands there, and `documents_of` finds documents that
    stand in no field of their own.
    """

    name: str
    known_by: frozenset[str]
    parts: Mapping[str, tuple[str, ...]]
    as_documents: Callable[[Any], Any] | None = None
    documents_of: Callable[[Mapping[str, Any]], Any] | None = None


def _shape(
    name: str,
    known_by: str,
    *,
    as_documents: Callable[[Any], Any] | None = None,
    documents_of: Callable[[Mapping[str, Any]], Any] | None = None,
    **parts: str,
) -> Shape:
    fields = {part: tuple(names.split()) for part, names in parts.items()}
    return Shape(
        name=name,
        known_by=frozenset(known_by.split()),
        parts=MappingProxyType({"history": ("history",), **fields, "evaluation_config": _CONFIG}),
        as_documents=as_documents,
        documents_of=documents_of,
    )


OWN: Final = _shape(
    "own",
    known_by="documents",
    question="question",
    documents="documents",
    document_ids="document_ids",
    response="response",
    references="references reference",
    relevant_ids="relevant_ids",
    id="id",
)
SHAPES: Final = (
    OWN,
    _shape(
        "predictions",
        known_by="query passages generation",
        question="query",
        documents="passages",
        response="generation",
        references="references reference answers",
        relevant_ids="relevant_ids",
        id="query_id id",
    ),
    _shape(
        "ragas",
        known_by="user_input retrieved_contexts contexts ground_truth ground_truths",
        question="user_input question",
        documents="retrieved_contexts contexts",
        document_ids="retrieved_context_ids",
        response="response answer",
        references="reference ground_truth ground_truths",
        relevant_ids="reference_context_ids",
        id="id",
    ),
    _shape(
        "deepeval",
        known_by="actual_output expected_output retrieval_context "
        "actualOutput expectedOutput retrievalContext",
        as_documents=deepeval_documents,
        question="input",
        documents="retrieval_context retrievalContext",
        response="actual_output actualOutput",
        references="expected_output expectedOutput",
        id="id name",
    ),
    _shape(
        "trulens",
        known_by="record_json main_input",
        documents_of=trulens_documents,
        question="input main_input",
        response="output main_output",
        id="record_id",
    ),
    _shape(
        "promptfoo",
        known_by="vars testCase promptIdx",
        as_documents=promptfoo_documents,
        question="vars.query vars.question vars.input",
        documents="vars.context vars.contexts vars.documents response.metadata.context "
        "response.metadata.contexts response.metadata.documents",
        response="response.output",
        references="vars.reference vars.references vars.expected vars.ground_truth",
        relevant_ids="vars.relevant_ids",
        id="id",
    ),
)
_COMMON: Final = frozenset({"question", "response"})


def named_shape(name: str) -> Shape:
    """The shape of that name; raises `UnknownName` that lists the known ones."""
    for shape in SHAPES:
        if shape.name == name:
            return shape
    known = ", ".join(shape.name for shape in SHAPES)
    raise UnknownName(f"unknown shape {name!r} of cases; known: {known}")


def known_shape(names: Iterable[str], *, is_own: bool) -> Shape:
    """The shape that fields of these names tell; raises `ValueError` for none and for several.

    Where no name tells another, those of `own` need only one of their fields, or `is_own`.
    """
    present = set(names)
    shapes = [shape for shape in SHAPES if not shape.known_by.isdisjoint(present)]
    if len(shapes) == 1:
        return shapes[0]
    if shapes:
        told = " and ".join(
            f"{shape.name} ({', '.join(sorted(shape.known_by & present))})" for shape in shapes
        )
        raise ValueError(f"has fields of {told}; say which: shape={shapes[0].name}")
    if is_own or present & _COMMON:
        return OWN
    known = ", ".join(shape.name for shape in SHAPES)
    raise ValueError(
        f"has only fields by which no shape is known ({', '.join(names) or 'none'}); "
        f"say the shape ({known}) or the field of a part, such as question=FIELD"
    )
