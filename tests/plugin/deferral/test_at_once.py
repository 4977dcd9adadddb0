"""What is judged at once although verdicts could come in beside the tests."""

from __future__ import annotations

import pytest

ONE = """
    from pytest_trace import assert_adherent
    from traces import trace

    def test_it():
        assert_adherent(trace(response="A meteorite."))
        print("never printed")
"""
CODE_AFTER_THE_FAILURE_RAN = "*never printed*"


def is_at_once(result: pytest.RunResult) -> bool:
    """Whether the code behind the failing assertion of `ONE` was not run."""
    result.assert_outcomes(failed=1)
    return "never printed" not in result.stdout.str().replace('print("never printed")', "")


def test_only_with_a_concurrency(slow) -> None:
    """By default assertions are decided where they stand; with a concurrency they come later."""
    slow.makepyfile(ONE)
    assert is_at_once(slow.runpytest())
    assert is_at_once(slow.runpytest("--rag-concurrency=1"))
    assert not is_at_once(slow.runpytest("--rag-concurrency=2"))


def test_by_default_nothing_of_it_is_loaded(slow) -> None:
    """A run without a concurrency does not even import what defers."""
    slow.makepyfile(
        """
        import sys
        from pytest_trace import assert_adherent
        from traces import trace

        def test_it():
            assert_adherent(trace())
            assert not [name for name in sys.modules if "deferral" in name]
        """
    )
    slow.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize("source", ["ini", "environment"])
def test_concurrency_is_a_setting(slow, monkeypatch, source) -> None:
    """It can be set in the ini file and in the environment as well."""
    slow.makepyfile(ONE)
    if source == "ini":
        with (slow.path / "tox.ini").open("a") as file:
            file.write("\nrag_concurrency = 3\n")
    else:
        monkeypatch.setenv("PYTEST_RAG_CONCURRENCY", "3")
    result = slow.runpytest()
    result.stdout.fnmatch_lines(
        ["rag: judge fakes:SlowJudge (from rag_judge), no cache, concurrency 3"]
    )
    assert not is_at_once(result)


@pytest.mark.parametrize("value", ["0", "-1", "many"])
def test_concurrency_is_a_count(slow, value) -> None:
    """Anything but a whole number from 1 on is refused, naming the option."""
    result = slow.runpytest(f"--rag-concurrency={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: --rag-concurrency is '{value}'; expected a whole number*"]
    )


@pytest.mark.parametrize("option", ["--setup-show"])
def test_options_that_need_each_test_done(slow, option) -> None:
    """The whole run is judged at once, and the header says why."""
    slow.makepyfile(ONE)
    result = slow.runpytest("--rag-concurrency=4", option)
    assert is_at_once(result)
    result.stdout.fnmatch_lines([f"rag: judge *, no cache, concurrency 4 not used with {option}"])


def test_debugger(slow) -> None:
    """`--pdb` stops where the assertion failed, with the test's frame still there."""
    slow.makepyfile(ONE)
    child = slow.spawn_pytest("--rag-concurrency=4 --pdb") if pexpect_is_there() else None
    if child is None:
        result = slow.run(
            *slow._getpytestargs(), "--rag-concurrency=4", "--pdb", "--color=no", stdin=b"q\n"
        )
        result.stdout.fnmatch_lines(["*concurrency 4 not used with --pdb", "*entering PDB*"])
        return
    child.expect("not used with --pdb")
    child.expect("entering PDB")
    child.sendline("q")
    child.wait()


def pexpect_is_there() -> bool:
    try:
        import pexpect  # noqa: F401
    except ImportError:
        return False
    return True


RERUNS = ("-p", "rerunfailures")


