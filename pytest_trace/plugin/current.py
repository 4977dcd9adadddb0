"""The test that runs now: it asks for verdicts and keeps what was evaluated for its report."""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_trace.errors import JudgeError, MissingKey, UnknownName, hide_own_frames
from pytest_trace.evaluation import Check, Evaluation, Settings
from pytest_trace.judges import Judge, judge_name
from pytest_trace.judges.base import is_free
from pytest_trace.plugin.choosing import chosen_judge, chosen_sentencizer, chosen_votes
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace
from pytest_trace.verdict import Verdict

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession

__tracebackhide__ = hide_own_frames


class Deferring(Protocol):
    """Decides assertions of one test later, beside the tests that follow; `deferral` does."""

    def take(
        self, test: CurrentTest, trace: Trace | KeyedTrace, judge: Judge | str | None, check: Check
    ) -> Evaluation | None:
        """Take an assertion over; None where it must be decided at once."""
        ...


DEFERRING = pytest.StashKey[Deferring]()
"""Of an item whose reports are held back while its verdicts are under way."""


class CurrentTest:
    """The `evaluation.RunningTest` of one item; safe to use from any thread of the test."""

    def __init__(self, item: pytest.Item, session: RagSession) -> None:
        self._item = item
        self._session = session
        self._lock = threading.Lock()
        self._choosing = threading.RLock()
        self._verdicts: dict[tuple[str, str, KeyedTrace], Verdict] = {}
        self._evaluations: list[str | None] = []
        self._used: dict[str, str] = {}
        self._sources: dict[str, Counter[str]] = defaultdict(Counter)
        self.judge_error: JudgeError | None = None
        self.has_missing_key = False

    def settings(self, judge: Judge | str | None) -> Settings:
        """The settings of this test: what precedes what stands in `plugin.options`."""
        options = self._session.options
        try:
            with self._choosing:  # fixtures are requested by one thread at a time
                chosen = chosen_judge(self._item, self._session, judge)
                sentencizer = chosen_sentencizer(self._item, self._session)
        except UnknownName as error:
            self.judge_error = JudgeError(str(error))
            raise self.judge_error from error
        return Settings(
            judge=chosen,
            sentencizer=sentencizer,
            formula=options.formula,
            length=options.length,
            marks=options.marks,
            metadata_keys=options.metadata_keys,
        )

    def ask(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        """The verdict on `sentences`; a judge is asked once for each trace of this test."""
        key = (judge_name(judge), judge.version, sentences)
        if (known := self._verdicts.get(key)) is not None:
            return known
        try:
            verdict = self._voted(judge, sentences)
        except JudgeError as error:
            if not isinstance(error, MissingKey) or self._session.options.missing_judge == "fail":
                self.judge_error = error
                raise
            reason = str(error.args[0])
        else:
            return self._verdicts.setdefault(key, verdict)
        self.has_missing_key = True
        return pytest.skip(reason)  # outside the handler: the skip has no error behind it

    def defer(
        self, trace: Trace | KeyedTrace, judge: Judge | str | None, check: Check
    ) -> Evaluation | None:
        """Leave an assertion to what decides later; None where nothing does."""
        deferring = self._item.stash.get(DEFERRING, None)
        return None if deferring is None else deferring.take(self, trace, judge, check)

    @property
    def is_held_back(self) -> bool:
        """Whether evaluations are still to come when the test has ended."""
        return DEFERRING in self._item.stash

    def add(self, evaluation: Evaluation, place: int | None = None) -> None:
        """Keep an evaluation for the report; one that is already there is not kept twice.

        `place` is one that was reserved for it; where it was handed over meanwhile, the test has
        ended, and nobody will report it.
        """
        line = evaluation.dumps()
        place = self.reserve() if place is None else place
        with self._lock:
            is_new = line not in self._evaluations
            if place < len(self._evaluations):
                self._evaluations[place] = line
        if is_new:
            self._item.ihook.pytest_rag_evaluated(item=self._item, evaluation=evaluation)

    def reserve(self) -> int:
        """A place among the evaluations, for one that is known later."""
        with self._lock:
            self._evaluations.append(None)
            return len(self._evaluations) - 1

    def forget_from(self, place: int) -> None:
        """Forget the evaluations from this place on."""
        with self._lock:
            del self._evaluations[place:]

    def take_evaluations(self) -> list[str]:
        """Hand over what was kept, as lines of ASCII JSON, and forget it."""
        with self._lock:
            taken, self._evaluations = self._evaluations, []
        return list(dict.fromkeys(line for line in taken if line is not None))

    def take_used(self) -> list[str]:
        """Hand over the stored verdicts that were used, as lines of ASCII JSON, and forget them."""
        with self._lock:
            taken, self._used = list(self._used.values()), {}
        return taken

    def take_notices(self) -> list[str]:
        """Hand over what has to be said once, and forget it."""
        return self._session.take_notices()

    def take_sources(self) -> dict[str, dict[str, int]]:
        """Hand over, by judge, where its verdicts came from, and start counting anew."""
        with self._lock:
            taken = {name: dict(counts) for name, counts in self._sources.items()}
            self._sources.clear()
        return taken

    def _voted(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        if is_free(judge):
            self._count(judge, "judge")
            return self._session.call(judge, sentences)

        from pytest_trace.judges.voting import vote

        votes = chosen_votes(self._item, self._session)
        return vote(lambda number: self._stored(judge, sentences, number), votes)

    def _stored(self, judge: Judge, sentences: KeyedTrace, number: int) -> Verdict:
        source = "failed"
        try:
            answer = self._session.store().ask(judge, sentences, self._session.call, vote=number)
            source = answer.source.value
        finally:
            self._count(judge, source)
        if self._session.options.record:
            line = json.dumps(answer.entry.to_json(), ensure_ascii=True)
            with self._lock:
                self._used[answer.entry.key] = line
        return answer.verdict

    def _count(self, judge: Judge, source: str) -> None:
        with self._lock:
            self._sources[judge_name(judge)][source] += 1
