"""Evaluating traces, for whoever can wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_trace import running
from pytest_trace.errors import hide_own_frames
from pytest_trace.evaluation.asking import Asking, Check, RunningTest, Subject
from pytest_trace.evaluation.value import Evaluation
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.judges import AnyJudge
from pytest_trace.marks import MarkPolicy
from pytest_trace.metrics import Formula, Length
from pytest_trace.sentences import KeyedTrace, Sentencizer
from pytest_trace.trace import Trace

__tracebackhide__ = hide_own_frames


def evaluate(
    trace: Trace | KeyedTrace,
    *,
    judge: AnyJudge | str | None = None,
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
    asking = Asking(
        judge=judge,
        sentencizer=sentencizer,
        formula=formula,
        length=length,
        marks=marks,
        config=config,
    )
    return asking.kept(asking.evaluation(trace))


def evaluate_checked(
    subject: Subject, check: Check, *, judge: AnyJudge | str | None = None
) -> Evaluation:
    """The evaluation of a trace that passes `check`, which raises AssertionError otherwise.

    The running test may take this over and decide it later; then whatever reads the evaluation
    waits for its verdict. An evaluation that is there already joins the rows of the test.
    """
    test: RunningTest | None = running.current_test()
    if isinstance(subject, Evaluation):
        evaluation = _as_judged(subject, judge)
        if test is not None:
            test.add(evaluation)
    elif test is not None and (later := test.defer(subject, judge, check)) is not None:
        return later
    else:
        evaluation = evaluate(subject, judge=judge)
    check(evaluation)
    return evaluation


def evaluate_many(
    traces: Iterable[Trace | KeyedTrace], *, concurrency: int = 1, **options: Any
) -> list[Evaluation]:
    """`evaluate` each trace, at most `concurrency` at once; the order is that of `traces`.

    `options` are those of `evaluate`: `config` is that of all of them. The first error ends it.
    """
    require_concurrency(concurrency)
    if concurrency == 1:
        return [evaluate(trace, **options) for trace in traces]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(concurrency) as pool:
        return list(pool.map(lambda trace: evaluate(trace, **options), traces))


def _as_judged(evaluation: Evaluation, judge: AnyJudge | str | None) -> Evaluation:
    if judge is not None:
        raise ValueError(
            f"got judge= beside an evaluation, which {evaluation.judge} has judged already; "
            "leave it out, or give the trace"
        )
    return evaluation


def require_concurrency(value: object) -> None:
    """Raise `ValueError` unless `value` is a whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"concurrency is {value!r}; expected a whole number from 1 on")
