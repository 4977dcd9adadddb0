"""An assertion finds its test, and its test's judge, wherever it runs; never a quiet `lexical`."""

from __future__ import annotations

import textwrap

import pytest
from fakes import ASYNCIO

OVERRIDE = """
    import pytest
    from fakes import FakeJudge

    @pytest.fixture(scope="{scope}")
    def rag_judge():
        return FakeJudge("mine")
"""

ASSERTING = """
    import asyncio
    import threading
    import unittest
    from concurrent.futures import ThreadPoolExecutor

    import pytest
    from pytest_trace import assert_adherent, evaluate
    from traces import trace

    def judged():
        return assert_adherent(trace()).judge

    def test_function():
        assert judged() == "{judge}"

    class TestClass:
        def test_method(self):
            assert judged() == "{judge}"

        @pytest.mark.parametrize("n", [1, 2])
        def test_parametrized(self, n):
            assert judged() == "{judge}"

    class TestUnit(unittest.TestCase):
        def test_method(self):
            assert judged() == "{judge}"

        def test_subtests(self):
            with self.subTest("first"):
                assert judged() == "{judge}"

    class TestAsyncUnit(unittest.IsolatedAsyncioTestCase):
        async def test_method(self):
            assert judged() == "{judge}"
            assert await asyncio.to_thread(judged) == "{judge}"

    @pytest.mark.asyncio
    async def test_asyncio():
        assert judged() == "{judge}"
        assert await asyncio.gather(asyncio.to_thread(judged)) == ["{judge}"]

    @pytest.mark.anyio
    async def test_anyio():
        assert judged() == "{judge}"

    def test_thread():
        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(lambda _: judged(), range(4))) == ["{judge}"] * 4

    @pytest.fixture
    def judged_in_setup():
        return judged()

    def test_setup(judged_in_setup):
        assert judged_in_setup == "{judge}"

    def test_helper():
        import helpers
        assert helpers.check() == "{judge}"

    def test_evaluate():
        assert evaluate(trace()).judge == "{judge}"
"""
HELPERS = """
    from pytest_trace import assert_adherent
    from traces import trace

    def check():
        return assert_adherent(trace()).judge
"""
ANYIO = """
    import pytest

    @pytest.fixture
    def anyio_backend():
        return "asyncio"
"""


@pytest.mark.parametrize("judge", ["fake", "function", "class", "session"])
def test_an_assertion_finds_its_judge_from_anywhere(
    project: pytest.Pytester, run, judge: str
) -> None:
    """Functions, classes, unittest, threads, event loops, setups and helpers get the same judge."""
    override = "" if judge == "fake" else OVERRIDE.format(scope=judge)
    expected = "fake" if judge == "fake" else "mine"
    project.makeconftest(_source(ANYIO, override))
    project.makepyfile(helpers=HELPERS, test_all=ASSERTING.format(judge=expected))
    result = run(*ASYNCIO, "-p", "anyio")
    result.assert_outcomes(passed=13)


def _source(*parts: str) -> str:
    return "\n".join(textwrap.dedent(part) for part in parts)


@pytest.mark.parametrize(
    ("decorator", "prefix", "kind"),
    [
        ("pytest_asyncio.fixture", "async ", "async"),
        ("pytest.fixture(params=[1, 2])", "", "parametrized"),
    ],
)
def test_an_override_that_cannot_be_requested_late_says_so(
    project: pytest.Pytester, decorator: str, prefix: str, kind: str
) -> None:
    """An async or parametrized `rag_judge` works in the signature, and else is a clear error."""
    project.makepyfile(
        f"""
        import pytest, pytest_asyncio
        from fakes import FakeJudge
        from pytest_trace import assert_adherent
        from traces import trace

        @{decorator}
        {prefix}def rag_judge():
            return FakeJudge("mine")

        @pytest.mark.asyncio
        async def test_in_signature(rag_judge):
            assert assert_adherent(trace()).judge == "mine"

        @pytest.mark.asyncio
        async def test_not_in_signature():
            assert_adherent(trace())
        """
    )
    result = project.runpytest(*ASYNCIO)
    shown = result.stdout.str()
    assert "passed" in shown
    assert "1 error" in shown
    assert (
        f"JudgeError: the {kind} fixture rag_judge cannot be requested while the test runs" in shown
    )
    assert "add rag_judge to the signature of test_not_in_signature" in shown


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "3",
            "the fixture rag_judge returned a int, which is no judge: it lacks kind, version,",
        ),
        ("'nope'", "unknown judge 'nope'; known: lexical"),
    ],
)
def test_an_override_that_is_no_judge_is_an_error(
    project: pytest.Pytester, value: str, message: str
) -> None:
    """What the fixture returned, and what it lacks, stands in the error."""
    project.makepyfile(
        f"""
        import pytest
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.fixture
        def rag_judge():
            return {value}

        def test_it():
            assert_adherent(trace())
        """
    )
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    assert message in result.stdout.str()


