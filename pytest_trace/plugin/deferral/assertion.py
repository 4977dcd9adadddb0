"""One assertion that is decided beside the tests, and those of one test in program order."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, cast

import pytest

from pytest_trace.errors import JudgeError, JudgeTimeout, hide_own_frames
from pytest_trace.evaluation import Check, Evaluation, Settings, evaluate_with, keyed
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.judges import Judge, judge_name
from pytest_trace.judges.base import is_free
from pytest_trace.plugin.choosing import chosen_votes
from pytest_trace.plugin.current import CurrentTest
from pytest_trace.plugin.deferral.frames import Place, places_of_call, traceback_of
from pytest_trace.plugin.deferral.pending import PendingEvaluation
from pytest_trace.plugin.deferral.pool import Pool
from pytest_trace.sentences import KeyedTrace, Sentencizer
from pytest_trace.trace import Trace

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession

__tracebackhide__ = hide_own_frames


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an assertion: an evaluation where there is a verdict, an error where it failed.

    The error is an AssertionError, one of the judge, or the exception by which pytest skips.
    """

    evaluation: Evaluation | None = None
    error: BaseException | None = None
    traceback: TracebackType | None = None
    """Where the error was raised; others who raise it again add to its own."""


def too_long(seconds: float) -> Outcome:
    """The outcome of an assertion whose judge does not come back."""
    return Outcome(
        error=JudgeTimeout(
            f"the judge has not decided within {seconds:.3g} seconds; "
            "it is left behind (--rag-timeout-seconds)"
        )
    )


@dataclass(eq=False, slots=True)
class DeferredAssertion:
    """An assertion, where it stands, and the verdict that it waits for."""

    places: Sequence[Place]
    place: int
    """Its place among the evaluations of its test."""
    future: Future[Outcome]

    def failure(self) -> pytest.ExceptionInfo[BaseException] | None:
        """The failure, raised where the assertion stands; None where it holds."""
        outcome = self.future.result()
        if outcome.error is None:
            return None
        traceback = traceback_of(self.places, outcome.traceback)
        return pytest.ExceptionInfo.from_exception(outcome.error.with_traceback(traceback))

    @property
    def where(self) -> str:
        """File and line, for messages."""
        place = self.places[0]
        return f"{Path(place.frame.f_code.co_filename).name}:{place.line}"


@dataclass(eq=False, slots=True)
class DeferringTest:
    """Takes over the assertions of one test that may be decided later."""

    item: pytest.Item
    session: RagSession
    pool: Pool[Outcome]
    assertions: list[DeferredAssertion] = field(default_factory=list)
    split: list[tuple[Trace | KeyedTrace, Sentencizer, KeyedTrace]] = field(default_factory=list)

    def take(
        self, test: CurrentTest, trace: Trace | KeyedTrace, judge: Judge | str | None, check: Check
    ) -> Evaluation | None:
        """Have the assertion decided beside the tests; None where it must be decided at once."""
        settings = test.settings(judge)
        if not self._may_wait(settings.judge) or (places := places_of_call(self.item)) is None:
            return None
        sentences = self._sentences(trace, settings)
        config = EvaluationConfig.of_trace(sentences.trace, settings.config)
        if self._is_immediate(settings.judge, sentences):
            return None

        def decide() -> Outcome:
            return _decide(test, sentences, settings, check)

        key = (judge_name(settings.judge), settings.judge.version, sentences)
        future = self.pool.submit(key, decide)
        self.assertions.append(DeferredAssertion(places, test.reserve(), future))
        return PendingEvaluation(
            sentences, settings, config, lambda: _evaluation(self.pool.wait(future))
        )

    def _sentences(self, trace: Trace | KeyedTrace, settings: Settings) -> KeyedTrace:
        """The sentences of a trace; most tests assert more than one thing of the same."""
        for known, sentencizer, sentences in self.split:
            if known is trace and sentencizer is settings.sentencizer:
                return sentences
        sentences = keyed(trace, settings)
        self.split.append((trace, settings.sentencizer, sentences))
        return sentences

    @property
    def is_decided(self) -> bool:
        """Whether nothing of this test is under way."""
        return all(assertion.future.done() for assertion in self.assertions)

    def wait(self) -> None:
        """Wait until nothing of this test is under way."""
        for assertion in self.assertions:
            self.pool.wait(assertion.future)

    def _may_wait(self, judge: Judge) -> bool:
        """Whether the judge takes time, and the run made it, so that it is safe for threads."""
        return not is_free(judge) and self.session.has_made(judge)

    def _is_immediate(self, judge: Judge, sentences: KeyedTrace) -> bool:
        """Whether the verdict is stored, or what asking needs is missing: the test is told now."""
        majority = chosen_votes(self.item, self.session) // 2 + 1
        store = self.session.store()
        try:
            if all(store.is_immediate(judge, sentences, vote=vote) for vote in range(majority)):
                return True
            if (prepare := getattr(judge, "prepare", None)) is not None:
                prepare()
        except JudgeError:
            return True
        return False


def _decide(test: CurrentTest, sentences: KeyedTrace, settings: Settings, check: Check) -> Outcome:
    evaluation = None
    try:
        evaluation = evaluate_with(sentences, settings, test.ask)
        check(evaluation)
    except BaseException as error:  # noqa: BLE001 - it is raised where the assertion stands
        return Outcome(evaluation, error, error.__traceback__)
    return Outcome(evaluation)


def _evaluation(outcome: Outcome) -> Evaluation:
    if outcome.evaluation is None:
        raise cast("BaseException", outcome.error)
    return outcome.evaluation
