"""Claims, citations and retrieval in real runs: which judge is asked, how often, what is shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., pytest.RunResult]

SUITE = """
    import pytest
    from pytest_trace import (
        Document,
        Trace,
        assert_adherent,
        assert_citations_correct,
        assert_no_unsupported_claims,
        context_use,
    )

    TRACE = Trace(
        "What colour is it?",
        ["The bicycle is red."],
        "The bicycle is red [1] and the bell is loud [1].",
    )

    def test_adherent():
        assert_adherent(TRACE)

    def test_citations():
        assert_citations_correct(TRACE)

    def test_both():
        assert_adherent(TRACE)
        assert_citations_correct(TRACE)

    def test_claims():
        assert assert_no_unsupported_claims(TRACE).total_claims == 2

    def test_report():
        assert context_use(TRACE).citation_accuracy == 1.0
"""


def test_citations_read_the_verdict_of_adherence(project: pytest.Pytester, run: Run) -> None:
    """Two calls for five tests: of the sentences and of the claims, which make no second row."""
    project.makepyfile(test_it=SUITE)
    result = run()
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        ["mean of 4 traces *", "fake: 4 traces, 2 calls, 4 cached, 0 refusals"]
    )
    result.stdout.no_fnmatch_line("test_it.py::test_claims *")


def test_claims_are_recorded_like_any_trace(project: pytest.Pytester) -> None:
    """A recording holds the verdict on the claims, and an offline run asks no judge for them."""
    project.makepyfile(test_it=SUITE)
    project.runpytest("--rag-record", "--rag-no-cache").assert_outcomes(passed=5)
    lines = (project.path / "rag_verdicts.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    assert sum("resp_s0_c1" in line for line in lines) == 1
    assert len(lines) == 2
    result = project.runpytest("--rag-offline", "--rag-no-cache")
    result.assert_outcomes(passed=5)
    result.stdout.no_fnmatch_line("*NotRecorded*")


def test_such_tests_are_rag_tests(project: pytest.Pytester) -> None:
    """By the names in their code, as for every assertion of ours."""
    project.makepyfile(
        test_it="""
        from pytest_trace import assert_recall_at, context_use

        def test_retrieval():
            assert_recall_at

        def test_report():
            context_use

        def test_other():
            pass
        """
    )
    result = project.runpytest("-m", "not rag", "-v")
    result.assert_outcomes(passed=1, deselected=2)
    result.stdout.fnmatch_lines(["*test_other PASSED*"])


def test_a_judge_error_is_an_error(project: pytest.Pytester) -> None:
    """A judge that cannot decide about claims or citations makes no failure."""
    project.makepyfile(
        test_it="""
        from pytest_trace import Trace, assert_citations_correct, assert_no_unsupported_claims

        TRACE = Trace("?", ["It is red."], "That is unclear [1].")

        def test_claims():
            assert_no_unsupported_claims(TRACE)

        def test_citations():
            assert_citations_correct(TRACE)
        """
    )
    result = project.runpytest("-rE")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["2 tests with a judge that could not decide:"])


FAILURE = """\
    def test_citations():
>       assert_citations_correct(
            Trace(
                "What colour is it?",
                ["The bicycle is red.", "The weather is fine."],
                "The bicycle is red [2]. A meteorite hit it [1].",
            )
        )
E       AssertionError: 2 of 2 citations are not correct (judge: fake)
E
E       resp_s0 "The bicycle is red [2]."
E         cited   [2] does not support it; [1] does
E       resp_s1 "A meteorite hit it [1]."
E         cited   [1] stands on a sentence that no document supports
E       citations citation accuracy 0.00, coverage 1.00
E
E       question  "What colour is it?"
E       response  "The bicycle is red [2]. A meteorite hit it [1]."

test_it.py:4: AssertionError
"""


def test_a_wrong_citation_is_shown_in_the_test(project: pytest.Pytester) -> None:
    """The traceback ends in the test; the whole text is what stands here."""
    project.makepyfile(
        test_it="""
        from pytest_trace import Trace, assert_citations_correct

        def test_citations():
            assert_citations_correct(
                Trace(
                    "What colour is it?",
                    ["The bicycle is red.", "The weather is fine."],
                    "The bicycle is red [2]. A meteorite hit it [1].",
                )
            )
        """
    )
    shown = "\n".join(line.rstrip() for line in project.runpytest().stdout.lines)
    assert FAILURE in shown


def test_cases_may_say_what_should_be_retrieved(project: pytest.Pytester) -> None:
    """The ids of a row go into its trace; a row without them is an error that says so."""
    project.makefile(
        ".jsonl",
        cases="""
        {"id": "found", "question": "?", "response": "Red.", "relevant_ids": ["a"]}
        {"id": "missed", "question": "?", "response": "Red.", "relevant_ids": {"b": 2}}
        {"id": "unknown", "question": "?", "response": "Red."}
        """,
    )
    project.makepyfile(
        test_it="""
        import pytest
        from pytest_trace import Document, assert_recall_at

        @pytest.mark.rag_cases("cases.jsonl")
        def test_recall(rag_case):
            assert_recall_at(rag_case.trace(documents=[Document("Red.", id="a")]), 1, 1)
        """
    )
    result = project.runpytest("-rf")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines_random(
        [
            "FAILED test_it.py::test_recall?missed? - AssertionError: recall@1 0.00*",
            "FAILED test_it.py::test_recall?unknown? - ValueError: nothing says whi*",
        ]
    )
