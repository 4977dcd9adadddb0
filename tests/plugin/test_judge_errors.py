"""A judge that cannot decide is an error, whatever the test expected."""

from __future__ import annotations

import pytest
from fakes import ASYNCIO

UNCLEAR = """
    import unittest
    from concurrent.futures import ThreadPoolExecutor

    import pytest
    from pytest_trace import JudgeError, assert_adherent
    from traces import trace

    def judge():
        assert_adherent(trace(response="It is unclear."))

    def test_plain():
        judge()

    @pytest.mark.xfail
    def test_xfail():
        judge()

    @pytest.mark.xfail(strict=True, raises=JudgeError)
    def test_xfail_that_names_it():
        judge()

    def test_xfail_in_the_test(request):
        request.applymarker(pytest.mark.xfail(strict=True))
        judge()

    class TestUnit(unittest.TestCase):
        def test_method(self):
            judge()

        @unittest.expectedFailure
        def test_expected(self):
            judge()

    @pytest.mark.asyncio
    async def test_group():
        import asyncio
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(judge))

    def test_wrapped():
        try:
            judge()
        except JudgeError as error:
            raise RuntimeError("the application broke") from error

    def test_failed_while_handling():
        try:
            judge()
        except JudgeError:
            pytest.fail("handled badly")

    @pytest.fixture
    def judged():
        judge()

    def test_setup(judged):
        pass
"""
EXPECTED = """
    import pytest
    from pytest_trace import JudgeError, assert_adherent
    from traces import trace

    def test_raises():
        with pytest.raises(JudgeError):
            assert_adherent(trace(response="It is unclear."))

    @pytest.mark.xfail(strict=True)
    def test_failure():
        assert_adherent(trace(response="It is a meteorite."))
"""


def test_a_judge_error_is_an_error_in_every_kind_of_test(project: pytest.Pytester, run) -> None:
    """Neither a failure nor an expected one: plain, xfail, unittest, groups, chains, setup."""
    project.makepyfile(test_it=UNCLEAR)
    result = run(*ASYNCIO)
    result.assert_outcomes(errors=10)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*ERROR at call of test_plain*",
            "*JudgeError: the fake judge cannot decide",
            "*  model fake-1",
            "10 tests with a judge that could not decide:",
            "the fake judge cannot decide",
            "  test_it.py::test_plain",
        ]
    )


def test_a_judge_error_that_a_test_expects_is_no_error(project: pytest.Pytester, run) -> None:
    """`pytest.raises(JudgeError)` passes, and a failure that is expected stays one."""
    project.makepyfile(EXPECTED)
    run().assert_outcomes(passed=1, xfailed=1)


def test_the_traceback_shows_the_test_and_not_our_frames(project: pytest.Pytester) -> None:
    """The error points at the line of the test."""
    project.makepyfile(
        """
        from pytest_trace import assert_adherent
        from traces import trace

        def test_it():
            assert_adherent(trace(response="It is unclear."))
        """
    )
    shown = project.runpytest().stdout.str()
    assert ">       assert_adherent(trace(response=" in shown
    assert "evaluation.py" not in shown
    assert "fakes.py" in shown  # the judge is the user's code


def test_a_judge_that_crashes_is_an_error(project: pytest.Pytester) -> None:
    """Whatever a judge raises is a fault of the judge."""
    project.makepyfile(
        """
        import pytest
        from fakes import FakeJudge
        from pytest_trace import assert_adherent
        from traces import trace

        class Broken(FakeJudge):
            def judge(self, sentences):
                return {}["verdict"]

        class Silent(FakeJudge):
            def judge(self, sentences):
                return None

        @pytest.mark.xfail
        @pytest.mark.parametrize("judge", [Broken(), Silent()])
        def test_it(judge):
            assert_adherent(trace(), judge=judge)
        """
    )
    result = project.runpytest()
    result.assert_outcomes(errors=2)
    assert "judge fake failed: KeyError: 'verdict'" in result.stdout.str()
    assert "judge fake returned a NoneType; expected a Verdict" in result.stdout.str()


def test_junit_writes_a_failure_for_it(project: pytest.Pytester) -> None:
    """JUnit knows errors of setup and teardown only; the build fails all the same."""
    project.makepyfile(test_it=UNCLEAR)
    project.runpytest("--junit-xml=out.xml", "-k", "test_plain or test_xfail")
    text = (project.path / "out.xml").read_text()
    assert 'failures="4"' in text
    assert "the fake judge cannot decide" in text
