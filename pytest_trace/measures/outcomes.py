"""Right answers and sufficient contexts together: is it the retriever or the generator?

A context is sufficient if it holds the reference answer (after Joren et al., ICLR 2025, who ask a
model whether the context suffices). Crossed with whether the answer is right:

                    context sufficient    context insufficient
    answer right    fine                  lucky
    answer wrong    generator fault       retriever fault
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, get_args

from pytest_trace.measures.answers import AnswerScores
from pytest_trace.measures.equivalence import Equivalence

Outcome = Literal["fine", "lucky", "generator fault", "retriever fault"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
_MEANINGS: Final[Mapping[Outcome, str]] = {
    "fine": "the context holds the answer, and the answer is right",
    "lucky": "the answer is right, but the context does not hold it: the model knew or guessed it",
    "generator fault": "the context holds the answer, and the answer is wrong all the same",
    "retriever fault": "the context does not hold the answer, and the answer is wrong",
}

Criterion = Literal["exact_match", "token_f1", "rouge_l", "contained", "equivalence"]
"""What makes an answer right: a measure of `answers`, or a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """One question. What is None is undefined: the case has no reference."""

    id: str
    question: str
    answer: str
    references: tuple[str, ...]
    documents: tuple[str, ...]
    is_correct: bool | None
    is_context_sufficient: bool | None
    scores: AnswerScores
    equivalence: Equivalence | None = None

    @property
    def outcome(self) -> Outcome | None:
        """Whose fault, or merit, it is."""
        if self.is_correct is None or self.is_context_sufficient is None:
            return None
        if self.is_correct:
            return "fine" if self.is_context_sufficient else "lucky"
        return "generator fault" if self.is_context_sufficient else "retriever fault"

    def to_json(self) -> dict[str, Any]:
        """This result as JSON values."""
        lists = {"references": list(self.references), "documents": list(self.documents)}
        return asdict(self) | lists | {"outcome": self.outcome}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> QuestionResult:
        """The inverse of `to_json`."""
        values = {name: value for name, value in data.items() if name != "outcome"}
        found = values["equivalence"]
        return cls(
            **values
            | {
                "references": tuple(values["references"]),
                "documents": tuple(values["documents"]),
                "scores": AnswerScores.from_json(values["scores"]),
                "equivalence": None if found is None else Equivalence(**found),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RagAccuracy:
    """What `rag_accuracy` found. Questions without a reference count in no share."""

    per_question_results: tuple[QuestionResult, ...]
    criterion: Criterion
    minimum: float | None
    judge: str | None

    @property
    def accuracy(self) -> float | None:
        """The share of right answers; None where no question has a reference."""
        return _share(each.is_correct for each in self.per_question_results)

    @property
    def context_sufficiency(self) -> float | None:
        """The share of contexts that hold the reference answer; None as above."""
        return _share(each.is_context_sufficient for each in self.per_question_results)

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """How many questions met each combination; all four stand in it."""
        counts = Counter(each.outcome for each in self.per_question_results)
        return {outcome: counts[outcome] for outcome in OUTCOMES}

    @property
    def undefined(self) -> int:
        """How many questions have no reference."""
        return sum(each.outcome is None for each in self.per_question_results)

    def summary(self) -> str:
        """The shares and the four combinations in words."""
        total = len(self.per_question_results)
        by = self.criterion if self.judge is None else f"{self.criterion}, judge {self.judge}"
        shares = (
            f"{total - self.undefined} of {total} questions have a reference ({by}): "
            f"accuracy {_shown(self.accuracy)}, "
            f"context sufficiency {_shown(self.context_sufficiency)}"
        )
        lines = [f"  {count} {name}: {_MEANINGS[name]}" for name, count in self.outcomes.items()]
        return "\n".join([shares, *lines])

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "accuracy": self.accuracy,
            "context_sufficiency": self.context_sufficiency,
            "outcomes": dict(self.outcomes),
            "undefined": self.undefined,
            "criterion": self.criterion,
            "minimum": self.minimum,
            "judge": self.judge,
            "per_question_results": [each.to_json() for each in self.per_question_results],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RagAccuracy:
        """The inverse of `to_json`; what follows from the questions is counted anew."""
        results = tuple(map(QuestionResult.from_json, data["per_question_results"]))
        return cls(
            per_question_results=results,
            criterion=data["criterion"],
            minimum=data["minimum"],
            judge=data["judge"],
        )


def _share(values: Iterable[bool | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _shown(share: float | None) -> str:
    return "undefined" if share is None else f"{share:.2f}"
