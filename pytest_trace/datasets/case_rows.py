"""One row of cases: its parts, found by its shape, checked, and made a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_trace.datasets.cases import Case
from pytest_trace.datasets.cells import read_cell
from pytest_trace.datasets.files import Row
from pytest_trace.datasets.shapes import Shape
from pytest_trace.errors import InvalidCase, InvalidConfig, InvalidTrace
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.trace import Document, Turn, read_documents, read_history

_SHOWN: Final = 60
_MISSING: Final = object()


class CaseRow:
    """A row with its shape; `fields` says in which field a part stands in place of the shape's.

    Whatever is wrong is an `InvalidCase` that names the row and the field.
    """

    def __init__(self, row: Row, shape: Shape, fields: Mapping[str, str]) -> None:
        self._row = row
        self._shape = shape
        self._fields = fields

    def case(self, path: str) -> Case:
        """The row as a case of the file `path`."""
        return Case(
            id=self._id(),
            line=self._row.number,
            path=path,
            where=self._row.where,
            row=self._row.data,
            question=self._text("question"),
            documents=self._documents(),
            response=self._text("response"),
            references=self._references(),
            relevant_ids=self._relevant(),
            history=self._history(),
            evaluation_config=self._config(),
        )

    def _id(self) -> str:
        name, value = self._found("id")
        if value is None:
            return str(self._row.number)
        if not isinstance(value, str | int | float):
            raise self._wrong(name, value, "a string or a number")
        return str(value)

    def _text(self, part: str) -> str | None:
        name, value = self._found(part)
        if value is not None and not isinstance(value, str):
            raise self._wrong(name, value, "a string")
        return value

    def _documents(self) -> tuple[Document, ...] | None:
        name, value = self._found("documents")
        if value is None and self._shape.documents_of and "documents" not in self._fields:
            name, value = "documents", self._shape.documents_of(self._row.data)
        if value is None:
            return None
        if self._shape.as_documents is not None:
            value = self._shape.as_documents(value)
        items = self._list(name, _transposed(value), "a list")
        identifiers = self._ids("document_ids")
        if identifiers is not None:
            items = self._with_ids(items, identifiers)
        try:
            return read_documents(items)
        except InvalidTrace as error:
            raise self._fault(name, str(error)) from error

    def _with_ids(self, items: Sequence[Any], identifiers: Sequence[str]) -> Sequence[Any]:
        if len(items) != len(identifiers):
            name, _ = self._found("document_ids")
            raise self._fault(name, f"{len(identifiers)} ids for {len(items)} documents")
        return [
            {"text": item, "id": identifier} if isinstance(item, str) else item
            for item, identifier in zip(items, identifiers, strict=True)
        ]

    def _references(self) -> tuple[str, ...]:
        name, value = self._found("references")
        if isinstance(value, str):
            listed = self._read(value) if self._row.has_text_cells else None
            value = listed if isinstance(listed, list) else [value]
        if value is None:
            return ()
        expected = "a string or a list of strings"
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(name, value, expected)
        return tuple(item for item in value if item.strip())

    def _relevant(self) -> tuple[str, ...] | Mapping[str, int] | None:
        """Ids, or whole numbers by id."""
        name, value = self._found("relevant_ids")
        if not isinstance(value, Mapping):
            return self._ids("relevant_ids")
        for identifier, grade in value.items():
            if not isinstance(grade, int) or isinstance(grade, bool):
                raise self._wrong(f"{name}.{identifier}", grade, "a grade: a whole number")
        return {str(identifier): grade for identifier, grade in value.items()}

    def _ids(self, part: str) -> tuple[str, ...] | None:
        name, value = self._found(part)
        if value is None:
            return None
        items = self._list(name, value, "a list of ids")
        for item in items:
            if not isinstance(item, str | int) or isinstance(item, bool):
                raise self._wrong(name, item, "an id: a string or a whole number")
        return tuple(map(str, items))

    def _history(self) -> tuple[Turn, ...]:
        name, value = self._found("history")
        if value is None:
            return ()
        try:
            return read_history(self._list(name, value, "a list of earlier turns"))
        except InvalidTrace as error:
            raise self._fault(name, str(error)) from error

    def _config(self) -> EvaluationConfig | None:
        name, value = self._found("evaluation_config")
        if value is None:
            return None
        if isinstance(value, str) and self._row.has_text_cells:
            read = self._read(value)
            value = value if read is None else read
        try:
            return EvaluationConfig.from_json(value)
        except InvalidConfig as error:
            raise self._fault(name, str(error)) from error

    def _list(self, name: str, value: Any, expected: str) -> Sequence[Any]:
        if isinstance(value, str) and self._row.has_text_cells:
            read = self._read(value)
            if not isinstance(read, list):
                came = f"{_shown(value)} cannot be read as a list"
                raise self._fault(name, f'{came}; write it in JSON: ["first", "second"]')
            return read
        if not isinstance(value, list):
            raise self._fault(name, f"a {type(value).__name__}; expected {expected}")
        return value

    def _read(self, text: str) -> Any:
        try:
            return read_cell(text)
        except ValueError:
            return None

    def _found(self, part: str) -> tuple[str, Any]:
        """The field with a part, and its value; None where the row has nothing there."""
        if (name := self._fields.get(part)) is not None:
            value = self._looked_up(self._row.data, name)
            if value is _MISSING:
                there = ", ".join(self._row.data) or "none"
                raise InvalidCase(
                    f"{self._row.where} has no field {name!r}, which was to hold {part}; "
                    f"it has {there}"
                )
            return name, self._given(value)
        names = self._shape.parts.get(part, ())
        found = [(name, value) for name in names if (value := self._value(name)) is not None]
        if not found:
            return names[0] if names else part, None
        if len(found) > 1 and part != "id" and any(value != found[0][1] for _, value in found):
            told = " and ".join(name for name, _ in found)
            raise InvalidCase(
                f"{self._row.where} has {told}, and they differ; "
                f"say which holds {part}: {part}={found[0][0]}"
            )
        return found[0]

    def _value(self, name: str) -> Any:
        value = self._looked_up(self._row.data, name)
        return None if value is _MISSING else self._given(value)

    def _looked_up(self, data: Mapping[str, Any], name: str) -> Any:
        """The field `name`, or what a point in the name leads to."""
        value = data.get(name, _MISSING)
        if value is not _MISSING or "." not in name:
            return value
        head, _, rest = name.partition(".")
        inner = data.get(head)
        if isinstance(inner, str) and self._row.has_text_cells:
            inner = self._read(inner)
        return self._looked_up(inner, rest) if isinstance(inner, Mapping) else _MISSING

    def _given(self, value: Any) -> Any:
        """None for an empty cell: a table of texts has no other way to say nothing."""
        if not self._row.has_text_cells:
            return value
        return None if isinstance(value, str) and not value.strip() else value

    def _wrong(self, name: str, value: Any, expected: str) -> InvalidCase:
        return self._fault(
            name, f"{_shown(value)} is a {type(value).__name__}; expected {expected}"
        )

    def _fault(self, name: str, what: str) -> InvalidCase:
        return InvalidCase(f"{self._row.where}, field {name}: {what}")


def _transposed(value: Any) -> Any:
    """A list of objects, where `datasets` stores them as an object of lists."""
    if not isinstance(value, Mapping) or not value:
        return value
    columns = list(value.values())
    if not all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        return value
    return [dict(zip(value, items, strict=True)) for items in zip(*columns, strict=True)]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
