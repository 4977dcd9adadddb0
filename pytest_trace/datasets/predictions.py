"""Predictions: what a retriever showed and a generator said, a row of JSON for each query.

    {"query_id": "q1", "query": "…", "passages": [{"id": "p7", "text": "…", "score": 12.5}],
     "generation": "…", "references": ["…"], "metadata": {}}

Passages stand in the order of their rank and may be strings; `prediction_fields` has the other
names that are known. Files are read a line at a time, whatever their size.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from pytest_trace.datasets.prediction_fields import ABSENT, Fields
from pytest_trace.errors import InvalidCase

_BOM: Final = b"\xef\xbb\xbf"
_SHOWN: Final = 60


class RawLine(NamedTuple):
    """A line of a file that is not blank; `where` is file and line number, for messages."""

    where: str
    number: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of the ranking; the text that counts is title and text."""

    text: str
    id: str | None = None
    score: float | None = None
    title: str | None = None

    @property
    def content(self) -> str:
        """Title and text."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One row. `id` is the line's number where the row has none, and `has_id` says so."""

    where: str
    id: str
    has_id: bool
    query: str
    passages: tuple[Passage, ...]
    generation: str
    references: tuple[str, ...]
    metadata: Mapping[str, Any] = field(hash=False)


def read_predictions(path: Path, fields: Fields = Fields()) -> Iterator[Prediction]:  # noqa: B008 - frozen
    """The rows of a file (`.jsonl`, `.jsonl.gz`), one at a time.

    Raises `InvalidCase` naming line and field of the first row that is wrong, or the file that
    cannot be read.
    """
    for line in raw_lines(path):
        yield parse_prediction(line, fields)


def raw_lines(path: Path) -> Iterator[RawLine]:
    """The lines of a file that are not blank."""
    opened = gzip.open if path.name.endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            for number, line in enumerate(file, 1):
                content = line.removeprefix(_BOM) if number == 1 else line
                if content.strip():
                    yield RawLine(f"{path.name}:{number}", number, content)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidCase(f"cannot read the predictions in {path}: {reason}") from error


def parse_prediction(line: RawLine, fields: Fields) -> Prediction:
    """The row in a line; raises `InvalidCase` naming line and field for what is wrong."""
    row = _Row(line.where, _loads(line), fields)
    identifier = row.identifier("query_id")
    return Prediction(
        where=line.where,
        id=str(line.number) if identifier is None else identifier,
        has_id=identifier is not None,
        query=row.text("query"),
        passages=row.passages(),
        generation=row.text("generation"),
        references=row.references(),
        metadata=row.metadata(),
    )


def _loads(line: RawLine) -> Mapping[str, Any]:
    try:
        data = _DECODER.decode(line.content.decode("utf-8").strip())
    except UnicodeDecodeError as error:
        raise InvalidCase(f"{line.where} is not UTF-8: {error}") from error
    except json.JSONDecodeError as error:
        raise InvalidCase(
            f"{line.where} is no JSON: {error.msg} at column {error.colno}"
        ) from error
    except (RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise InvalidCase(f"{line.where} is no JSON: {reason}") from error
    if not isinstance(data, dict):
        raise InvalidCase(f"{line.where} is a {type(data).__name__}; expected a JSON object")
    return data


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row, or a passage of it at `prefix`, whose fields are read by our names."""

    where: str
    data: Mapping[str, Any]
    fields: Fields
    prefix: str = ""
    ours: str = ""

    def text(self, name: str) -> str:
        """A string that must be there; null is an empty one."""
        theirs, value = self.fields.find(self.data, self.ours + name)
        if value is ABSENT:
            known = ", ".join(map(str, self.data)) or "no field"
            raise self._fault(
                theirs, f"is missing; the row has {known}: name it by --field {self.ours}{name}=…"
            )
        return "" if value is None else self._string(theirs, value)

    def optional_text(self, name: str) -> str | None:
        """A string, or None."""
        theirs, value = self.fields.find(self.data, self.ours + name)
        return None if value is ABSENT or value is None else self._string(theirs, value)

    def identifier(self, name: str) -> str | None:
        """A string or whole number as a string, or None where there is none under a known name."""
        theirs, value = self.fields.find(self.data, self.ours + name)
        if value is ABSENT or value is None:
            if self.ours + name in self.fields.given:
                raise self._fault(theirs, "is missing, and --field names it as the id")
            return None
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self._fault(theirs, f"{_described(value)}; expected a string or whole number")
        return str(value)

    def number(self, name: str) -> float | None:
        """A number, or None."""
        theirs, value = self.fields.find(self.data, self.ours + name)
        if value is ABSENT or value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._fault(theirs, f"{_described(value)}; expected a number")
        return value

    def metadata(self) -> Mapping[str, Any]:
        """An object, or an empty one."""
        theirs, value = self.fields.find(self.data, "metadata")
        if value is ABSENT or value is None:
            return {}
        if not isinstance(value, dict):
            raise self._fault(theirs, f"{_described(value)}; expected an object")
        return value

    def references(self) -> tuple[str, ...]:
        """A string, a list of them or SQuAD's `{"text": […]}`; blank ones are none."""
        theirs, value = self.fields.find(self.data, "references")
        if value is ABSENT or value is None:
            return ()
        if isinstance(value, dict) and isinstance(value.get("text"), list):
            value, theirs = value["text"], f"{theirs}.text"
        listed = value if isinstance(value, list) else [value]
        texts = [self._string(f"{theirs}[{at}]", each) for at, each in enumerate(listed)]
        return tuple(text for text in texts if text.strip())

    def passages(self) -> tuple[Passage, ...]:
        """A list of strings and objects, or one string; null is an empty one."""
        theirs, value = self.fields.find(self.data, "passages")
        if value is ABSENT:
            self.text("passages")  # says what is missing
        if isinstance(value, str):
            value = [value]
        if value is not None and not isinstance(value, list):
            raise self._fault(theirs, f"{_described(value)}; expected a list of passages")
        return tuple(self._passage(f"{theirs}[{at}]", each) for at, each in enumerate(value or ()))

    def _passage(self, name: str, value: Any) -> Passage:
        if isinstance(value, str):
            return Passage(value)
        if not isinstance(value, dict):
            raise self._fault(name, f"{_described(value)}; expected a string or an object")
        own = _Row(self.where, value, self.fields, f"{name}.", "passages.")
        return Passage(
            own.text("text"), own.identifier("id"), own.number("score"), own.optional_text("title")
        )

    def _string(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self._fault(name, f"{_described(value)}; expected a string")
        return value

    def _fault(self, name: str, what: str) -> InvalidCase:
        return InvalidCase(f"{self.where}, field {self.prefix}{name}: {what}")


def _described(value: Any) -> str:
    text = repr(value)
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return f"{shown} is a {type(value).__name__}"
