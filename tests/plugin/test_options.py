"""What the user sets, where, and what a wrong value looks like."""

from __future__ import annotations

import pytest

PASSING = """
    from pytest_trace import assert_adherent
    from traces import trace

    def test_it():
        assert assert_adherent(trace()).judge == "{judge}"
"""


def test_every_setting_is_shown_by_help(pytester: pytest.Pytester) -> None:
    """`pytest --help` has a line for each option and each ini setting."""
    shown = pytester.runpytest("--help").stdout.str()
    for name in ("judge", "marks", "formula", "length", "sentencizer", "metadata", "table"):
        assert f"--rag-{name}" in shown
        assert f"rag_{name}" in shown


@pytest.mark.parametrize("name", ["marks", "formula", "length", "table"])
@pytest.mark.parametrize("where", ["flag", "variable", "ini"])
def test_a_bad_value_is_one_line_and_exit_code_4(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str, where: str
) -> None:
    """A value that is not among the choices is a usage error that names its setting."""
    arguments = []
    source = {
        "flag": f"--rag-{name}",
        "variable": f"PYTEST_RAG_{name.upper()}",
        "ini": f"rag_{name}",
    }[where]
    if where == "flag":
        arguments = [f"{source}=nope"]
    elif where == "variable":
        monkeypatch.setenv(source, "nope")
    else:
        pytester.makeini(f"[pytest]\n{source} = nope\n")
    result = pytester.runpytest(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {source} is 'nope'; expected one of " in result.stderr.str()
    assert len(result.stderr.str().strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nope", "unknown judge 'nope'; known: lexical, groq:MODEL, openai:MODEL, nli:PA"),
        ("groq:", "judge 'groq:' names no model; write groq:MODEL"),
        ("no.such:thing", "unknown judge 'no.such:thing': there is no module 'no'"),
        ("fakes:nothing", "unknown judge 'fakes:nothing': module 'fakes' has no 'nothing'"),
    ],
)
def test_an_unknown_judge_is_a_usage_error_at_start(
    pytester: pytest.Pytester, spec: str, message: str
) -> None:
    """A judge that nobody knows ends the run before any test, and says what is known."""
    pytester.makepyfile("def test_never_run(): print('ran')")
    result = pytester.runpytest(f"--rag-judge={spec}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: --rag-judge: {message}" in result.stderr.str()
    assert "ran" not in result.stdout.str()


def test_labeling_cannot_weigh_sentences(pytester: pytest.Pytester) -> None:
    """Two settings that contradict each other are a usage error that names both."""
    result = pytester.runpytest("--rag-formula=labeling", "--rag-length=token")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "rag_formula=labeling" in result.stderr.str()
    assert "rag_length is 'token'" in result.stderr.str()


@pytest.mark.parametrize(
    "toml",
    [
        '[tool.pytest]\nrag_judge = "fakes:make_other"\nrag_metadata_keys = ["date"]\n',
        '[tool.pytest.ini_options]\nrag_judge = "fakes:make_other"\nrag_metadata_keys = "date"\n',
    ],
    ids=["tool.pytest", "ini_options"],
)
def test_settings_work_in_both_tables_of_pyproject(pytester: pytest.Pytester, toml: str) -> None:
    """`[tool.pytest]` (pytest 9) and `[tool.pytest.ini_options]` set the same."""
    if "[tool.pytest]" in toml and pytest.version_tuple < (9, 0):
        pytest.skip("[tool.pytest] came with pytest 9")
    pytester.makepyprojecttoml(toml + 'pythonpath = ["."]\n')
    pytester.makepyfile(
        """
        from pytest_trace import Document, Trace, evaluate

        def test_it():
            document = Document("It is red.", metadata={"date": "Monday", "author": "Ann"})
            evaluation = evaluate(Trace("What?", [document], "It is red."))
            assert evaluation.judge == "other"
            keys = [sentence.key for sentence in evaluation.sentences.documents]
            assert keys == ["doc_0_meta_date", "doc_0_s0"]
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)


def test_a_setting_of_the_wrong_type_is_a_usage_error(pytester: pytest.Pytester) -> None:
    """`[tool.pytest]` is strict about types; the message names the setting."""
    if pytest.version_tuple < (9, 0):
        pytest.skip("[tool.pytest] came with pytest 9")
    pytester.makepyprojecttoml("[tool.pytest]\nrag_judge = 3\n")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "rag_judge" in result.stderr.str()


@pytest.mark.parametrize(
    ("layers", "judge"),
    [
        ((), "lexical"),
        (("ini",), "fake"),
        (("ini", "variable"), "other"),
        (("ini", "variable", "flag"), "third"),
        (("ini", "variable", "flag", "fixture"), "fixture"),
        (("ini", "variable", "flag", "fixture", "marker"), "marker"),
        (("ini", "variable", "flag", "fixture", "marker", "argument"), "argument"),
    ],
    ids=["default", "ini", "variable", "flag", "fixture", "marker", "argument"],
)
def test_the_nearest_setting_of_the_judge_wins(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    layers: tuple[str, ...],
    judge: str,
) -> None:
    """Argument, marker, fixture, flag, variable, ini, default: the first that is set decides."""
    pytester.makepyfile(
        judges="from fakes import FakeJudge\ndef third(): return FakeJudge('third')"
    )
    pytester.makeini(
        "[pytest]\npythonpath = .\n" + "rag_judge = fakes:FakeJudge\n" * ("ini" in layers)
    )
    if "variable" in layers:
        monkeypatch.setenv("PYTEST_RAG_JUDGE", "fakes:make_other")
    fixture = "@pytest.fixture(scope='session')\ndef rag_judge(): return FakeJudge('fixture')\n"
    marker = "@pytest.mark.rag(judge=FakeJudge('marker'))\n" if "marker" in layers else ""
    argument = ", judge=FakeJudge('argument')" if "argument" in layers else ""
    pytester.makepyfile(
        "import pytest\nfrom fakes import FakeJudge\n"
        "from pytest_trace import Trace, assert_adherent\n"
        + (fixture if "fixture" in layers else "")
        + f"{marker}def test_it():\n"
        + "    trace = Trace('Is it red?', ['The bicycle is red.'], 'The bicycle is red.')\n"
        + f"    assert assert_adherent(trace{argument}).judge == {judge!r}\n"
    )
    flags = ["--rag-judge=judges:third"] if "flag" in layers else []
    pytester.runpytest(*flags).assert_outcomes(passed=1)


def test_the_header_names_the_judge_when_one_is_configured(project: pytest.Pytester) -> None:
    """The header says which judge was set, and where."""
    project.runpytest().stdout.fnmatch_lines(["rag: judge fakes:FakeJudge (from rag_judge)"])


def test_scores_follow_formula_length_and_marks(project: pytest.Pytester) -> None:
    """The scores of an assertion are computed as the run is configured."""
    project.makepyfile(
        """
        from pytest_trace import assert_adherent
        from traces import trace

        def test_it():
            evaluation = assert_adherent(trace())
            assert (evaluation.formula, evaluation.length, evaluation.marks) == (
                "ragbench", "token", "strict"
            )
        """
    )
    flags = ("--rag-formula=ragbench", "--rag-length=token", "--rag-marks=strict")
    project.runpytest(*flags).assert_outcomes(passed=1)
