"""pytest runs with a real model: policies, screens, stored verdicts, workers, missing parts."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

TESTS = """
    import pytest
    from pytest_trace import Trace, assert_adherent

    DOCUMENTS = ["The bike is red. The lamp is green.", "The house is black."]

    @pytest.mark.parametrize("response", [
        "The bike is red.", "The bike is blue.", "The car is red.", "I don't know."
    ])
    def test_it(response):
        assert_adherent(Trace("What colour is the bike?", DOCUMENTS, response))
"""
RAG_TRACE = "from pytest_trace.cli.main import app; app(prog_name='rag-trace')"
BLOCKED = """
    import sys

    for name in ("torch", "transformers", "huggingface_hub"):
        sys.modules[name] = None  # importing it is an error
"""


@pytest.fixture
def project(pytester: pytest.Pytester, made: Path) -> pytest.Pytester:
    """A project with a model of its own."""
    shutil.copytree(made, pytester.path / "models" / "tiny")
    pytester.makeini("[pytest]\nrag_judge = nli:models/tiny\nfilterwarnings = error\n")
    pytester.makepyfile(test_colours=TESTS)
    return pytester


def test_a_strict_run_fails_what_is_not_entailed(project):
    """The whole screen: what is contradicted and what is not mentioned, with the reason."""
    result = project.runpytest("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=2)
    shown = result.stdout.str()
    assert 'E         closest doc_0_s0 "The bike is red."\n' in shown
    assert "E         reason  contradicted .89 by doc_0_s0\n" in shown
    assert "E         reason  no sentence entails it: best .02 by doc_0_s0\n" in shown
    assert "rag: judge nli:models/tiny (from rag_judge)" in shown
    result.stdout.fnmatch_lines(
        [
            "test *R *T *C *A *support *judge",
            "…test_it?The bike is red.? *1.00 *1.00 *nli:models/tiny",
            "…test_it?The bike is blue.? *0.00 *0.00 *nli:models/tiny",
            "…test_it?The car is red.? *0.00 *0.00 *nli:models/tiny",
            "…test_it?I don't know.? *1.00 * – *nli:models/tiny",
            "mean of 4 traces *0.50 *0.33 *nli:models/tiny",
            "traces with that score *4 *3",
            "nli:models/tiny: 4 traces, 4 calls, 0 cached, 1 refusal; relevance and",
            "  utilization by lexical",
        ]
    )
    assert "Loading weights" not in shown + result.stderr.str()


def test_a_lenient_run_fails_only_what_is_contradicted(project):
    """By an option of the spec on the command line."""
    result = project.runpytest("--rag-judge=nli:models/tiny?policy=lenient")
    result.assert_outcomes(passed=3, failed=1)
    assert "nli:models/tiny?policy=lenient: 4 traces" in result.stdout.str()


def test_a_fixture_may_make_the_judge(project):
    """With keywords, for whoever wants no spec."""
    project.makeconftest(
        """
        import pytest
        from pytest_trace import NliJudge

        @pytest.fixture(scope="session")
        def rag_judge():
            return NliJudge("models/tiny", threshold=0.95, device="cpu")
        """
    )
    result = project.runpytest()
    result.assert_outcomes(passed=1, failed=3)  # the model is never surer than .91
    assert "no sentence entails it: best .90 by doc_0_s0" in result.stdout.str()


def test_a_second_run_makes_no_forward_pass(project):
    """Everything comes from the cache: not even torch is imported any more."""
    project.runpytest().assert_outcomes(passed=2, failed=2)
    project.makeconftest(BLOCKED)
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=2, failed=2)
    assert "nli:models/tiny: 4 traces, 0 calls, 4 cached" in result.stdout.str()


def test_another_policy_is_not_answered_from_the_cache(project):
    """What is stored of one judge says nothing of another."""
    project.runpytest().assert_outcomes(passed=2, failed=2)
    result = project.runpytest("--rag-judge=nli:models/tiny?policy=lenient")
    assert ": 4 traces, 4 calls, 0 cached" in result.stdout.str()


def test_a_model_that_was_fitted_again_is_not_answered_from_the_cache(project):
    """The same path with other weights is another judge."""
    project.runpytest().assert_outcomes(passed=2, failed=2)
    with (project.path / "models" / "tiny" / "vocab.txt").open("a") as file:
        file.write("\nzebra")
    result = project.runpytest()
    assert "nli:models/tiny: 4 traces, 4 calls, 0 cached" in result.stdout.str()


def test_a_recording_needs_the_files_of_the_model_and_no_library(project):
    """What is recorded here is used where nothing of the extra is installed."""
    project.runpytest("--rag-record", "--rag-no-cache").assert_outcomes(passed=2, failed=2)
    project.makeconftest(BLOCKED)
    result = project.runpytest_subprocess("--rag-offline", "--rag-no-cache")
    result.assert_outcomes(passed=2, failed=2)
    recorded = (project.path / "rag_verdicts.jsonl").read_text()
    assert '"kind": "nli"' in recorded or '"kind":"nli"' in recorded
    assert str(project.path) not in recorded


def test_two_workers_ask_once_for_each_trace(project):
    """Each process loads the model, and the cache between them has every verdict once."""
    result = project.runpytest_subprocess("-n", "2")
    result.assert_outcomes(passed=2, failed=2)
    assert "nli:models/tiny: 4 traces, 4 calls, 0 cached" in result.stdout.str()


def test_the_path_of_the_settings_is_found_from_below(project, monkeypatch):
    """A run in a folder of the project finds the model that its ini file names."""
    below = project.mkdir("below")
    shutil.move(project.path / "test_colours.py", below / "test_colours.py")
    monkeypatch.chdir(below)
    project.runpytest("--rootdir", project.path, "-c", project.path / "tox.ini").assert_outcomes(
        passed=2, failed=2
    )


def test_missing_libraries_are_one_line_for_all_tests(project):
    """An error and no failure, with the command that mends it."""
    project.makeconftest(BLOCKED)
    result = project.runpytest_subprocess("--tb=short")
    result.assert_outcomes(passed=1, errors=3)  # the refusal needs no model
    shown = result.stdout.str()
    assert "3 tests with a judge that could not decide:" in shown
    message = (
        'the judge nli needs torch, which is not installed: pip install "pytest-rag-trace[nli]"'
    )
    assert message in " ".join(shown.split())
    assert "Traceback" not in shown
    assert "site-packages" not in shown


def test_missing_weights_are_one_line_for_all_tests(project):
    """The folder is there, what matters in it is not."""
    (project.path / "models" / "tiny" / "model.safetensors").unlink()
    result = project.runpytest("--tb=short")
    result.assert_outcomes(passed=1, errors=3)
    shown = result.stdout.str()
    assert "3 tests with a judge that could not decide:" in shown
    assert "the model models/tiny has no weights: " in shown
    assert "site-packages" not in shown


def test_a_missing_folder_ends_the_run_at_once(project):
    """A usage error that names where it was looked for."""
    shutil.rmtree(project.path / "models")
    result = project.runpytest("--rag-judge=nli:./models/tiny")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"there is no folder {project.path}/models/tiny" in result.stderr.str()


def test_calibrate_measures_a_model(project):
    """`rag-trace calibrate` takes the spec like any other."""
    rows = [
        ("The bike is red.", "true"),
        ("The lamp is green.", "true"),
        ("The bike is blue.", "false"),
        ("The car is red.", "false"),
    ]
    lines = [
        '{"question": "What colour?", "documents": ["The bike is red.", "The lamp is green."], '
        f'"response": "{response}", "supported": {label}}}'
        for response, label in rows
    ]
    (project.path / "labels.jsonl").write_text("\n".join(lines))
    command = (sys.executable, "-c", RAG_TRACE, "calibrate", "labels.jsonl")
    result = project.run(*command, "--judge", "nli:models/tiny")
    assert result.ret == 0
    assert "nli:models/tiny, version 1." in result.stdout.str()
    assert "labels  1.000" in result.stdout.str()
