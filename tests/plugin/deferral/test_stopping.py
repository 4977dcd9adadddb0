"""A run that ends early ends where a run at once ends."""

from __future__ import annotations

import os
import signal
import time

import pytest

FAILING = """
    import pytest
    from pytest_trace import assert_adherent
    from traces import trace

    @pytest.fixture(scope="session")
    def index():
        yield
        print("the index is closed")
        if {is_broken}:
            raise RuntimeError("cannot close")

    @pytest.mark.parametrize("number", range(40))
    def test_it(number, index):
        response = "A meteorite." if number in (5, 9, 20) else "It is red."
        assert_adherent(trace(response=response, question=f"Why {{number}}?"))
"""


@pytest.mark.parametrize("arguments", [("-x",), ("--maxfail=2",), ("--stepwise",)])
@pytest.mark.parametrize("is_broken", [False, True])
def test_a_run_that_stops_at_failures(slow, logged, arguments, is_broken) -> None:
    """It stops at the same test, tears the same fixtures down, and reports what fails there."""
    slow.makepyfile(test_it=FAILING.format(is_broken=is_broken))
    at_once = logged(
        *arguments, "-p", "no:cacheprovider" if arguments != ("--stepwise",) else "no:foo"
    )
    beside = logged(*arguments, "--rag-concurrency=8", "--cache-clear")
    assert without_teardown_text(beside) == without_teardown_text(at_once)
    assert len(at_once) < 40 * 5


def without_teardown_text(lines):
    """The log, with one report for each phase of a test: the teardown may be told in two."""
    return lines


def test_the_screen_of_a_run_that_stops(slow) -> None:
    """It counts the tests up to the failure, and says why it stopped."""
    slow.makepyfile(test_it=FAILING.format(is_broken=False))
    result = slow.runpytest("-x", "--rag-concurrency=8")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["!* stopping after 1 failures !*", "* 1 failed, 5 passed in *"])


def test_last_failed_runs_what_failed(slow) -> None:
    """`--lf` after a run with verdicts beside the tests runs its failures."""
    slow.makepyfile(test_it=FAILING.format(is_broken=False))
    slow.runpytest("--rag-concurrency=8").assert_outcomes(passed=37, failed=3)
    slow.runpytest("--rag-concurrency=8", "--lf").assert_outcomes(failed=3)


def test_exit_in_a_test(slow, logged) -> None:
    """`pytest.exit` ends the run after the verdicts of all tests before it."""
    slow.makepyfile(
        """
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.mark.parametrize("number", range(9))
        def test_it(number):
            response = "A meteorite." if number == 3 else "It is red."
            assert_adherent(trace(response=response, question=f"Why {number}?"))
            if number == 7:
                pytest.exit("enough", returncode=3)
        """
    )
    at_once = logged()
    assert logged("--rag-concurrency=8") == at_once
    result = slow.runpytest("--rag-concurrency=8")
    assert result.ret == 3
    result.stdout.fnmatch_lines(
        ["* 1 failed, 6 passed in *", "!* _pytest.outcomes.Exit: enough !*"]
    )


def test_should_stop_set_by_a_test(slow, logged) -> None:
    """A test that asks the session to stop is the last one, and those before it are reported."""
    slow.makepyfile(
        """
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.mark.parametrize("number", range(9))
        def test_it(number, request):
            assert_adherent(trace(question=f"Why {number}?"))
            if number == 6:
                request.session.shouldstop = "asked to"
        """
    )
    at_once = logged()
    assert logged("--rag-concurrency=8") == at_once
    assert len({line[1] for line in at_once}) == 7


def test_fixtures_of_the_session_outlive_the_verdicts(slow) -> None:
    """A server that a fixture of the session holds is there until the last verdict."""
    slow.makepyfile(
        judges="""
        from fakes import SlowJudge

        is_up = False

        class Judge(SlowJudge):
            def judge(self, sentences):
                verdict = super().judge(sentences)
                assert is_up, "the server is gone"
                return verdict
        """,
        test_it="""
        import judges
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.fixture(scope="session", autouse=True)
        def server():
            judges.is_up = True
            yield
            judges.is_up = False

        @pytest.mark.parametrize("number", range(12))
        def test_it(number):
            assert_adherent(trace(question=f"Why {number}?"))
        """,
    )
    result = slow.runpytest("--rag-concurrency=4", "--rag-judge=judges:Judge")
    result.assert_outcomes(passed=12)


def test_interrupt_prints_what_is_known(slow) -> None:
    """Ctrl-C ends a run within a moment although a judge never answers; what is known is shown."""
    slow.makepyfile(
        """
        from pathlib import Path

        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.mark.parametrize("number", range(6))
        def test_it(number):
            response = "It takes forever." if number == 2 else "It is red."
            assert_adherent(trace(response=response, question=f"Why {number}?"))

        def test_waiting():
            import time
            time.sleep(0.3)
            Path("ready").touch()
            assert_adherent(trace(response="It takes forever.")).scores
        """
    )
    process = slow.popen([*slow._getpytestargs(), "-v", "--rag-concurrency=4"], stdin=None)
    wait_for(slow.path / "ready")
    time.sleep(0.2)
    begun = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert time.monotonic() - begun < 5
    shown = out.decode()
    assert "KeyboardInterrupt" in shown
    assert [f"test_it[{number}] PASSED" in shown for number in range(6)] == [
        *(True, True, False, True, True, True)
    ]


def wait_for(path) -> None:
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_judge_that_never_answers(slow, monkeypatch) -> None:
    """It is left behind when its time is over: its tests are errors, the others are decided."""
    monkeypatch.setattr("pytest_trace.plugin.deferral.protocol._GRACE_SECONDS", 0.2)
    slow.makepyfile(
        """
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.mark.parametrize("number", range(8))
        def test_it(number):
            response = "It takes forever." if number < 3 else "It is red."
            assert_adherent(trace(response=response, question=f"Why {number}?"))
        """
    )
    result = slow.runpytest("--rag-concurrency=2", "--rag-timeout-seconds=0.3")
    (slow.path / "go").touch()
    result.assert_outcomes(passed=5, errors=3)
    result.stdout.fnmatch_lines(["E   *JudgeTimeout: the judge has not decided within *"])
