"""Means of evaluations, and warnings where they mix what does not compare."""

from __future__ import annotations

import warnings

import pytest
from building import evaluation, keyed, marked, supported, unsupported, verdict
from fakes import FakeJudge

from pytest_trace.errors import MixedResults
from pytest_trace.evaluation import evaluate, evaluate_many
from pytest_trace.report.means import mean_scores
from pytest_trace.trace import Trace

TRACE = Trace("What colour is it?", ["It is red."], "It is red.")
ADHERENT = evaluation(
    keyed(["You have 30 days."]), verdict(supported(), relevant=["doc_0_s0"], utilized=["doc_0_s0"])
)
HALLUCINATED = evaluation(keyed(["It is free.", "Yes."]), verdict(supported(0), unsupported(1)))
REFUSAL = evaluation(keyed(["I don't know."]), verdict(marked(0, None)))


def test_means_count_what_is_defined():
    """Relevance 1/4, 0, 0; completeness 1 alone; support 1 and 1/2, since a refusal has none."""
    means = mean_scores([ADHERENT, HALLUCINATED, REFUSAL])
    assert means.to_json() == {
        "relevance": pytest.approx(1 / 12),
        "utilization": pytest.approx(1 / 12),
        "completeness": 1.0,
        "adherence": pytest.approx(2 / 3),
        "support": 0.75,
        "traces": 3,
        "counts": {
            "relevance": 3,
            "utilization": 3,
            "completeness": 1,
            "adherence": 3,
            "support": 2,
        },
    }


def test_nothing_has_no_mean():
    """No evaluation, no score: not 0."""
    means = mean_scores(iter(()))
    assert (means.traces, means.adherence, means.counts["adherence"]) == (0, None, 0)


def test_means_of_one_configuration_warn_of_nothing():
    """The same configuration of all, or none of any."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = mean_scores(evaluate_many([TRACE] * 3, judge=FakeJudge(), config={"chunk_size": 512}))
        none = mean_scores(evaluate_many([TRACE] * 3, judge=FakeJudge()))
    assert one.traces == none.traces == 3


def test_means_over_configurations_warn():
    """The warning tells them apart."""
    rows = [evaluate(TRACE, judge=FakeJudge(), config={"chunk_size": n}) for n in (256, 512, 512)]
    with pytest.warns(MixedResults) as warned:
        means = mean_scores(rows)
    assert [str(item.message) for item in warned] == [
        (
            "the means are over 2 configurations of retrieval: "
            "chunk_size 512 (2 traces); chunk_size 256 (1 trace)"
        )
    ]
    assert (warned[0].filename, means.traces) == (__file__, 3)


def test_means_over_judges_and_settings_warn():
    """Their scores do not compare."""
    rows = [
        evaluate(TRACE, judge=FakeJudge(), formula="ragbench", marks="strict"),
        evaluate(TRACE, judge=FakeJudge("other"), length="token"),
        evaluate(TRACE, judge=FakeJudge(version="2")),
    ]
    with pytest.warns(MixedResults) as warned:
        mean_scores(rows)
    rest = ", whose scores do not compare: "
    assert [str(item.message) for item in warned] == [
        f"the means are over different judges{rest}fake 1 (1), other 1 (1), fake 2 (1)",
        f"the means are over different formulas{rest}trace (2), ragbench (1)",
        f"the means are over different lengths{rest}sentence (2), token (1)",
        f"the means are over different marks{rest}default (2), strict (1)",
    ]
