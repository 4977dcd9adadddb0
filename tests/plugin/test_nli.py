"""The judge `nli` without its libraries: what ends a run at once, and what is an error of tests."""

from __future__ import annotations

import pytest

BLOCKED = """
    import sys

    for name in ("torch", "transformers", "huggingface_hub"):
        sys.modules[name] = None  # importing it is an error
"""


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nli:./nowhere", "judge 'nli:./nowhere': there is no folder "),
        ("nli:", "judge 'nli:': it names no model; write nli:PATH_OR_HUB_ID"),
        ("nli:a/b?policy=soft", "'nli:a/b?policy=soft': policy is 'soft'; expected strict or len"),
        ("deberta", "unknown judge 'deberta'; known: lexical, groq:MODEL, openai:MODEL, nli:PATH"),
    ],
)
def test_a_spec_that_can_be_no_judge_is_a_usage_error(
    pytester: pytest.Pytester, spec: str, message: str
) -> None:
    """Before any test runs."""
    result = pytester.runpytest(f"--rag-judge={spec}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()


def test_without_its_libraries_each_test_that_needs_it_is_an_error(
    project: pytest.Pytester,
) -> None:
    """One line says what to install; no traceback, and no verdict of another judge."""
    project.mkdir("model")
    project.makeconftest(BLOCKED)
    project.makepyfile(
        """
        from pytest_trace import assert_adherent
        from traces import trace

        def test_claim():
            assert_adherent(trace())

        def test_other():
            assert_adherent(trace("It is blue."))
        """
    )
    result = project.runpytest("--rag-judge=nli:model", "--tb=short")
    result.assert_outcomes(errors=2)
    shown = result.stdout.str()
    assert "2 tests with a judge that could not decide:" in shown
    assert 'needs torch, which is not installed: pip install "pytest-rag-trace[nli]"' in " ".join(
        shown.split()
    )
    assert "ModuleNotFoundError" not in shown
    assert "pytest_trace/judges" not in shown
