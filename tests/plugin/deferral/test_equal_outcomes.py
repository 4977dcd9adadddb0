"""A run with verdicts beside its tests reports what a run at once reports."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from typing import Any

import pytest
from fakes import ASYNCIO

EVERY_OUTCOME = """
    import contextlib
    import functools
    import logging
    import threading
    import unittest

    import pytest
    from pytest_trace import (
        JudgeError, assert_adherent, assert_relevance_above, assert_trace, evaluate,
    )
    from traces import trace

    BAD = "A meteorite is red."

    def helper(response):
        return assert_adherent(trace(response=response))

    @pytest.mark.parametrize("number", range(6))
    def test_many(number):
        given = trace(response=BAD if number == 3 else "It is red.", question=f"Why {number}?")
        assert_adherent(given)
        assert_relevance_above(given, 0.5)

    def test_second_assertion_fails():
        assert_adherent(trace(question="a"))
        assert_relevance_above(trace(documents=["The weather is fine."]), 0.5)

    def test_failure_in_a_helper():
        helper("It is red.")
        helper(BAD)

    def test_output_of_a_failure(capsys_is_not_used=None):
        print("before")
        logging.getLogger("app").warning("careful")
        assert_adherent(trace(response=BAD))

    def test_without_a_trace():
        pass

    def test_plain_failure():
        assert 1 == 2

    def test_plain_failure_after_a_verdict():
        assert_adherent(trace())
        assert 1 == 2

    def test_many_bounds():
        assert_trace(trace(response=BAD, documents=["The weather."]), adherent=True, relevance=1)

    @pytest.mark.xfail(reason="known")
    def test_xfail():
        helper(BAD)

    @pytest.mark.xfail(strict=True, reason="known")
    def test_xfail_strict():
        helper(BAD)

    @pytest.mark.xfail(reason="known")
    def test_xpass():
        helper("It is red.")

    @pytest.mark.xfail(strict=True, reason="known")
    def test_xpass_strict():
        helper("It is red.")

    @pytest.mark.xfail(raises=AssertionError)
    def test_xfail_raises():
        helper(BAD)

    @pytest.mark.xfail(raises=KeyError)
    def test_xfail_raises_another():
        helper(BAD)

    def test_xfail_in_the_test(request):
        request.applymarker(pytest.mark.xfail(strict=True))
        helper(BAD)

    def test_raises():
        with pytest.raises(AssertionError, match="not adherent"):
            helper(BAD)

    def test_raises_as_a_call():
        pytest.raises(AssertionError, helper, BAD)

    def test_raises_nothing():
        with pytest.raises(AssertionError):
            helper("It is red.")

    def test_suppressed():
        with contextlib.suppress(AssertionError):
            helper(BAD)

    def test_caught():
        try:
            helper(BAD)
        except AssertionError:
            return
        raise RuntimeError("nothing was raised")

    def test_in_a_with_block(tmp_path):
        with open(tmp_path / "file", "w"):
            helper(BAD)

    def again(function):
        @functools.wraps(function)
        def twice(*args):
            try:
                function(*args)
            except AssertionError:
                return
        return twice

    @again
    def test_decorated():
        helper(BAD)

    def test_subtests(subtests):
        for number in range(3):
            with subtests.test(number=number):
                helper(BAD if number == 1 else "It is red.")

    def test_in_a_thread():
        failures = []

        def run():
            try:
                helper(BAD)
            except AssertionError as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert len(failures) == 1

    def test_in_a_generator():
        def each():
            yield helper("It is red.")
            yield helper(BAD)
        list(each())

    class TestMethods:
        def test_method(self):
            helper(BAD)

        @pytest.mark.parametrize("response", ["It is red.", BAD])
        def test_both(self, response):
            assert [helper(response) for _ in range(2)]

    class TestUnit(unittest.TestCase):
        def test_method(self):
            helper(BAD)

        @unittest.expectedFailure
        def test_expected(self):
            helper(BAD)

        def test_subtest(self):
            for number in range(2):
                with self.subTest(number=number):
                    helper(BAD if number else "It is red.")

    @pytest.mark.skip(reason="not now")
    def test_skip():
        helper(BAD)

    def test_skip_before():
        pytest.skip("not now")

    def test_skip_after_a_failure():
        helper(BAD)
        pytest.skip("not now")

    def test_skip_after_a_verdict():
        helper("It is red.")
        pytest.skip("not now")

    @pytest.fixture
    def broken():
        raise RuntimeError("no setup")

    def test_setup_error(broken):
        helper(BAD)

    @pytest.fixture
    def judging():
        helper(BAD)

    def test_failure_in_setup(judging):
        helper("It is red.")

    @pytest.fixture
    def unclosable():
        yield
        print("closing")
        raise RuntimeError("no teardown")

    def test_teardown_error(unclosable):
        helper("It is red.")

    def test_failure_and_teardown_error(unclosable):
        helper(BAD)

    @pytest.fixture
    def talking():
        yield
        print("torn down")

    def test_output_of_the_teardown(talking):
        print("called")
        helper(BAD)

    def test_unclear():
        helper("It is unclear.")

    @pytest.mark.xfail
    def test_unclear_and_expected_to_fail():
        helper("It is unclear.")

    def test_unclear_and_caught():
        with pytest.raises(JudgeError):
            helper("It is unclear.")

    def test_property(record_property):
        record_property("colour", "red")
        helper(BAD)

    def test_read():
        assert helper("It is red.").scores.relevance == 0.5

    def test_evaluated():
        assert evaluate(trace(response=BAD)).scores.adherence == 1.0

    @pytest.mark.asyncio
    async def test_async():
        helper("It is red.")

    @pytest.mark.asyncio
    async def test_async_failure():
        import asyncio
        await asyncio.sleep(0)
        helper(BAD)

    @pytest.mark.asyncio
    async def test_async_raises():
        with pytest.raises(AssertionError):
            helper(BAD)

    def test_last():
        helper("It is red.")
