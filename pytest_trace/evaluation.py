"""One trace, judged and scored: the value that everything after it reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from pytest_trace import running
from pytest_trace.errors import hide_own_frames
from pytest_trace.evaluation_config import METADATA_KEY, EvaluationConfig
from pytest_trace.judges import Judge, judge_name
from pytest_trace.judges.asking import ask_judge, judge_outside
from pytest_trace.marks import CheckedSupport, MarkPolicy, check_support
from pytest_trace.metrics import Formula, Length, TraceScores, score_checked
from pytest_trace.sentences import KeyedTrace, Sentencizer, make_sentencizer
from pytest_trace.trace import Trace
from pytest_trace.verdict import Verdict

__tracebackhide__ = hide_own_frames

_SHOWN_QUESTION = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that turns a trace into an evaluation."""

    judge: Judge
    sentencizer: Sentencizer
    formula: Formula = "trace"
    length: Length = "sentence"
    marks: MarkPolicy = "default"
    metadata_keys: tuple[str, ...] = ()
    config: EvaluationConfig | Mapping[str, Any] | None = None

    def with_given(self, **given: Any) -> Settings:
        """These settings with those of `given` that are not None."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return Settings(**values | {name: v for name, v in given.items() if v is not None})


class RunningTest(Protocol):
    """What an evaluation needs from the test that pytest is running; the plugin implements it."""

    def settings(self, judge: Judge | str | None) -> Settings:
        """The settings of this test, with `judge` in front of what is configured."""
        ...

    def add(self, evaluation: Evaluation) -> None:
        """Keep an evaluation for the report of this test."""
        ...

    def ask(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        """The judge's verdict, through whatever stands in front of the judge in this run."""
        ...

    def defer(
        self, trace: Trace | KeyedTrace, judge: Judge | str | None, check: Check
    ) -> Evaluation | None:
        """Take an assertion over, to be decided later; None where it must be decided at once."""
        ...


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


Check = Callable[[Evaluation], None]
"""Raises AssertionError where an evaluation is not as it should be."""


def evaluate(
    trace: Trace | KeyedTrace,
    *,
    judge: Judge | str | None = None,
    sentencizer: Sentencizer | None = None,
    formula: Formula | None = None,
    length: Length | None = None,
    marks: MarkPolicy | None = None,
    config: EvaluationConfig | Mapping[str, Any] | None = None,
) -> Evaluation:
    """Judge and score one trace.

    What is not given comes from the test that pytest is running, and the evaluation joins that
    test's rows; outside pytest the judge is `lexical`, the formula `trace`, the length
    `sentence`, the marks `default`. `config` declares how the documents were retrieved; it is kept
    as the result's `evaluation_config`, with what the trace's metadata declares under that name.
    Raises `JudgeError` where the judge cannot decide, or where pytest runs and no test is found to
    ask for its judge, and `InvalidConfig` where `config` and the trace contradict each other.
    """
    test: RunningTest | None = running.current_test()
    settings = current_settings(judge).with_given(
        sentencizer=sentencizer, formula=formula, length=length, marks=marks, config=config
    )
    if test is None:
        return evaluate_with(trace, settings)
    evaluation = evaluate_with(trace, settings, test.ask)
    test.add(evaluation)
    return evaluation


def current_settings(judge: Judge | str | None = None) -> Settings:
    """What `evaluate` goes by here: the settings of the running test, or the defaults."""
    test: RunningTest | None = running.current_test()
    return _settings_outside(judge) if test is None else test.settings(judge)


def evaluate_checked(
    trace: Trace | KeyedTrace, check: Check, *, judge: Judge | str | None = None
) -> Evaluation:
    """The evaluation of a trace that passes `check`, which raises AssertionError otherwise.

    The running test may take this over and decide it later; then whatever reads the evaluation
    waits for its verdict.
    """
    test: RunningTest | None = running.current_test()
    if test is not None and (later := test.defer(trace, judge, check)) is not None:
        return later
    evaluation = evaluate(trace, judge=judge)
    check(evaluation)
    return evaluation


def evaluate_many(
    traces: Iterable[Trace | KeyedTrace], *, concurrency: int = 1, **options: Any
) -> list[Evaluation]:
    """`evaluate` each trace, at most `concurrency` at once; the order is that of `traces`.

    `options` are those of `evaluate`: `config` is that of all of them. The first error ends it.
    """
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
        raise ValueError(f"concurrency is {concurrency!r}; expected a whole number from 1 on")
    if concurrency == 1:
        return [evaluate(trace, **options) for trace in traces]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(concurrency) as pool:
        return list(pool.map(lambda trace: evaluate(trace, **options), traces))


def evaluate_with(
    trace: Trace | KeyedTrace,
    settings: Settings,
    ask: Callable[[Judge, KeyedTrace], Verdict] | None = None,
) -> Evaluation:
    """The evaluation under `settings`; `ask` stands in front of the judge where there is one."""
    sentences = keyed(trace, settings)
    config = EvaluationConfig.of_trace(sentences.trace, settings.config)
    judge = settings.judge
    verdict = (ask or ask_judge)(judge, sentences)
    supports = check_support(sentences, verdict, settings.marks)
    scores = score_checked(
        sentences, verdict, supports, formula=settings.formula, length=settings.length
    )
    return Evaluation(
        sentences,
        verdict,
        scores,
        judge_name(judge),
        judge.version,
        settings.formula,
        settings.length,
        settings.marks,
        (*verdict.notes, *_notes_on_keys(sentences, verdict)),
        config,
    )


def keyed(trace: Trace | KeyedTrace, settings: Settings) -> KeyedTrace:
    """The sentences of a trace, as `settings` split them."""
    if isinstance(trace, KeyedTrace):
        return trace
    if isinstance(trace, Trace):
        return KeyedTrace.from_trace(
            trace, settings.sentencizer, metadata_keys=settings.metadata_keys
        )
    raise TypeError(
        f"got a {type(trace).__name__}; expected a Trace or KeyedTrace: "
        "Trace(question=…, documents=[…], response=…)"
    )


def _settings_outside(judge: Judge | str | None) -> Settings:
    return Settings(judge=judge_outside(judge), sentencizer=make_sentencizer())


def _notes_on_keys(sentences: KeyedTrace, verdict: Verdict) -> Sequence[str]:
    known = sentences.document_keys
    named = {key for support in verdict.support for key in support.document_keys}
    unknown = (verdict.relevant | verdict.utilized | named) - known
    return [f"unknown keys dropped: {', '.join(sorted(unknown))}"] if unknown else []
