"""Evaluations travel on reports: every test once, under xdist too, and the last attempt counts."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

SUITE = """
    import pytest
    from pytest_trace import assert_adherent, assert_relevance_above, evaluate
    from traces import trace

    def test_one():
        assert_adherent(trace())
        assert_relevance_above(trace(), 0.5)

    def test_two_traces():
        assert_adherent(trace(documents=["It is red.", "The weather is fine."]))
        evaluate(trace(question="", response="It is a meteorite."))

    def test_fails():
        assert_adherent(trace(response="It is a meteorite."))

    def test_unrelated():
        pass
"""


def _section(result: pytest.RunResult) -> list[str]:
    lines = result.stdout.lines
    start = next(i for i, line in enumerate(lines) if "rag: TRACe scores" in line)
    end = next(i for i, line in enumerate(lines) if i > start and line.startswith("==="))
    return lines[start:end]


SECTION = """\
============================== rag: TRACe scores ===============================
test                               R     T     C     A    support  judge
------------------------------  ----  ----  ----  ----  ---------  -------
test_suite.py::test_one         1.00  1.00  1.00  1.00       1.00  fake
test_suite.py::test_two_traces  0.50  0.50  1.00  1.00       1.00  fake
test_suite.py::test_two_traces  1.00  1.00  1.00  0.00       0.00  fake
test_suite.py::test_fails       1.00  1.00  1.00  0.00       0.00  fake
mean of 4 traces                0.88  0.88  1.00  0.50       0.50  fake
traces with that score             4     4     4     4          4
fake: 4 traces, 4 calls, 0 cached, 0 refusals"""


def test_two_workers_show_the_table_of_a_plain_run(project: pytest.Pytester) -> None:
    """The same rows, means and counts; only the order of the tests may differ."""
    project.makepyfile(test_suite=SUITE)
    plain = _section(project.runpytest("--rag-no-cache"))
    parallel = _section(project.runpytest("-n", "2", "--rag-no-cache"))
    assert sorted(plain) == sorted(parallel)
    assert sum("test_suite.py::" in line for line in plain) == 4


def test_the_whole_section(project: pytest.Pytester) -> None:
    """A row a trace, a mean for the judge, on how many traces, and a line of counts."""
    project.makepyfile(test_suite=SUITE)
    assert "\n".join(_section(project.runpytest())) == SECTION


@pytest.mark.skipif(pytest.version_tuple < (9, 0), reason="subtests came with pytest 9")
def test_subtests_are_not_doubled(project: pytest.Pytester, run) -> None:
    """A trace of a subtest has one row, under its test."""
    project.makepyfile(
        """
        from pytest_trace import assert_adherent
        from traces import trace

        def test_it(subtests):
            for word in ("red", "blue", "a meteorite"):
                with subtests.test(word):
                    assert_adherent(trace(response=f"It is {word}."))
        """
    )
    rows = [line for line in _section(run()) if "test_it" in line]
    assert len(rows) == 3


def test_the_last_attempt_of_a_rerun_test_counts(project: pytest.Pytester, run) -> None:
    """Earlier attempts leave no row, but their calls are counted."""
    project.makepyfile(
        """
        from pathlib import Path
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.mark.flaky(reruns=2)
        def test_it(request):
            marker = Path(__file__).with_name("attempts.txt")
            attempts = marker.read_text() if marker.exists() else ""
            marker.write_text(attempts + "x")
            word = "red" if len(attempts) == 1 else "a meteorite"
            assert_adherent(trace(response=f"It is {word}."))
        """
    )
    lines = _section(run("-p", "rerunfailures"))
    assert [line.split()[4] for line in lines if "test_it" in line] == ["1.00"]
    assert "fake: 1 trace, 2 calls, 0 cached, 0 refusals" in lines


def test_reports_carry_ascii_json(project: pytest.Pytester) -> None:
    """The evaluations are strings on the teardown report, and can be read again."""
    project.makeconftest(
        """
        import pytest
        from pytest_trace import Evaluation

        @pytest.hookimpl(wrapper=True, trylast=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            return report

        def pytest_rag_evaluated(item, evaluation):
            line = evaluation.dumps()
            assert line.isascii()
            assert Evaluation.loads(line) == evaluation
            print("evaluated", item.name, evaluation.scores.adherence)
        """
    )
    project.makepyfile(
        """
        from pytest_trace import evaluate
        from traces import trace

        def test_it():
            evaluate(trace("Es ist \\ud800 \\x00 r\\u00f6tlich.", ["rot \\udfff"]))
        """
    )
    result = project.runpytest("-s")
    result.assert_outcomes(passed=1)
    assert "evaluated test_it 1.0" in result.stdout.str()


def test_junit_has_five_properties_for_a_test(project: pytest.Pytester, run) -> None:
    """The lowest of each score among the traces of the test, and the judge."""
    project.makepyfile(test_suite=SUITE)
    run("--junit-xml=out.xml")
    cases = ET.parse(project.path / "out.xml").getroot().iter("testcase")
    properties = {
        case.get("name"): [(p.get("name"), p.get("value")) for p in case.iter("property")]
        for case in cases
    }
    assert properties["test_unrelated"] == []
    assert properties["test_two_traces"] == [
        ("rag_relevance", "0.50"),
        ("rag_utilization", "0.50"),
        ("rag_completeness", "1.00"),
        ("rag_adherence", "0.00"),
        ("rag_judge", "fake"),
    ]


def test_the_summary_hook_gets_the_ledger_once(project: pytest.Pytester, run) -> None:
    """`pytest_rag_summary` is called in the controller, with every row."""
    project.makeconftest(
        """
        import json, pathlib, pytest

        @pytest.hookimpl(optionalhook=True)
        def pytest_rag_summary(ledger, config):
            path = pathlib.Path(config.rootpath) / "summary.json"
            assert not path.exists()
            path.write_text(json.dumps(sorted(row.nodeid for row in ledger.rows)))
        """
    )
    project.makepyfile(test_suite=SUITE)
    run()
    names = [
        name.partition("::")[2] for name in json.loads((project.path / "summary.json").read_text())
    ]
    assert names == ["test_fails", "test_one", "test_two_traces", "test_two_traces"]


@pytest.mark.parametrize("choice", ["none", "all", "worst"])
def test_the_table_can_be_chosen(project: pytest.Pytester, choice: str) -> None:
    """`--rag-table=none` shows no section; judge errors are listed all the same."""
    project.makepyfile(test_suite=SUITE)
    shown = project.runpytest(f"--rag-table={choice}").stdout.str()
    assert ("TRACe scores" in shown) == (choice != "none")
    project.makepyfile(
        test_suite="""
        from pytest_trace import evaluate
        from traces import trace

        def test_it():
            evaluate(trace(response="It is unclear."))
        """
    )
    shown = project.runpytest(f"--rag-table={choice}").stdout.str()
    assert "1 test with a judge that could not decide:" in shown


def test_many_traces_show_the_worst(project: pytest.Pytester) -> None:
    """Above 50 rows the table has the 20 worst, and says so."""
    project.makepyfile(
        """
        import pytest
        from pytest_trace import evaluate
        from traces import trace

        @pytest.mark.parametrize("n", range(51))
        def test_it(n):
            evaluate(trace(response="It is a meteorite." if n == 40 else f"It is {n}."))
        """
    )
    lines = _section(project.runpytest())
    assert lines[1] == "the 20 worst of 51 traces; all of them: --rag-table=all"
    assert sum("test_it" in line for line in lines) == 20
    assert "test_it[40]" in lines[4]
    assert any(line.startswith("mean of 51 traces") for line in lines)


def test_colours_follow_pytest(project: pytest.Pytester) -> None:
    """With --color=yes a trace without adherence is red and the means are bold; else nothing is."""
    project.makepyfile(test_suite=SUITE)
    coloured = "\n".join(project.runpytest("--color=yes").stdout.lines)
    assert "\x1b[31mtest_suite.py::test_fails" in coloured
    assert "\x1b[1mmean of 4 traces" in coloured
    assert "\x1b[" not in project.runpytest("--color=no").stdout.str()


@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii", "utf-8"])
def test_no_console_crashes(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """Piped output in any encoding shows the table; what it lacks is escaped."""
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    monkeypatch.setenv("PYTHONUTF8", "0")
    project.makepyfile(
        test_suite="""
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.mark.parametrize("city", ["東京", "München"])
        def test_it(city):
            assert_adherent(trace(question="", response=f"It is a meteorite in {city} \\ud800."))
        """
    )
    project.makeini(
        "[pytest]\nrag_judge = fakes:FakeJudge\npythonpath = .\n"
        "disable_test_id_escaping_and_forfeit_all_rights_to_community_support = true\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "pytest"], cwd=project.path, capture_output=True, check=False
    )
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    shown = result.stdout.decode(encoding)
    assert "rag: TRACe scores" in shown
    assert "INTERNALERROR" not in shown


CONFIGURATIONS = """
    import pytest
    from pytest_trace import Trace, assert_adherent, evaluate

    @pytest.mark.parametrize("size", [256, 512, 512])
    def test_chunks(size):
        config = {"chunk_size": size, "embedding_model": "e5-small"}
        trace = Trace(
            "What colour?", ["It is red."], "Red.", metadata={"evaluation_config": config}
        )
        assert_adherent(trace)

    def test_said():
        evaluate(Trace("What?", ["It is red."], "Red."), config={"chunk_size": 512})
"""


def test_means_over_configurations_are_told(project: pytest.Pytester, run) -> None:
    """The summary says so where traces were retrieved in different ways, under xdist too."""
    project.makepyfile(test_suite=CONFIGURATIONS)
    assert _section(run())[-3:] == [
        "fake: the means are over 3 configurations of retrieval: chunk_size 512,",
        "  embedding_model e5-small (2 traces); chunk_size 256, embedding_model e5-small",
        "  (1 trace); chunk_size 512, no embedding_model (1 trace)",
    ]
    section = _section(run("-k", "512"))
    assert not any("configurations" in line for line in section)