"""


def test_every_outcome_is_that_of_a_run_at_once(slow, logged) -> None:
    """Order, outcome, text and output of all reports are equal, twenty times in a row."""
    slow.makepyfile(test_all=EVERY_OUTCOME)
    at_once = logged(*ASYNCIO)
    assert len({line[1] for line in at_once}) > 50
    for concurrency in (2, 3, 4, 5, 6, 7, 8, 16, 32, 64) * 2:
        assert logged(*ASYNCIO, f"--rag-concurrency={concurrency}") == at_once


def test_every_outcome_is_that_of_a_run_at_once_with_workers(slow, logged) -> None:
    """The same holds for each test under xdist."""
    slow.makepyfile(test_all=EVERY_OUTCOME)
    at_once = by_test(logged(*ASYNCIO, "-n2"))
    beside = by_test(logged(*ASYNCIO, "-n2", "--rag-concurrency=8"))
    assert beside == at_once


def by_test(lines: list[Any]) -> dict[str, list[Any]]:
    """What a log has about each test; JUnit's properties are the controller's."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for line in lines:
        found[line[1]].append(line)
    return found


@pytest.mark.parametrize("arguments", [(), ("-v",), ("-q",), ("--tb=short", "-rA")])
def test_the_screen_is_that_of_a_run_at_once(slow, arguments) -> None:
    """So is everything on the screen, but for the header, the time, and what came later."""
    slow.makepyfile(test_all=EVERY_OUTCOME)
    at_once = slow.runpytest(*ASYNCIO, *arguments)
    beside = slow.runpytest(*ASYNCIO, *arguments, "--rag-concurrency=8")
    assert beside.ret == at_once.ret
    assert shown(beside) == shown(at_once)


def shown(result: pytest.RunResult) -> list[str]:
    text = re.sub(r"0x[0-9a-f]+|in \d+\.\d+s.*|, concurrency \d+", "", result.stdout.str())
    return text.splitlines()


def test_junit_is_that_of_a_run_at_once(slow) -> None:
    """The JUnit file has the same cases, results and properties."""
    slow.makepyfile(test_all=EVERY_OUTCOME)
    slow.runpytest(*ASYNCIO, "--junitxml=at_once.xml")
    slow.runpytest(*ASYNCIO, "--junitxml=beside.xml", "--rag-concurrency=8")
    assert cases(slow, "beside.xml") == cases(slow, "at_once.xml")


def cases(pytester: pytest.Pytester, name: str) -> list[str]:
    root = ET.parse(pytester.path / name).getroot()
    for element in root.iter():
        for attribute in ("time", "timestamp"):
            element.attrib.pop(attribute, None)
    return [
        re.sub("0x[0-9a-f]+", "", ET.tostring(case, "unicode")) for case in root.iter("testcase")
    ]


def test_without_a_terminal(slow, logged) -> None:
    """Whoever else reports sees the same without pytest's own reporter."""
    slow.makepyfile(test_all=EVERY_OUTCOME)
    at_once = logged(*ASYNCIO, "-p", "no:terminal")
    assert logged(*ASYNCIO, "-p", "no:terminal", "--rag-concurrency=4") == at_once


def test_what_fails_later_stands_in_a_section(slow) -> None:
    """The first failure is the test's; what came after it in the test is told beside it."""
    slow.makepyfile(
        """
        from pytest_trace import assert_adherent, assert_relevance_above
        from traces import trace

        def test_it():
            assert_adherent(trace(response="A meteorite."))
            assert_relevance_above(trace(documents=["The weather."]), 0.5)
            raise KeyError("gone")
        """
    )
    result = slow.runpytest("--rag-concurrency=4")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            '>       assert_adherent(trace(response="A meteorite."))',
            "E       AssertionError: not adherent: 1 of 1 sentences lacks support (judge: fake)",
            "test_what_fails_later_stands_in_a_section.py:5: AssertionError",
            "*- rag: later in this test -*",
            "*section.py:6: AssertionError: relevance 0.00 is below 0.5*",
            "*- rag: later in this test -*",
            "KeyError: 'gone'",
        ]
    )


def test_scores_are_those_of_a_run_at_once(slow) -> None:
    """The table has the rows of a run at once: none of what came after a failure."""
    slow.makepyfile(
        """
        from pytest_trace import assert_adherent, evaluate
        from traces import trace

        def test_it():
            evaluate(trace(question="1"))
            assert_adherent(trace(question="2"))
            evaluate(trace(question="3"))
            assert_adherent(trace(question="4", response="A meteorite."))
            evaluate(trace(question="5"))
            assert_adherent(trace(question="6"))
        """
    )
    rows = {}
    for arguments in ((), ("--rag-concurrency=4",)):
        lines = slow.runpytest(*arguments).outlines
        rows[arguments] = [line for line in lines if line.startswith(("test_", "mean", "fake"))]
    assert rows[()][-1] == "fake: 4 traces, 4 calls, 0 cached, 0 refusals"
    assert rows["--rag-concurrency=4",][:-1] == rows[()][:-1]
