"""An application is asked every case; its answers and contexts are held against references."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, get_args

from pytest_trace.errors import JudgeError, UnknownName, hide_own_frames
from pytest_trace.judges.asking import chosen_judge
from pytest_trace.judges.base import Judge, judge_name
from pytest_trace.measures.answers import answer_scores
from pytest_trace.measures.equivalence import equivalence
from pytest_trace.measures.generated import Generated, Question, ask, read_question
from pytest_trace.measures.normalisation import Normalisation
from pytest_trace.measures.outcomes import Criterion, QuestionResult, RagAccuracy
from pytest_trace.measures.sufficiency import context_sufficiency

__tracebackhide__ = hide_own_frames

_GRADED: Final = ("token_f1", "rouge_l")
_TOLERANCE: Final = 1e-9


def rag_accuracy(
    cases: Iterable[Any],
    generate: Callable[[Any], Any],
    *,
    judge: Judge | str | None = None,
    criterion: Criterion | None = None,
    minimum: float | None = None,
    normalisation: Normalisation = "squad",
) -> RagAccuracy:
    """Ask the application every case, and tell faults of its retriever from those of its generator.

    A case is a `Case`, a `Trace`, or a mapping with `question` and `references` (or `reference`).
    `generate(case)` is the application: it returns a `Trace`, a pair `(answer, documents)`, or a
    mapping with `response` (or `answer`) and `documents`; what it raises is raised, with the case
    in a note. An answer may be blank (it is wrong), documents may be empty (insufficient).

    Without a judge, an answer is right if it contains a reference and a context is sufficient if a
    document contains one. With a judge, an answer is right if judge finds it equivalent to a
    reference and a context is sufficient if it supports one. `criterion` names another measure for
    the answer; `token_f1` and `rouge_l` need a `minimum`, which is inclusive, with a tolerance of
    1e-9. Raises `ValueError` where these do not fit together.
    """
    chosen = criterion or ("contained" if judge is None else "equivalence")
    bound = _required_minimum(chosen, minimum, has_judge=judge is not None)
    made = None if judge is None else chosen_judge(judge)
    grading = _Grading(made, chosen, bound, normalisation)
    results = []
    for position, case in enumerate(cases):
        question = read_question(case, position)
        generated = ask(generate, case, question.id)
        try:
            results.append(grading.result(question, generated))
        except JudgeError as error:
            error.add_note(f"on the case {question.id!r}")
            raise
    return RagAccuracy(
        per_question_results=tuple(results),
        criterion=chosen,
        minimum=bound,
        judge=None if made is None else judge_name(made),
    )


@dataclass(frozen=True, slots=True)
class _Grading:
    """How answers and contexts are graded."""

    judge: Judge | None
    criterion: Criterion
    minimum: float | None
    normalisation: Normalisation

    def result(self, question: Question, generated: Generated) -> QuestionResult:
        """One question, graded."""
        scores = answer_scores(
            generated.answer, question.references, normalisation=self.normalisation
        )
        found = None
        if self.criterion == "equivalence":
            found = equivalence(
                generated.answer, question.references, judge=self.judge, question=question.text
            )
            is_correct = None if found is None else found.is_equivalent
        else:
            is_correct = self._reached(scores.value(self.criterion))
        return QuestionResult(
            id=question.id,
            question=question.text,
            answer=generated.answer,
            references=question.references,
            documents=tuple(document.text for document in generated.documents),
            is_correct=is_correct,
            is_context_sufficient=self._is_sufficient(question, generated),
            scores=scores,
            equivalence=found,
        )

    def _reached(self, score: float | None) -> bool | None:
        if score is None:
            return None
        return score >= (1.0 if self.minimum is None else self.minimum) - _TOLERANCE

    def _is_sufficient(self, question: Question, generated: Generated) -> bool | None:
        score = context_sufficiency(
            generated.documents,
            question.references,
            judge=self.judge,
            question=question.text,
            normalisation=self.normalisation,
        )
        return None if score is None else bool(score)


def _required_minimum(criterion: str, minimum: float | None, *, has_judge: bool) -> float | None:
    if criterion not in get_args(Criterion):
        known = ", ".join(get_args(Criterion))
        raise UnknownName(f"unknown criterion {criterion!r}; known: {known}")
    if criterion == "equivalence" and not has_judge:
        raise ValueError("criterion='equivalence' needs a judge: rag_accuracy(…, judge=…)")
    if criterion not in _GRADED:
        if minimum is not None:
            raise ValueError(f"criterion {criterion!r} holds or not; it takes no minimum")
        return None
    if isinstance(minimum, bool) or not isinstance(minimum, int | float) or not 0 <= minimum <= 1:
        raise ValueError(
            f"the minimum of {criterion} is {minimum!r}; expected a number from 0 to 1"
        )
    return float(minimum)
