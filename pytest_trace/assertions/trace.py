"""Assertions on one trace. All of one trace read the same verdict.

"Above" is inclusive, with a tolerance of 1e-9: 0.1 + 0.2 meets 0.3. A minimum is a real number in
[0, 1]; there is no default. An undefined score never passes. A judge that cannot decide raises
`JudgeError`, which is no AssertionError. In place of a trace they take an evaluation of it, as
`await aevaluate(trace)` gives it; then no judge is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_trace.assertions.bounds import is_met, require_minimum
from pytest_trace.errors import hide_own_frames
from pytest_trace.evaluation import Evaluation, Subject, evaluate_checked
from pytest_trace.explain import (
    WIDTH,
    completeness_lines,
    format_missed,
    quoted_sentences,
    relevance_lines,
    score_lines,
    support_lines,
    trace_lines,
    utilization_lines,
)
from pytest_trace.judges import AnyJudge
from pytest_trace.quoting import fold

__tracebackhide__ = hide_own_frames


def assert_adherent(trace: Subject, *, judge: AnyJudge | str | None = None) -> Evaluation:
    """Every sentence of the response has support in the documents: no hallucination."""
    return _check(trace, judge, [_adherent])


def assert_support_above(
    trace: Subject, minimum: float, *, judge: AnyJudge | str | None = None
) -> Evaluation:
    """At least the share `minimum` of the sentences that claim something is supported.

    `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    return _check(trace, judge, [_bound("support", minimum)])


def assert_relevance_above(
    trace: Subject, minimum: float, *, judge: AnyJudge | str | None = None
) -> Evaluation:
    """At least the share `minimum` of the retrieved sentences matters to the question.

    `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    return _check(trace, judge, [_bound("relevance", minimum)])


def assert_utilization_above(
    trace: Subject, minimum: float, *, judge: AnyJudge | str | None = None
) -> Evaluation:
    """The response uses at least the share `minimum` of the retrieved sentences.

    `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    return _check(trace, judge, [_bound("utilization", minimum)])


def assert_completeness_above(
    trace: Subject, minimum: float, *, judge: AnyJudge | str | None = None
) -> Evaluation:
    """The response uses at least the share `minimum` of the relevant sentences.

    `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    return _check(trace, judge, [_bound("completeness", minimum)])


def assert_refuses(trace: Subject, *, judge: AnyJudge | str | None = None) -> Evaluation:
    """The response declines to answer and claims nothing."""
    return _check(trace, judge, [_refuses])


def assert_answers(trace: Subject, *, judge: AnyJudge | str | None = None) -> Evaluation:
    """The response does not decline to answer. Whether the answer is supported is not asked."""
    return _check(trace, judge, [_answers])


def assert_trace(
    trace: Subject,
    *,
    adherent: bool | None = None,
    relevance: float | None = None,
    utilization: float | None = None,
    completeness: float | None = None,
    support: float | None = None,
    judge: AnyJudge | str | None = None,
) -> Evaluation:
    """Several bounds at once; every miss is reported. Raises `ValueError` without any bound.

    `adherent=True` asks what `assert_adherent` asks, `adherent=False` that it does not hold. The
    others are minimums: inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    minimums = {
        "relevance": relevance,
        "utilization": utilization,
        "completeness": completeness,
        "support": support,
    }
    checks = [_bound(name, value) for name, value in minimums.items() if value is not None]
    if adherent is not None:
        if not isinstance(adherent, bool):
            raise ValueError(f"adherent is {adherent!r}; expected True or False")
        checks.insert(0, _adherent if adherent else _not_adherent)
    if not checks:
        raise ValueError(
            "assert_trace has no bound to check; give at least one of adherent, "
            + ", ".join(minimums)
        )
    return _check(trace, judge, checks)


@dataclass(frozen=True, slots=True)
class Miss:
    """One bound that was missed: a headline and the sentences at fault."""

    headline: str
    lines: Sequence[str]


Check = Callable[[Evaluation], Miss | None]


def _check(trace: Subject, judge: AnyJudge | str | None, checks: Iterable[Check]) -> Evaluation:
    checks = tuple(checks)

    def require(evaluation: Evaluation) -> None:
        misses = [miss for check in checks if (miss := check(evaluation)) is not None]
        if misses:
            raise AssertionError("\n".join(_failure(evaluation, misses)))

    return evaluate_checked(trace, require, judge=judge)


def _failure(evaluation: Evaluation, misses: Sequence[Miss]) -> list[str]:
    headline = misses[0].headline if len(misses) == 1 else f"{len(misses)} bounds are missed"
    lines = [*fold(f"{headline} (judge: {evaluation.judge})", WIDTH, indent="  ")]
    if len(misses) > 1:
        lines += [f"{number}. {miss.headline}" for number, miss in enumerate(misses, 1)]
    for section in dict.fromkeys(tuple(miss.lines) for miss in misses if miss.lines):
        lines += ["", *section]
    return [*lines, "", *trace_lines(evaluation.trace), *score_lines(evaluation)]


def _adherent(evaluation: Evaluation) -> Miss | None:
    if evaluation.scores.adherence >= 1.0:
        return None
    supports = evaluation.support
    count = sum(not item.is_supported for item in supports if item.role != "filler")
    verb = "lacks" if count == 1 else "lack"
    return Miss(
        f"not adherent: {count} of {len(supports)} sentences {verb} support",
        support_lines(evaluation),
    )


def _not_adherent(evaluation: Evaluation) -> Miss | None:
    if evaluation.scores.adherence < 1.0:
        return None
    return Miss("adherent, and expected not to be", support_lines(evaluation))


def _refuses(evaluation: Evaluation) -> Miss | None:
    if evaluation.refused:
        return None
    claims = [item for item in evaluation.support if item.role == "claim"]
    by_key = evaluation.sentences.by_key
    return Miss(
        f"does not refuse: {len(claims)} of {len(evaluation.support)} sentences claim something",
        quoted_sentences([by_key[item.key] for item in claims]),
    )


def _answers(evaluation: Evaluation) -> Miss | None:
    if not evaluation.refused:
        return None
    return Miss("refuses to answer", support_lines(evaluation))


_DETAILS: dict[str, Callable[[Evaluation], list[str]]] = {
    "relevance": relevance_lines,
    "utilization": utilization_lines,
    "completeness": completeness_lines,
    "support": support_lines,
}


def _bound(name: str, minimum: object) -> Check:
    """A check that the score `name` is at least `minimum`, which is validated at once."""
    bound = require_minimum(minimum, name)

    def check(evaluation: Evaluation) -> Miss | None:
        value: float | None = getattr(evaluation.scores, name)
        if value is not None and is_met(value, bound):
            return None
        if value is None:
            return Miss(f"{name} is undefined: {_why_undefined(evaluation, name)}", [])
        return Miss(
            f"{name} {format_missed(value, bound)} is below {bound:.10g}",
            _DETAILS[name](evaluation),
        )

    return check


def _why_undefined(evaluation: Evaluation, name: str) -> str:
    if name == "support":
        return "no sentence of the response claims anything"
    if not evaluation.sentences.counted:
        return "there is no retrieved sentence"
    if evaluation.scores.relevance is not None:
        return "no retrieved sentence is relevant"
    if not evaluation.trace.question.strip():
        return "there is no question"
    return "no retrieved sentence has a word"
