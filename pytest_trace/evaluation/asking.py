"""From a trace to its evaluation: whose settings hold, who is asked, what a fault becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_trace import running
from pytest_trace.errors import hide_own_frames
from pytest_trace.evaluation.value import Evaluation
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.judges import AnyJudge, Judge, judge_name
from pytest_trace.judges.asking import ask_judge, judge_outside
from pytest_trace.marks import MarkPolicy, check_support
from pytest_trace.metrics import Formula, Length, score_checked
from pytest_trace.sentences import KeyedTrace, Sentencizer, make_sentencizer
from pytest_trace.trace import Trace
from pytest_trace.verdict import Verdict

__tracebackhide__ = hide_own_frames

Subject = Trace | KeyedTrace | Evaluation
"""What may be asserted on."""

Check = Callable[[Evaluation], None]
"""Raises AssertionError where an evaluation is not as it should be."""


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

    def settings(self, judge: AnyJudge | str | None) -> Settings:
        """The settings of this test, with `judge` in front of what is configured."""
        ...

    def add(self, evaluation: Evaluation, place: int | None = None) -> None:
        """Keep an evaluation for the report of this test, at a place that was reserved for it."""
        ...

    def reserve(self) -> int:
        """A place among the evaluations, for one that is known later."""
        ...

    def ask(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        """The judge's verdict, through whatever stands in front of the judge in this run."""
        ...

    def defer(
        self, trace: Trace | KeyedTrace, judge: AnyJudge | str | None, check: Check
    ) -> Evaluation | None:
        """Take an assertion over, to be decided later; None where it must be decided at once."""
        ...


class Asking:
    """Who asks for evaluations, the test that pytest is running or nobody, and how.

    Judges are made, and fixtures requested, where the first trace is evaluated: that may take
    long, and an event loop does not wait for it.
    """

    def __init__(
        self,
        *,
        judge: AnyJudge | str | None = None,
        sentencizer: Sentencizer | None = None,
        formula: Formula | None = None,
        length: Length | None = None,
        marks: MarkPolicy | None = None,
        config: EvaluationConfig | Mapping[str, Any] | None = None,
    ) -> None:
        self._test: RunningTest | None = running.current_test()
        self._judge = judge
        self._settings: Settings | None = None
        self._given = {
            "sentencizer": sentencizer,
            "formula": formula,
            "length": length,
            "marks": marks,
            "config": config,
        }

    @property
    def settings(self) -> Settings:
        """Those of the test, or outside of one the defaults, with what was given."""
        if self._settings is None:  # two threads may find it out: both find the same
            settings = _settings(self._test, self._judge)
            self._settings = settings.with_given(**self._given)
        return self._settings

    def evaluation(self, trace: Trace | KeyedTrace) -> Evaluation:
        """The evaluation of a trace; may be called in any thread."""
        return evaluate_with(trace, self.settings, None if self._test is None else self._test.ask)

    def place(self) -> int | None:
        """The next place among the rows of the test, for an evaluation that is known later."""
        return None if self._test is None else self._test.reserve()

    def kept(self, evaluation: Evaluation, place: int | None = None) -> Evaluation:
        """The evaluation, now among the rows of the test."""
        if self._test is not None:
            self._test.add(evaluation, place)
        return evaluation


def current_settings(judge: AnyJudge | str | None = None) -> Settings:
    """What `evaluate` goes by here: the settings of the running test, or the defaults."""
    return _settings(running.current_test(), judge)


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


def _settings(test: RunningTest | None, judge: AnyJudge | str | None) -> Settings:
    if test is not None:
        return test.settings(judge)
    return Settings(judge=judge_outside(judge), sentencizer=make_sentencizer())


def _notes_on_keys(sentences: KeyedTrace, verdict: Verdict) -> Sequence[str]:
    known = sentences.document_keys
    named = {key for support in verdict.support for key in support.document_keys}
    unknown = (verdict.relevant | verdict.utilized | named) - known
    return [f"unknown keys dropped: {', '.join(sorted(unknown))}"] if unknown else []
