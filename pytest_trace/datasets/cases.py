"""Cases: rows of a JSONL file that tests are run on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_trace.errors import InvalidCase, InvalidTrace
from pytest_trace.trace import Trace

_TEXTS = ("question", "response", "reference")
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Case:
    """One row. `case["name"]` reads any field of it; the known ones are attributes as well.

    `id` is the row's `id`, or its line number. `documents` and `response` are None where the
    application under test has yet to give them.
    """

    id: str
    line: int
    path: str
    row: Mapping[str, Any] = field(hash=False)

    def __getitem__(self, name: str) -> Any:
        if name not in self.row:
            raise KeyError(f"{self.where} has no field {name!r}; it has {', '.join(self.row)}")
        return self.row[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A field of the row, or `default` where it has none of that name."""
        return self.row.get(name, default)

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path}:{self.line}"

    @property
    def question(self) -> str | None:
        """The row's `question`."""
        return self.row.get("question")

    @property
    def documents(self) -> Sequence[Any] | None:
        """The row's `documents`."""
        return self.row.get("documents")

    @property
    def response(self) -> str | None:
        """The row's `response`."""
        return self.row.get("response")

    @property
    def reference(self) -> str | None:
        """The row's `reference`: an answer known to be right."""
        return self.row.get("reference")

    @property
    def relevant_ids(self) -> Any:
        """The row's `relevant_ids`: ids of the documents to be found, or grades by id."""
        return self.row.get("relevant_ids")

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
        metadata = {"case": self.id, "relevant_ids": self.relevant_ids}
        try:
            return Trace(
                self.question,
                **values,
                history=self.row.get("history") or (),
                reference=self.reference,
                metadata={name: value for name, value in metadata.items() if value is not None},
            )
        except InvalidTrace as error:
            raise InvalidCase(f"{self.where}: {error}") from error


def read_cases(path: Path) -> list[Case]:
    """Every row of a JSONL file; blank lines are skipped.

    Raises `InvalidCase` naming the line and the field of the first row that is wrong, or the
    file that cannot be read or has no row.
    """
    try:
        cases = list(_rows(path))
    except OSError as error:
        raise InvalidCase(f"cannot read the cases in {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidCase(f"{path.name} is not UTF-8: {error}") from error
    if not cases:
        raise InvalidCase(f"{path} holds no case; expected one JSON object a line")
    return cases


def _rows(path: Path) -> Iterator[Case]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _case(line, number, path.name)


def _case(line: str, number: int, name: str) -> Case:
    where = f"{name}:{number}"
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidCase(f"{where} is no JSON: {error.msg} at column {error.colno}") from error
    if not isinstance(row, dict):
        raise InvalidCase(f"{where} is a {type(row).__name__}; expected a JSON object")
    for field_name in _TEXTS:
        value = row.get(field_name)
        if value is not None and not isinstance(value, str):
            raise InvalidCase(
                f"{where}, field {field_name}: {value!r} is a {type(value).__name__}; "
                "expected a string"
            )
    documents = row.get("documents")
    if documents is not None and not isinstance(documents, list):
        raise InvalidCase(
            f"{where}, field documents: a {type(documents).__name__}; expected a list"
        )
    identifier = row.get("id")
    return Case(str(number if identifier is None else identifier), number, name, row)
