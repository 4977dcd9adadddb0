"""Whether a context holds the answer: what a generator was given was sufficient, or was not.

After Joren et al. (ICLR 2025), who ask a model whether the context suffices for the question; here
it must hold an answer that is known to be right.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_trace.errors import hide_own_frames
from pytest_trace.judges.base import Judge
from pytest_trace.measures.answers import References, contained, known_references
from pytest_trace.measures.equivalence import is_supported
from pytest_trace.measures.normalisation import Normalisation
from pytest_trace.trace import Document, Trace, read_documents

__tracebackhide__ = hide_own_frames


def context_sufficiency(
    documents: Iterable[Any],
    references: References,
    *,
    judge: Judge | str | None = None,
    question: str = "",
    normalisation: Normalisation = "squad",
) -> float | None:
    """1.0 if the documents hold a reference answer, else 0.0; None where there is no reference.

    `documents` are what a `Trace` takes. Without a judge one of them must contain a reference, by
    its tokens after `normalisation`, and a reference without a token is none. A judge is asked
    whether all of them support a reference; `question` helps to read it. Without documents nothing
    is held, and nobody is asked. Raises `JudgeError` where the judge cannot decide.
    """
    known, given = known_references(references), read_documents(documents)
    if judge is None:
        return _containing(given, known, normalisation)
    if not known:
        return None
    return float(
        bool(given) and any(is_supported(Trace(question, given, each), judge) for each in known)
    )


def _containing(
    documents: tuple[Document, ...], known: list[str], normalisation: Normalisation
) -> float | None:
    texts = ["", *(document.text for document in documents)]  # "" holds no answer: 0.0, or None
    found = [contained(text, known, normalisation=normalisation) for text in texts]
    return max((value for value in found if value is not None), default=None)
