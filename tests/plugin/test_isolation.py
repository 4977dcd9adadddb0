"""An unrelated project sees nothing of the plugin, and sessions do not see each other."""

from __future__ import annotations

import pytest

HEAVY = ("pydantic", "groq", "diskcache", "tabulate", "sentencex", "pyarrow", "wcwidth", "httpx")


def test_an_unrelated_run_loads_nothing_and_leaves_nothing(pytester: pytest.Pytester) -> None:
    """No heavy import, no value module, no output, no folder, the same exit code."""
    pytester.makepyfile(
        test_unrelated=f"""
        import sys

        def test_it():
            heavy = [name for name in {HEAVY!r} if name in sys.modules]
            assert heavy == []
            ours = sorted(n for n in sys.modules if n.startswith("pytest_trace"))
            assert ours == [
                "pytest_trace",
                "pytest_trace.plugin",
                "pytest_trace.plugin.hooks",
                "pytest_trace.plugin.hookspecs",
                "pytest_trace.plugin.marking",
                "pytest_trace.plugin.options",
                "pytest_trace.plugin.settings",
                "pytest_trace.running",
            ]
        """
    )
    app = pytester.mkdir("app")
    (pytester.path / "test_unrelated.py").rename(app / "test_unrelated.py")
    result = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "--rootdir=app", "app"
    )
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    shown = result.stdout.str().replace("rag-trace", "")  # its name in the list of plugins
    assert "rag" not in shown.lower()
    assert {path.name for path in app.iterdir()} - {"__pycache__"} == {"test_unrelated.py"}


def test_an_unrelated_run_opens_no_socket(pytester: pytest.Pytester) -> None:
    """Nothing of the plugin touches the network, from start to end."""
    pytester.makeconftest(
        """
        import socket

        class Refused(socket.socket):
            def __init__(self, *args, **kwargs):
                raise AssertionError("a socket was opened")

        socket.socket = Refused
        """
    )
    pytester.makepyfile("def test_it(): pass")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_sessions_inside_one_another_do_not_see_each_other(pytester: pytest.Pytester) -> None:
    """An inner run has its own judge and rows, and the outer test finds its own afterwards."""
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\nrag_judge = "fakes:FakeJudge"\n')
    pytester.makeconftest("pytest_plugins = ['pytester']")
    pytester.makepyfile(
        """
        from pytest_trace import Trace, evaluate

        TRACE = Trace("What?", ["It is red."], "It is red.")

        def test_outer(pytester):
            assert evaluate(TRACE).judge == "fake"
            pytester.makepyfile(
                '''
                from pytest_trace import Trace, evaluate

                def test_inner():
                    trace = Trace("What?", ["It is red."], "It is blue.")
                    assert evaluate(trace).judge == "other"
                '''
            )
            result = pytester.runpytest_inprocess("--rag-judge=fakes:make_other")
            result.assert_outcomes(passed=1)
            result.stdout.fnmatch_lines(["other: 1 trace, 1 call, 0 cached, 0 refusals"])
            assert evaluate(TRACE).judge == "fake"
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["fake: 1 trace, 1 call, 0 cached, 0 refusals"])


def test_collecting_never_calls_a_judge(project: pytest.Pytester) -> None:
    """`--collect-only` shows the tests and makes no judge."""
    project.makepyfile(
        judges="def made(): raise AssertionError('made')",
        test_it="""
        from pytest_trace import assert_adherent
        from traces import trace

        def test_it():
            assert_adherent(trace())
        """,
    )
    result = project.runpytest("--collect-only", "--rag-judge=judges:made")
    assert result.ret == pytest.ExitCode.OK
    assert "<Function test_it>" in result.stdout.str()
