"""Evaluating traces, for whoever must not wait: no event loop is held up by a judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pytest_trace.concurrency.awaiting import Begun
from pytest_trace.concurrency.threads import Threads, shared_threads
from pytest_trace.errors import hide_own_frames
from pytest_trace.evaluation.asking import Asking
from pytest_trace.evaluation.evaluating import require_concurrency
from pytest_trace.evaluation.value import Evaluation
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.judges import AnyJudge
from pytest_trace.marks import MarkPolicy
from pytest_trace.metrics import Formula, Length
from pytest_trace.sentences import KeyedTrace, Sentencizer
from pytest_trace.trace import Trace

__tracebackhide__ = hide_own_frames


async def aevaluate(
    trace: Trace | KeyedTrace,
    *,
    judge: AnyJudge | str | None = None,
    sentencizer: Sentencizer | None = None,
    formula: Formula | None = None,
    length: Length | None = None,
    marks: MarkPolicy | None = None,
    config: EvaluationConfig | Mapping[str, Any] | None = None,
) -> Evaluation:
    """`evaluate`, for a coroutine of asyncio or trio: other tasks run on while a judge answers.

    At most 32 traces of one process are judged at once; further ones wait their turn. Where it is
    cancelled, so is the call of an LLM judge or an `AsyncJudge`, and nothing is stored; any other
    judge answers in peace, and its verdict is stored.
    """
    asking = Asking(
        judge=judge,
        sentencizer=sentencizer,
        formula=formula,
        length=length,
        marks=marks,
        config=config,
    )
    place = asking.place()
    begun = Begun(partial(asking.evaluation, trace), shared_threads())
    return asking.kept(await begun.result(), place)


async def aevaluate_many(
    traces: Iterable[Trace | KeyedTrace], *, concurrency: int = 8, **options: Any
) -> list[Evaluation]:
    """`aevaluate` each trace, at most `concurrency` at once; the order is that of `traces`.

    `options` are those of `aevaluate`. The first error ends it.
    """
    require_concurrency(concurrency)
    asking, threads = Asking(**options), Threads(concurrency)
    calls = [Begun(partial(asking.evaluation, trace), threads) for trace in traces]
    try:
        return [asking.kept(await call.result()) for call in calls]
    finally:
        for call in calls:
            call.give_up()
