"""Verdicts beside the tests in the workers of xdist."""

from __future__ import annotations

import pytest

MANY = """
    import os
    import time

    import pytest
    from pytest_trace import assert_adherent
    from traces import trace

    @pytest.mark.parametrize("number", range(24))
    def test_it(number):
        response = "It takes forever." if number % 2 else "It is red."
        assert_adherent(trace(response=response, question=f"Why {number}?"))
        if number == 23 and not os.path.exists("crashed"):
            open("crashed", "w").close()
            os._exit(1)
"""


def test_tests_that_a_dead_worker_held_are_reported(slow) -> None:
    """A worker dies with verdicts under way: each of its tests fails or runs again."""
    slow.makepyfile(MANY)
    (slow.path / "go").touch()
    slow.makeconftest(
        """
        import fakes
        import time

        def judge(self, sentences):
            time.sleep(0.4)
            return fakes.FakeJudge.judge(self, sentences)

        fakes.SlowJudge.judge = judge
        """
    )
    result = slow.runpytest("-n2", "--rag-concurrency=8", "--max-worker-restart=1")
    counts = result.parseoutcomes()
    assert counts["passed"] + counts["failed"] == 24
    assert counts["failed"] > 1
    result.stdout.fnmatch_lines(
        ["worker 'gw?' crashed while the verdict on '*test_it*' was under way"]
    )


def test_a_worker_that_dies_at_once_only_loses_its_test(slow) -> None:
    """Without verdicts beside the tests nothing but the test that crashed is reported as failed."""
    slow.makepyfile(MANY)
    (slow.path / "go").touch()
    counts = slow.runpytest("-n2", "--max-worker-restart=1").parseoutcomes()
    assert counts["passed"] == 23
    assert counts["failed"] == 1


def test_workers_that_stop(slow) -> None:
    """`-x` ends the run of all workers."""
    slow.makepyfile(
        """
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.mark.parametrize("number", range(60))
        def test_it(number):
            response = "A meteorite." if number == 4 else "It is red."
            assert_adherent(trace(response=response, question=f"Why {number}?"))
        """
    )
    result = slow.runpytest("-n2", "--rag-concurrency=4", "-x")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert result.parseoutcomes()["failed"] == 1
    assert result.parseoutcomes().get("passed", 0) < 60
