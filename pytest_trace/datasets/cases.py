"""A case: what a test or a judge is given of one row of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_trace.errors import InvalidCase, InvalidTrace
from pytest_trace.evaluation_config import METADATA_KEY, EvaluationConfig
from pytest_trace.trace import Document, Trace, Turn

_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row. `case["name"]` reads any field of it as it came; what we know is an attribute too.

    `id` is the row's own, or its line number. `line` is the row's number where a file has no
    lines; `where` names file and row for messages. `documents` and `response` are None where the
    application under test has yet to give them. `references` are answers known to be right,
    `relevant_ids` the ids of the documents that should be found, or their grades by id (None where
    nobody said), `evaluation_config` how the documents were retrieved.
    """

    id: str
    line: int
    path: str
    where: str
    row: Mapping[str, Any] = field(hash=False, repr=False)
    question: str | None = None
    documents: tuple[Document, ...] | None = None
    response: str | None = None
    references: tuple[str, ...] = ()
    relevant_ids: tuple[str, ...] | Mapping[str, int] | None = field(default=None, hash=False)
    history: tuple[Turn, ...] = ()
    evaluation_config: EvaluationConfig | None = None

    def __getitem__(self, name: str) -> Any:
        if name not in self.row:
            raise KeyError(f"{self.where} has no field {name!r}; it has {', '.join(self.row)}")
        return self.row[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A field of the row, or `default` where it has none of that name."""
        return self.row.get(name, default)

    @property
    def reference(self) -> str | None:
        """The first of `references`."""
        return self.references[0] if self.references else None

    def trace(self, *, documents: Any = _MISSING, response: Any = _MISSING) -> Trace:
        """The row as a trace; what the application gave stands in for what the row lacks.

        Its metadata has the id of the case and, where the row has them, its `relevant_ids`.
        Raises `InvalidCase` naming line and field where either is still missing or wrong.
        """
        values: dict[str, Any] = {
            "documents": self.documents if documents is _MISSING else documents,
            "response": self.response if response is _MISSING else response,
        }
        if missing := [name for name, value in values.items() if value is None]:
            raise InvalidCase(
                f"{self.where} has no {' and no '.join(missing)}; "
                f"give it: case.trace({', '.join(f'{name}=…' for name in missing)})"
            )
        metadata = {
            "case": self.id,
            "relevant_ids": self.relevant_ids,
            METADATA_KEY: self.evaluation_config or None,
        }
        try:
            return Trace(
                self.question,
                **values,
                history=self.history,
                reference=self.reference,
                metadata={name: value for name, value in metadata.items() if value is not None},
            )
        except InvalidTrace as error:
            raise InvalidCase(f"{self.where}: {error}") from error
