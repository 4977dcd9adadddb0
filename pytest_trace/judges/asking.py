"""A judge is asked: by evaluations, and by measures that want its word on a trace of their own."""

from __future__ import annotations

import inspect
from typing import cast

from pytest_trace import running
from pytest_trace.errors import InvalidVerdict, JudgeError, JudgeReplyError, hide_own_frames
from pytest_trace.judges.base import AnyJudge, Judge, judge_name
from pytest_trace.judges.registry import make_judge, require_judge
from pytest_trace.marks import CheckedSupport, check_support
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Trace
from pytest_trace.verdict import Verdict

__tracebackhide__ = hide_own_frames


def ask_judge(judge: Judge, sentences: KeyedTrace) -> Verdict:
    """The judge's verdict, checked: each response sentence once, or a `JudgeReplyError`.

    Whatever else a judge raises becomes a `JudgeError`: a fault of the judge is no failure.
    """
    name = judge_name(judge)
    try:
        verdict: object = judge.judge(sentences)
    except JudgeError:
        raise
    except Exception as error:
        raise JudgeError(f"judge {name} failed: {type(error).__name__}: {error}") from error
    if inspect.iscoroutine(verdict):
        verdict.close()
        raise JudgeReplyError(f"the judge() of {name} must be awaited; name it ajudge()")
    if not isinstance(verdict, Verdict):
        raise JudgeReplyError(
            f"judge {name} returned a {type(verdict).__name__}; expected a Verdict"
        )
    try:
        verdict.require_keys(sentence.key for sentence in sentences.response)
    except InvalidVerdict as error:
        raise JudgeReplyError(f"judge {name} gave no usable verdict: {error}") from error
    return verdict


def judge_outside(judge: AnyJudge | str | None) -> Judge:
    """The judge where no test is running: `lexical` if none is named.

    Raises `JudgeError` where pytest runs and no test was found to ask for its judge.
    """
    if judge is None:
        if running.is_pytest_running():
            raise JudgeError(
                "pytest is running, but no running test was found to ask for its judge",
                details=(
                    "it ran at import, after its test, in another process or without the plugin",
                    "name the judge where you call it: judge='lexical'",
                ),
            )
        judge = "lexical"
    return make_judge(judge) if isinstance(judge, str) else require_judge(judge, "judge= got")


def chosen_judge(judge: Judge | str | None) -> Judge:
    """The judge that `judge` names here and now; made once, to be asked often."""
    test = running.current_test()
    return judge_outside(judge) if test is None else cast("Judge", test.settings(judge).judge)


def ask_support(trace: Trace, judge: Judge | str | None) -> tuple[CheckedSupport, ...]:
    """Which sentences of the response have support in the documents, by `judge`.

    In a test it is asked as that test asks, through recording and cache, and None is the judge of
    the test; but no row of the report comes of it. Raises `JudgeError` where it cannot decide.
    """
    test = running.current_test()
    if test is None:
        sentences = KeyedTrace.from_trace(trace, make_sentencizer())
        return check_support(sentences, ask_judge(judge_outside(judge), sentences))
    settings = test.settings(judge)
    sentences = KeyedTrace.from_trace(
        trace, settings.sentencizer, metadata_keys=settings.metadata_keys
    )
    return check_support(sentences, test.ask(settings.judge, sentences), settings.marks)