@pytest.mark.parametrize("how", ["option", "ini"])
def test_reruns_of_the_run(slow, monkeypatch, how) -> None:
    """Reruns see each failure where it happens, whether by option or by ini."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:random_order")
    slow.makepyfile(ONE)
    if how == "ini":
        with (slow.path / "tox.ini").open("a") as file:
            file.write("\nreruns = 2\n")
    arguments = ("--reruns=2",) if how == "option" else ()
    result = slow.runpytest(
        "--rag-concurrency=4", "-o", "asyncio_default_fixture_loop_scope=function", *arguments
    )
    result.stdout.fnmatch_lines(
        ["*concurrency 4 not used with *reruns*", "* 1 failed, 2 rerun in *"]
    )


def test_reruns_of_a_test(slow, monkeypatch) -> None:
    """One test that is marked makes the run judge at once, and the summary says so."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:random_order")
    slow.makepyfile(
        """
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        def test_first():
            assert_adherent(trace(response="A meteorite."))
            print("never " + "printed")

        @pytest.mark.flaky(reruns=1)
        def test_second():
            assert_adherent(trace(response="A meteorite."))
        """
    )
    result = slow.runpytest(
        "--rag-concurrency=4", "-o", "asyncio_default_fixture_loop_scope=function"
    )
    result.stdout.no_fnmatch_line("never printed")
    result.stdout.fnmatch_lines(
        [
            "--rag-concurrency was not used: *::test_second is marked",
            "  flaky",
            "* 2 failed, 1 rerun in *",
        ]
    )


def test_timeouts(slow) -> None:
    """A plugin that ends tests after a while has to see them wait: by option, ini or marker."""
    slow.makepyfile(ONE)
    slow.makepyfile(
        timeouts="""
        def pytest_addoption(parser):
            parser.addoption("--timeout", type=float)
            parser.addini("timeout", "seconds")

        def pytest_configure(config):
            config.addinivalue_line("markers", "timeout(seconds): end the test")
        """
    )
    result = slow.runpytest("-p", "timeouts", "--rag-concurrency=4", "--timeout=9")
    result.stdout.fnmatch_lines(["*concurrency 4 not used with --timeout"])
    assert is_at_once(result)
    result = slow.runpytest("-p", "timeouts", "--rag-concurrency=4", "-o", "timeout=9")
    result.stdout.fnmatch_lines(["*concurrency 4 not used with the setting timeout"])
    assert not is_at_once(slow.runpytest("-p", "timeouts", "--rag-concurrency=4"))


def test_a_plugin_that_runs_tests_itself(slow) -> None:
    """It would be passed over: the run is judged at once and the header names the plugin."""
    slow.makepyfile(ONE)
    slow.makepyfile(
        protocols="""
        def pytest_runtest_protocol(item, nextitem):
            return None
        """
    )
    result = slow.runpytest("-p", "protocols", "--rag-concurrency=4")
    result.stdout.fnmatch_lines(["*not used with the plugin protocols runs tests in its own way"])
    assert is_at_once(result)


def test_a_judge_of_the_user_is_asked_at_once(slow) -> None:
    """One that the run did not make from a spec may not bear threads."""
    slow.makepyfile(
        """
        import pytest
        from fakes import SlowJudge
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.fixture
        def rag_judge():
            return SlowJudge()

        def test_it():
            assert_adherent(trace(response="A meteorite."))
            print("never printed")
        """
    )
    assert is_at_once(slow.runpytest("--rag-concurrency=4"))


def test_a_free_judge_is_asked_at_once(slow) -> None:
    """A judge that costs nothing takes no time that could be saved."""
    slow.makepyfile(ONE)
    assert is_at_once(slow.runpytest("--rag-concurrency=4", "--rag-judge=lexical"))


def test_a_stored_verdict_is_there_at_once(project) -> None:
    """A warm run is a run at once: verdicts from recording, cache and memo are not waited for."""
    project.makepyfile(ONE)
    assert not is_at_once(project.runpytest("--rag-concurrency=4"))
    assert is_at_once(project.runpytest("--rag-concurrency=4"))


def test_offline_is_at_once(project) -> None:
    """Offline nothing is asked, so that what is missing is an error where it is missing."""
    project.makepyfile(ONE)
    result = project.runpytest("--rag-concurrency=4", "--rag-offline")
    result.assert_outcomes(errors=1)
    result.stdout.no_fnmatch_line("never printed")


def test_a_missing_key_is_told_at_once(project) -> None:
    """Without a key nothing can be asked: the test is skipped at its assertion, as it would be."""
    project.makepyfile(ONE)
    result = project.runpytest(
        "--rag-concurrency=4",
        "--rag-judge=groq:openai/gpt-oss-20b",
        "--rag-missing-judge=skip",
        "-rs",
    )
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED [[]1] *: GROQ_API_KEY is not set, and groq:*"])
