"""Verdicts on cases that hold a response are asked for from collection on."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def cases(slow: pytest.Pytester) -> pytest.Pytester:
    """Eight cases with responses, of which the last has none."""
    rows = [
        {"id": f"case{number}", "question": f"Why {number}?", "documents": ["It is red."]}
        | ({"response": "A meteorite." if number == 2 else "It is red."} if number < 7 else {})
        for number in range(8)
    ]
    (slow.path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
    slow.makepyfile(
        judges="""
        import threading
        import time
        from fakes import FakeJudge

        lock = threading.Lock()
        active = most = 0
        asked = []

        class Judge(FakeJudge):
            def judge(self, sentences):
                global active, most
                with lock:
                    asked.append(sentences.trace.question)
                    active += 1
                    most = max(most, active)
                time.sleep(0.1)
                with lock:
                    active -= 1
                return super().judge(sentences)
        """
    )
    return slow


def test_evaluations_at_once_profit_too(cases) -> None:
    """Tests that read scores wait for one verdict each: those of the next cases are under way."""
    cases.makepyfile(
        test_it="""
        import judges
        import pytest
        from pytest_trace import evaluate

        @pytest.mark.rag_cases("cases.jsonl")
        def test_case(rag_case):
            if rag_case.response is None:
                pytest.skip("no response")
            assert evaluate(rag_case.trace()).scores.adherence == 1.0

        def test_how_many():
            assert judges.most == 4
            assert sorted(judges.asked) == [f"Why {number}?" for number in range(7)]
        """
    )
    result = cases.runpytest("--rag-concurrency=4", "--rag-judge=judges:Judge")
    result.assert_outcomes(passed=7, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["fake: 7 traces, 7 calls, 0 cached, 0 refusals"])


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("assert rag_case.trace()", ()),
        ("assert rag_case.question", ()),
        ("assert_recall_at(rag_case.trace(), 1, 1)", ()),
        ("pytest_trace.assert_recall_at(rag_case.trace(), 1, 1)", ()),
        ("assert_adherent(rag_case.trace()) if 0 else None", ("--rag-offline",)),
        ("assert_adherent(rag_case.trace()) if 0 else None", ("--rag-concurrency=1",)),
        ("assert_adherent(rag_case.trace()) if 0 else None", ("--rag-judge=lexical",)),
        ("assert_adherent(rag_case.trace()) if 0 else None", ("--collect-only",)),
        ("assert_adherent(rag_case.trace()) if 0 else None", ("-k", "nothing")),
    ],
)
def test_nothing_is_asked_that_no_test_wants(cases, body, arguments) -> None:
    """A case is judged ahead only where a selected test judges it, and the run asks at all."""
    cases.makepyfile(
        test_it=f"""
        import atexit
        import judges
        import pytest
        import pytest_trace
        from pytest_trace import assert_adherent, assert_recall_at

        @pytest.mark.rag_cases("cases.jsonl")
        def test_case(rag_case):
            {body}
        """
    )
    cases.makeconftest(
        "import judges\n"
        "def pytest_unconfigure(config):\n"
        "    (config.rootpath / 'asked').write_text(str(len(judges.asked)))\n"
    )
    cases.runpytest("--rag-concurrency=4", "--rag-judge=judges:Judge", *arguments)
    assert (cases.path / "asked").read_text() == "0"


def test_a_failure_ahead_is_told_by_the_test_that_meets_it(cases) -> None:
    """What fails ahead says nothing: the test asks again, and is the error."""
    text = (cases.path / "cases.jsonl").read_text().replace("A meteorite.", "It is unclear.")
    (cases.path / "cases.jsonl").write_text(text)
    cases.makepyfile(
        test_it="""
        import pytest
        from pytest_trace import evaluate

        @pytest.mark.rag_cases("cases.jsonl")
        def test_case(rag_case):
            if rag_case.response is not None:
                evaluate(rag_case.trace())
        """
    )
    result = cases.runpytest("--rag-concurrency=4", "--rag-judge=judges:Judge")
    result.assert_outcomes(passed=7, errors=1)
