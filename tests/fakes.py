"""A running test, and judges that decide by words which a test puts into its texts."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path

from pytest_trace import running
from pytest_trace.errors import JudgeError
from pytest_trace.evaluation import Check, Evaluation, Settings
from pytest_trace.judges import Judge
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace
from pytest_trace.verdict import SentenceSupport, Verdict

ASYNCIO = (
    *("-p", "asyncio", "-o", "asyncio_mode=strict"),
    *("-o", "asyncio_default_fixture_loop_scope=function"),
)
"""What an inner run needs for the tests of pytest-asyncio in it."""


class FakeJudge:
    """A document sentence with "weather" is irrelevant, and "meteorite" has no support.

    A response with "unclear" cannot be judged. Everything else is relevant, utilized, supported.
    """

    kind = "fake"

    def __init__(self, name: str = "fake", version: str = "1") -> None:
        self.kind = name
        self.version = version
        self.calls = 0

    def judge(self, sentences: KeyedTrace) -> Verdict:
        self.calls += 1
        if "unclear" in sentences.trace.response:
            raise JudgeError("the fake judge cannot decide", details=("model fake-1",))
        relevant = [item.key for item in sentences.documents if "weather" not in item.text]
        return Verdict(
            relevant=frozenset(relevant),
            utilized=frozenset(relevant[:1]),
            support=tuple(
                SentenceSupport(
                    item.key,
                    "meteorite" not in item.text,
                    tuple(relevant[:1]),
                    reason="meteorites are not mentioned" if "meteorite" in item.text else None,
                )
                for item in sentences.response
            ),
        )


class AwaitedFake:
    """The fake judge, which must be awaited; `loops` are those that it was asked on."""

    kind = "awaited"
    version = "1"

    def __init__(self) -> None:
        self.loops: list[asyncio.AbstractEventLoop] = []

    async def ajudge(self, sentences: KeyedTrace) -> Verdict:
        self.loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0.001)
        return FakeJudge().judge(sentences)


def make_other() -> FakeJudge:
    """A second judge, to tell which one was asked."""
    return FakeJudge("other")


class WordJudge:
    """A sentence has support in documents that have all of its words; keeps what it is asked."""

    kind = "word"
    version = "1"
    is_free = True

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def judge(self, sentences: KeyedTrace) -> Verdict:
        trace = sentences.trace
        self.asked.append(
            (trace.question, *(each.text for each in trace.documents), trace.response)
        )
        known = {word for each in sentences.documents for word in each.text.lower().split()}
        keys = tuple(item.key for item in sentences.documents)
        support = tuple(
            SentenceSupport(each.key, set(each.text.lower().split()) <= known, keys)
            for each in sentences.response
        )
        return Verdict(relevant=frozenset(), utilized=frozenset(), support=support)


class FixedJudge:
    """Gives the same verdict on every trace."""

    kind = "fixed"
    version = "1"

    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict

    def judge(self, sentences: KeyedTrace) -> Verdict:
        return self._verdict


class FakeTest:
    """A running test that keeps what it is asked and given."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.asked_for: list[object] = []
        self.kept: list[Evaluation] = []
        self.asked = 0

    def start(self) -> None:
        """Be the test that runs, in a session of its own."""
        session = running.RunningSession()
        session.start(lambda: self)
        running.push(session)

    def settings(self, judge: Judge | str | None) -> Settings:
        self.asked_for.append(judge)
        return self._settings

    def ask(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        self.asked += 1
        return judge.judge(sentences)

    def defer(
        self, trace: Trace | KeyedTrace, judge: Judge | str | None, check: Check
    ) -> Evaluation | None:
        return None

    def reserve(self) -> int:
        return len(self.kept)

    def add(self, evaluation: Evaluation, place: int | None = None) -> None:
        self.kept.append(evaluation)


class SlowJudge(FakeJudge):
    """A `FakeJudge` that takes up to 20 ms, so that verdicts come in any order.

    It never answers on a response with "forever" before the file `go` is there.
    """

    def judge(self, sentences: KeyedTrace) -> Verdict:
        time.sleep(random.uniform(0.0, 0.02))
        while "forever" in sentences.trace.response and not Path("go").exists():
            time.sleep(0.01)
        return super().judge(sentences)
