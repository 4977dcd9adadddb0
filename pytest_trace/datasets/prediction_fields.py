"""Under which names the rows of a generation run may have what is read of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_trace.errors import UnknownName

KNOWN_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "query_id": ("query_id", "id", "qid", "question_id", "_id"),
    "query": ("query", "question", "user_input", "input"),
    "passages": (
        *("passages", "contexts", "retrieved_contexts", "retrieval_context"),
        *("documents", "ctxs", "context"),
    ),
    "generation": ("generation", "response", "answer", "prediction", "output", "actual_output"),
    "references": (
        *("references", "reference", "ground_truths", "ground_truth"),
        *("answers", "expected_output"),
    ),
    "metadata": ("metadata",),
    "passages.id": ("id", "doc_id", "docid", "pid", "passage_id", "_id"),
    "passages.text": ("text", "contents", "content", "passage_text", "passage", "page_content"),
    "passages.score": ("score", "similarity"),
    "passages.title": ("title",),
}
"""Our name, and those it is found under, in this order."""

ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Fields:
    """Which of a row's fields are ours. `given` maps our names to theirs, in front of the known.

    Theirs may be a path, `output.text`, where the row has no field of that very name.
    """

    given: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def parse(cls, pairs: Iterable[str]) -> Fields:
        """From `ours=theirs`; raises `UnknownName` that lists ours."""
        given = {}
        for pair in pairs:
            ours, separator, theirs = pair.partition("=")
            if not separator or not theirs:
                raise UnknownName(f"the field {pair!r} is no OURS=THEIRS, as in query=question")
            if ours not in KNOWN_NAMES:
                raise UnknownName(f"unknown field {ours!r}; known: {', '.join(KNOWN_NAMES)}")
            given[ours] = theirs
        return cls(given)

    def find(self, row: Mapping[str, Any], ours: str) -> tuple[str, Any]:
        """The name that the row has it under, and the value; `ABSENT` if under none."""
        if (theirs := self.given.get(ours)) is not None:
            return theirs, _by_path(row, theirs)
        for name in KNOWN_NAMES[ours]:
            if name in row:
                return name, row[name]
        return ours.rpartition(".")[2], ABSENT


def _by_path(row: Mapping[str, Any], path: str) -> Any:
    if path in row:
        return row[path]
    value: Any = row
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return ABSENT
        value = value[name]
    return value
