"""One trace, judged and scored: the value that everything after it reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_trace.evaluation_config import METADATA_KEY, EvaluationConfig
from pytest_trace.marks import CheckedSupport, MarkPolicy, check_support
from pytest_trace.metrics import Formula, Length, TraceScores
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace
from pytest_trace.verdict import Verdict

_SHOWN_QUESTION = 50


@dataclass(frozen=True)
class Evaluation:
    """A trace, what the judge decided about it, and the scores that follow."""

    sentences: KeyedTrace
    verdict: Verdict
    scores: TraceScores
    judge: str
    judge_version: str
    formula: Formula = "trace"
    length: Length = "sentence"
    marks: MarkPolicy = "default"
    notes: tuple[str, ...] = ()
    evaluation_config: EvaluationConfig | None = None

    @property
    def trace(self) -> Trace:
        """The trace that was judged."""
        return self.sentences.trace

    @cached_property
    def support(self) -> tuple[CheckedSupport, ...]:
        """Each response sentence under the mark policy, in the response's order."""
        return check_support(self.sentences, self.verdict, self.marks)

    @property
    def refused(self) -> bool:
        """Whether the response declines to answer: a refusal, and no claim beside it."""
        roles = {support.role for support in self.support}
        return "refusal" in roles and "claim" not in roles

    def to_json(self) -> dict[str, Any]:
        """This evaluation as JSON values; without a configuration it has no `evaluation_config`."""
        config = self.evaluation_config
        return {
            "sentences": self.sentences.to_json(),
            "verdict": self.verdict.to_json(),
            "scores": self.scores.to_json(),
            "judge": self.judge,
            "judge_version": self.judge_version,
            "formula": self.formula,
            "length": self.length,
            "marks": self.marks,
            "notes": list(self.notes),
            **({} if config is None else {METADATA_KEY: config.to_json()}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evaluation:
        """The inverse of `to_json`."""
        config = data.get(METADATA_KEY)
        return cls(
            KeyedTrace.from_json(data["sentences"]),
            Verdict.from_json(data["verdict"]),
            TraceScores.from_json(data["scores"]),
            data["judge"],
            data["judge_version"],
            data["formula"],
            data["length"],
            data["marks"],
            tuple(data["notes"]),
            None if config is None else EvaluationConfig.from_json(config),
        )

    def dumps(self) -> str:
        """This evaluation as one line of ASCII JSON, which any channel carries."""
        return json.dumps(self.to_json(), ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def loads(cls, text: str) -> Evaluation:
        """The inverse of `dumps`."""
        return cls.from_json(json.loads(text))

    def __repr__(self) -> str:
        """Short, and naming the trace: a plain assert on a score shows it."""
        question = self.trace.question
        if len(question) > _SHOWN_QUESTION:
            question = question[: _SHOWN_QUESTION - 1] + "…"
        return f"<Evaluation of {question!r} by {self.judge}>"
