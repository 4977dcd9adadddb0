"""Cases as questions, and what an application gives back for one as answer and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_trace.datasets.cases import Case
from pytest_trace.errors import hide_own_frames
from pytest_trace.measures.answers import References, known_references
from pytest_trace.trace import Document, Trace, read_documents

__tracebackhide__ = hide_own_frames

_EXPECTED: Final = (
    "expected a Trace, a pair (answer, documents), or a mapping with 'response' (or 'answer') "
    "and 'documents'"
)
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the answers known to be right; none where there is no reference."""

    id: str
    text: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """What the application said; the answer may be blank, and `documents` empty."""

    answer: str
    documents: tuple[Document, ...]


def read_question(case: Any, position: int) -> Question:
    """The question and the references of a `Case`, a `Trace` or a mapping.

    The id is the case's own, or its position, counted from 0. Raises `TypeError` for anything else
    and for a question that is no str.
    """
    if isinstance(case, Case):
        return _question(case.id, case.question, case.references, position)
    if isinstance(case, Trace):
        return _question(position, case.question, case.reference or (), position)
    if not isinstance(case, Mapping):
        raise TypeError(
            f"case {position} is a {type(case).__name__}; expected a Case, a Trace, or a mapping "
            "with 'question' and 'references' (or 'reference')"
        )
    references = case.get("references") or case.get("reference") or ()
    return _question(case.get("id", position), case.get("question"), references, position)


def _question(identifier: Any, text: Any, references: References, position: int) -> Question:
    if text is not None and not isinstance(text, str):
        raise TypeError(f"the question of case {position} is {text!r}; expected a str")
    return Question(str(identifier), text or "", tuple(known_references(references)))


def ask(generate: Callable[[Any], Any], case: Any, identifier: str) -> Generated:
    """What `generate` gives for `case`; what it raises gets the case in a note.

    Raises `TypeError` for what cannot be read, and `InvalidTrace` for documents that are none.
    """
    try:
        return _read(generate(case))
    except Exception as error:
        error.add_note(f"in generate for the case {identifier!r}")
        raise


def _read(value: Any) -> Generated:
    if isinstance(value, Trace):
        return Generated(value.response, value.documents)
    if isinstance(value, Mapping):
        if "documents" not in value or not {"response", "answer"} & value.keys():
            raise TypeError(f"generate gave a mapping with {sorted(map(str, value))}; {_EXPECTED}")
        answer = value["response"] if "response" in value else value["answer"]
        documents = value["documents"]
    elif isinstance(value, tuple | list) and len(value) == _PAIR:
        answer, documents = value
    else:
        raise TypeError(f"generate gave a {type(value).__name__}; {_EXPECTED}")
    if not isinstance(answer, str):
        raise TypeError(
            f"generate gave the answer {answer!r} ({type(answer).__name__}); {_EXPECTED}"
        )
    return Generated(answer, read_documents(documents))
