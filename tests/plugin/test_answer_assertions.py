"""Assertions on answers within a run: marked, quoted, and asking as every assertion asks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

SUITE = """
    import pytest
    from pytest_trace import Trace, assert_adherent, assert_answer_matches, assert_context_relevant
    from pytest_trace import assert_grounded_above, rag_accuracy

    TRACE = Trace("When?", ["It fell in March."], "It fell in April.", reference="In April.")

    def test_grounded():
        assert_grounded_above(TRACE, 0.6)

    def test_relevant():
        assert_context_relevant(TRACE, 0.5, relevant_ids=["fall"])

    def test_equivalent():
        assert_answer_matches(TRACE, 1, measure="equivalence")

    def test_adherent():
        assert_adherent(TRACE)

    def test_accuracy():
        cases = [{"id": "c", "question": "When?", "reference": "In April."}]
        found = rag_accuracy(cases, lambda case: TRACE, judge="fakes:FakeJudge")
        assert found.outcomes["fine"] == 1

    def test_unrelated():
        assert True
"""
HEADLINE = (
    "AssertionError: groundedness 0.50 is below 0.6: "
    "1 of 2 content words of the response stands in no document"
)
GROUNDED = f"""\
    def test_grounded():
>       assert_grounded_above(TRACE, 0.6)
E       {HEADLINE}
E
E         resp_s0 "It fell in April."
E         unknown april
E
E       question  "When?"
E       response  "It fell in April."
"""


def test_a_run_of_them(project: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    """Failures quote what is at fault; only what evaluates a trace has a row of TRACe scores."""
    project.makepyfile(test_it=SUITE)
    result = run("-m", "rag", "--rag-table", "all")
    result.assert_outcomes(passed=3, failed=2)
    shown = "\n".join(line.rstrip() for line in result.stdout.lines)
    assert GROUNDED in shown
    assert "context relevance is undefined: a document has no id, and no other is relevant" in shown
    table = shown[shown.index("rag: TRACe scores") :]
    assert "\ntest_it.py::test_adherent  1.00 " in table
    assert "\nmean of 1 trace  " in table
    assert "\nfake: 1 trace, 4 calls, " in table
    project.runpytest("-m", "not rag").assert_outcomes(passed=1, deselected=5)


def test_a_judge_that_cannot_decide_is_an_error(project: pytest.Pytester) -> None:
    """It is no failure of the answer."""
    project.makepyfile(
        """
        from pytest_trace import Trace, assert_answer_matches

        def test_it():
            trace = Trace("When?", ["x"], "It is unclear.", reference="In April.")
            assert_answer_matches(trace, 1, measure="equivalence")
        """
    )
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    assert "the fake judge cannot decide" in result.stdout.str()