def test_an_override_may_be_a_spec_or_wrap_the_configured_judge(project: pytest.Pytester) -> None:
    """A fixture may return a spec string, and may take the judge it overrides."""
    project.makepyfile(
        """
        import pytest
        from fakes import FakeJudge
        from pytest_trace import assert_adherent
        from traces import trace

        @pytest.fixture
        def rag_judge(rag_judge):
            assert rag_judge.kind == "fake"
            return "fakes:make_other"

        def test_it():
            assert assert_adherent(trace()).judge == "other"
        """
    )
    project.runpytest().assert_outcomes(passed=1)


def test_an_overridden_sentencizer_is_used(project: pytest.Pytester) -> None:
    """`rag_sentencizer` may be overridden, and may give plain strings."""
    project.makepyfile(
        """
        import pytest
        from pytest_trace import Trace, evaluate

        class Commas:
            version = "commas/1"
            def split(self, text):
                return text.split(",")

        @pytest.fixture
        def rag_sentencizer():
            return Commas()

        def test_it():
            sentences = evaluate(Trace("What?", ["red, and blue"], "red")).sentences
            assert [s.text for s in sentences.documents] == ["red", "and blue"]
            assert sentences.sentencizer == "commas/1"
        """
    )
    project.runpytest().assert_outcomes(passed=1)


def test_an_assertion_at_import_is_an_error_and_no_quiet_lexical(project: pytest.Pytester) -> None:
    """While pytest collects there is no running test to ask for its judge."""
    project.makepyfile(
        "from pytest_trace import evaluate\nfrom traces import trace\nevaluate(trace())\n"
    )
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    assert "pytest is running, but no running test was found" in result.stdout.str()


def test_an_assertion_without_the_plugin_is_an_error(project: pytest.Pytester) -> None:
    """With -p no:pytest_rag an assertion needs a judge of its own."""
    project.makepyfile(
        """
        from pytest_trace import assert_adherent, JudgeError
        from traces import trace
        import pytest

        def test_it():
            with pytest.raises(JudgeError, match="no running test was found"):
                assert_adherent(trace())
            assert_adherent(trace(), judge="fakes:FakeJudge")
        """
    )
    project.makeini("[pytest]\npythonpath = .\n")
    result = project.runpytest_subprocess("-p", "no:pytest_rag")
    result.assert_outcomes(passed=1)


def test_a_hook_makes_judges_and_sentencizers(project: pytest.Pytester) -> None:
    """`pytest_rag_make_judge` and `pytest_rag_make_sentencizer` come before the known names."""
    project.makeini("[pytest]\npythonpath = .\nrag_judge = house\nrag_sentencizer = lines\n")
    project.makeconftest(
        """
        import pytest
        from fakes import FakeJudge

        class Lines:
            version = "lines/1"
            def split(self, text):
                return text.splitlines()

        @pytest.hookimpl(optionalhook=True)
        def pytest_rag_make_judge(spec, config):
            return FakeJudge("house") if spec == "house" else None

        @pytest.hookimpl(optionalhook=True)
        def pytest_rag_make_sentencizer(spec, config):
            return Lines() if spec == "lines" else None
        """
    )
    project.makepyfile(
        """
        from pytest_trace import assert_adherent
        from traces import trace

        def test_it():
            evaluation = assert_adherent(trace())
            assert (evaluation.judge, evaluation.sentences.sentencizer) == ("house", "lines/1")
        """
    )
    project.runpytest().assert_outcomes(passed=1)


def test_an_unknown_sentencizer_is_a_usage_error(pytester: pytest.Pytester) -> None:
    """A sentencizer that nobody knows ends the run at start."""
    result = pytester.runpytest("--rag-sentencizer=nope")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--rag-sentencizer: unknown sentencizer 'nope'; known: default" in result.stderr.str()


def test_a_judge_is_asked_once_for_a_trace_of_a_test(project: pytest.Pytester) -> None:
    """Several assertions on one trace read one verdict."""
    project.makepyfile(
        """
        from pytest_trace import assert_adherent, assert_relevance_above, evaluate
        from traces import trace

        def test_it(rag_judge):
            assert_adherent(trace())
            assert_relevance_above(trace(), 0.3)
            evaluate(trace())
            assert rag_judge.calls == 1
        """
    )
    result = project.runpytest()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["fake: 1 trace, 1 call, 0 cached, 0 refusals"])
