"""A judge that can be awaited, for whoever calls judges."""

from __future__ import annotations

from typing import Any

from pytest_trace.concurrency.calls import is_awaited
from pytest_trace.concurrency.own_loop import run
from pytest_trace.errors import hide_own_frames
from pytest_trace.judges.base import AnyJudge
from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Verdict

__tracebackhide__ = hide_own_frames


class AwaitedJudge:
    """Awaits `ajudge` on the loop of this package, where it is awaited itself or must be.

    Whatever else a judge has is that of its own.
    """

    def __init__(self, judge: AnyJudge) -> None:
        self._judge = judge

    @property
    def kind(self) -> str:
        """As the judge's own; what `isinstance` asks for must stand in the class."""
        return self._judge.kind

    @property
    def version(self) -> str:
        """As the judge's own."""
        return self._judge.version

    def judge(self, sentences: KeyedTrace) -> Verdict:
        """One verdict. Where who awaits it gives it up, `ajudge` is cancelled."""
        judge: Any = self._judge
        if is_awaited() or not hasattr(judge, "judge"):
            return run(lambda: _awaited(judge, sentences))
        verdict: Verdict = judge.judge(sentences)
        return verdict

    def __getattr__(self, name: str) -> Any:
        """What a judge may have: model, identity, is_free, is_metered, prepare."""
        return getattr(self._judge, name)


async def _awaited(judge: Any, sentences: KeyedTrace) -> Verdict:
    """The verdict; `ajudge` may return anything that can be awaited."""
    verdict: Verdict = await judge.ajudge(sentences)
    return verdict
