"""Whether two answers say the same, by a judge.

No judge is asked "are they the same?". Each is asked the one thing that all of them can do, whether
a response has support in documents: an answer is equivalent to a reference if it has support in
the reference, and the reference in it (entailment both ways). So language models, models of
entailment, `lexical` and judges of one's own all serve, with their recordings and caches.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_trace.judges.asking import ask_support
from pytest_trace.judges.base import Judge
from pytest_trace.measures.answers import References, known_references
from pytest_trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Equivalence:
    """An answer beside one reference, by a judge.

    An answer that says more than its reference is not supported by it; one that says less does
    not support it.
    """

    reference: str
    is_answer_supported: bool
    """Whether the reference, as the only document, supports all of the answer."""
    is_reference_supported: bool
    """Whether the answer, as the only document, supports all of the reference."""

    @property
    def is_equivalent(self) -> bool:
        """Whether each supports the other."""
        return self.is_answer_supported and self.is_reference_supported


def equivalence(
    answer: str, references: References, *, judge: Judge | str | None, question: str = ""
) -> Equivalence | None:
    """The first reference that says the same as `answer`, else the one that comes nearest.

    `question` helps to read both. In a test, `judge=None` is the judge of the test. None without a
    reference; a blank answer supports nothing, and nobody is asked. Raises `JudgeError` where the
    judge cannot decide.
    """
    nearest = None
    for reference in known_references(references):
        found = _compared(answer, reference, judge, question)
        if found.is_equivalent:
            return found
        if nearest is None or _ways(found) > _ways(nearest):
            nearest = found
    return nearest


def is_supported(trace: Trace, judge: Judge | str | None) -> bool:
    """Whether `judge` finds every sentence of the response supported by the documents."""
    return all(support.is_supported for support in ask_support(trace, judge))


def _compared(answer: str, reference: str, judge: Judge | str | None, question: str) -> Equivalence:
    if not answer.strip():
        return Equivalence(reference, is_answer_supported=False, is_reference_supported=False)
    return Equivalence(
        reference,
        is_answer_supported=is_supported(Trace(question, [reference], answer), judge),
        is_reference_supported=is_supported(Trace(question, [answer], reference), judge),
    )


def _ways(found: Equivalence) -> int:
    return found.is_answer_supported + found.is_reference_supported
