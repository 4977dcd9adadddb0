"""The test that runs now: which judge is its own, and what was evaluated in it."""

from __future__ import annotations

import inspect
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_trace.errors import JudgeError, UnknownName, hide_own_frames
from pytest_trace.evaluation import Evaluation, Settings, ask_judge
from pytest_trace.judges import Judge, judge_name, require_judge
from pytest_trace.sentences import KeyedTrace, Sentencizer
from pytest_trace.verdict import Verdict

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession

__tracebackhide__ = hide_own_frames

_FIXTURES_MODULE = "pytest_trace.plugin.hooks"


class CurrentTest:
    """The `running.RunningTest` of one item; safe to use from any thread of the test."""

    def __init__(self, item: pytest.Item, session: RagSession) -> None:
        self._item = item
        self._session = session
        self._lock = threading.Lock()
        self._verdicts: dict[tuple[str, str, KeyedTrace], Verdict] = {}
        self._evaluations: dict[str, None] = {}
        self._calls: Counter[str] = Counter()
        self.judge_error: JudgeError | None = None

    def settings(self, judge: Judge | str | None) -> Settings:
        """The settings of this test: what precedes what stands in `plugin.options`."""
        options = self._session.options
        try:
            chosen, sentencizer = self._judge(judge), self._sentencizer()
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
            verdict = ask_judge(judge, sentences)
        except JudgeError as error:
            self.judge_error = error
            raise
        finally:
            with self._lock:
                self._calls[key[0]] += 1
        return self._verdicts.setdefault(key, verdict)

    def add(self, evaluation: Evaluation) -> None:
        """Keep an evaluation for the report; one that is already there is not kept twice."""
        line = evaluation.dumps()
        with self._lock:
            is_new = line not in self._evaluations
            self._evaluations[line] = None
        if is_new:
            self._item.ihook.pytest_rag_evaluated(item=self._item, evaluation=evaluation)

    def take_evaluations(self) -> list[str]:
        """Hand over what was kept, as lines of ASCII JSON, and forget it."""
        with self._lock:
            taken, self._evaluations = list(self._evaluations), {}
        return taken

    def take_calls(self) -> dict[str, int]:
        """Hand over how often each judge was called, and start counting anew."""
        with self._lock:
            taken, self._calls = dict(self._calls), Counter()
        return taken

    def _judge(self, given: Judge | str | None) -> Judge:
        if given is not None:
            return self._made(given, "judge= got")
        marker = self._item.get_closest_marker("rag")
        if marker is not None and marker.kwargs.get("judge") is not None:
            return self._made(marker.kwargs["judge"], "the marker rag(judge=…) got")
        if self._is_overridden("rag_judge"):
            return self._made(self._fixture("rag_judge"), "the fixture rag_judge returned")
        return self._session.judge()

    def _made(self, given: Judge | str, where: str) -> Judge:
        return self._session.judge(given) if isinstance(given, str) else require_judge(given, where)

    def _sentencizer(self) -> Sentencizer:
        if not self._is_overridden("rag_sentencizer"):
            return self._session.sentencizer()
        value: Any = self._fixture("rag_sentencizer")
        if callable(getattr(value, "split", None)) and hasattr(value, "version"):
            sentencizer: Sentencizer = value
            return sentencizer
        raise UnknownName(
            f"the fixture rag_sentencizer returned a {type(value).__name__}, "
            "which is no sentencizer: it needs version and split(text)"
        )

    def _is_overridden(self, name: str) -> bool:
        definition = self._definition(name)
        return definition is not None and definition.func.__module__ != _FIXTURES_MODULE

    def _definition(self, name: str) -> pytest.FixtureDef[Any] | None:
        """The fixture definition that this item sees under `name`."""
        found = self._item.session._fixturemanager.getfixturedefs(name, self._item)  # noqa: SLF001
        return found[-1] if found else None

    def _fixture(self, name: str) -> Any:
        """The value of a fixture, requested now if the test's signature does not have it."""
        funcargs: dict[str, Any] = getattr(self._item, "funcargs", {})
        if name in funcargs:
            return funcargs[name]
        self._require_requestable(name)
        request: pytest.FixtureRequest = self._item._request  # type: ignore[attr-defined]  # noqa: SLF001
        return request.getfixturevalue(name)

    def _require_requestable(self, name: str) -> None:
        definition = self._definition(name)
        if definition is None or name in getattr(self._item, "fixturenames", ()):
            return
        func = inspect.unwrap(definition.func)
        reason = None
        if inspect.iscoroutinefunction(func) or inspect.isasyncgenfunction(func):
            reason = "async"
        elif definition.params is not None:
            reason = "parametrized"
        if reason is not None:
            raise JudgeError(
                f"the {reason} fixture {name} cannot be requested while the test runs",
                details=(f"add {name} to the signature of {self._item.name}",),
            )
