"""Tests that await: with pytest-asyncio, with anyio on both loops, in unittest."""

from __future__ import annotations

import pytest
from fakes import ASYNCIO

ON_LOOPS = (*ASYNCIO, "-p", "anyio")
AWAITING = """
    import asyncio
    import unittest

    import pytest
    from pytest_trace import Trace, aevaluate, aevaluate_many, assert_adherent, assert_trace
    from traces import trace

    async def awaits(rag_judge):
        before = len(rag_judge.loops)
        evaluation = await aevaluate(trace())
        assert evaluation.judge == "awaited"
        assert assert_adherent(trace()) == evaluation
        assert assert_adherent(evaluation) is evaluation
        assert_trace(trace(), adherent=True, relevance=1.0)
        assert len(rag_judge.loops) - before <= 1  # another worker may have asked
        assert len(set(rag_judge.loops)) <= 1

    def test_sync(rag_judge):
        assert assert_adherent(trace("It is red, says the first.")).judge == "awaited"
        assert len(set(rag_judge.loops)) == 1

    @pytest.mark.asyncio
    async def test_asyncio(rag_judge):
        await awaits(rag_judge)

    @pytest.mark.asyncio
    async def test_another_loop(rag_judge):
        await asyncio.gather(*(awaits(rag_judge) for _ in range(9)))

    @pytest.mark.anyio
    async def test_anyio(rag_judge):
        await awaits(rag_judge)

    @pytest.mark.anyio
    async def test_many(rag_judge):
        traces = [trace(f"It is red, says witness {n}.") for n in range(9)]
        found = await aevaluate_many(traces, concurrency=3)
        assert [item.trace for item in found] == traces

    class TestUnit(unittest.IsolatedAsyncioTestCase):
        async def test_method(self):
            assert (await aevaluate(trace())).judge == "awaited"
"""


@pytest.fixture
def awaiting(project: pytest.Pytester) -> pytest.Pytester:
    """A project whose judge must be awaited."""
    project.makeini("[pytest]\nrag_judge = fakes:AwaitedFake\npythonpath = .\n")
    return project


def test_verdict_that_was_awaited_is_looked_up(awaiting: pytest.Pytester, run) -> None:
    """After `await aevaluate(trace)` an assertion on the trace, or on what it gave, asks nobody."""
    awaiting.makepyfile(AWAITING)
    run(*ON_LOOPS).assert_outcomes(passed=8)


def test_what_was_awaited_is_in_the_table(awaiting: pytest.Pytester) -> None:
    """Its rows stand in the order of the calls, each once, however their verdicts came in."""
    awaiting.makeconftest(
        """
        import asyncio, pytest
        from fakes import AwaitedFake

        class Turned(AwaitedFake):
            second = asyncio.Event()

            async def ajudge(self, sentences):
                is_second = "meteorite" in sentences.trace.response
                self.second.set() if is_second else await self.second.wait()
                return await super().ajudge(sentences)

        @pytest.fixture(scope="session")
        def rag_judge():
            return Turned()
        """
    )
    awaiting.makepyfile(
        """
        import asyncio, pytest
        from pytest_trace import aevaluate, assert_adherent
        from traces import trace

        @pytest.mark.asyncio
        async def test_it():
            traces = [trace(), trace("It is a meteorite.")]
            found = await asyncio.gather(*map(aevaluate, traces))
            assert_adherent(found[0])
            assert_adherent(traces[0])
        """
    )
    result = awaiting.runpytest(*ON_LOOPS)
    result.stdout.fnmatch_lines(
        [
            "…test_it                1.00  1.00  1.00  1.00       1.00  awaited",
            "…test_it                1.00  1.00  1.00  0.00       0.00  awaited",
            "mean of 2 traces        1.00  1.00  1.00  0.50       0.50  awaited",
            "traces with that score     2     2     2     2          2",
            "awaited: 2 traces, 2 calls, 0 cached, 0 refusals",
        ],
        consecutive=True,
    )


def test_what_outlives_its_test_is_in_no_table(awaiting: pytest.Pytester) -> None:
    """A task that a test leaves behind ends in peace when its verdict comes in."""
    awaiting.makepyfile(
        """
        import asyncio, pytest
        from pytest_trace import aevaluate
        from traces import trace

        left = []

        @pytest.mark.asyncio(loop_scope="module")
        async def test_leaving():
            left.append(asyncio.create_task(aevaluate(trace())))
            await asyncio.sleep(0)

        @pytest.mark.asyncio(loop_scope="module")
        async def test_after():
            assert (await left[0]).judge == "awaited"
        """
    )
    result = awaiting.runpytest(*ON_LOOPS)
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*mean of*")


def test_evaluation_of_elsewhere_is_asserted_on(project: pytest.Pytester) -> None:
    """What a fixture evaluated once is a row of each test that asserts on it."""
    project.makepyfile(
        """
        import pytest
        from pytest_trace import assert_adherent, evaluate
        from traces import trace

        @pytest.fixture(scope="module")
        def evaluation():
            return evaluate(trace("It is a meteorite."))

        def test_first(evaluation):
            with pytest.raises(AssertionError, match="^not adherent: 1 of 1 sentences lacks"):
                assert_adherent(evaluation)

        def test_second(evaluation):
            with pytest.raises(ValueError) as raised:
                assert_adherent(evaluation, judge="lexical")
            assert str(raised.value) == (
                "got judge= beside an evaluation, which fake has judged already; "
                "leave it out, or give the trace"
            )
            with pytest.raises(AssertionError, match="^not adherent: 1 of 1 sentences lacks"):
                assert_adherent(evaluation)
        """
    )
    result = project.runpytest()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["…test_first *", "…test_second *", "mean of 2 traces *"])


WAITS = (
    "await aevaluate(trace('unclear'))",
    "await asyncio.gather(aevaluate(trace('unclear')))",
    "await aevaluate_many([trace('unclear')])",
)


def test_judge_that_cannot_decide_is_an_error(project: pytest.Pytester, run) -> None:
    """The test is an error that shows its line and that of the judge, and nothing between."""
    tests = "".join(
        f"""
        @pytest.mark.asyncio
        async def test_{number}():
            {wait}
        """
        for number, wait in enumerate(WAITS)
    )
    imports = """
        import asyncio, pytest
        from pytest_trace import aevaluate, aevaluate_many
        from traces import trace
        """
    project.makepyfile(imports + tests)
    result = run(*ON_LOOPS)
    result.assert_outcomes(errors=3)
    text = result.stdout.str()
    shown = text[text.index("= ERRORS =") : text.index("= rag: TRACe scores =")]
    for wait in WAITS:
        assert f">       {wait}" in shown
    assert shown.count(">           raise JudgeError(") == 3
    assert not [each for each in ("pytest_trace/", "asyncio/", "concurrent/") if each in shown]


def test_error_of_one_task_is_an_error_of_the_test(project: pytest.Pytester) -> None:
    """A group of tasks that holds an error of the judge is one too, and no failure."""
    project.makepyfile(
        """
        import asyncio, pytest
        from pytest_trace import aevaluate
        from traces import trace

        @pytest.mark.asyncio
        async def test_it():
            async with asyncio.TaskGroup() as group:
                group.create_task(aevaluate(trace("unclear")))
        """
    )
    project.runpytest(*ON_LOOPS).assert_outcomes(errors=1)


def test_missing_key_skips_where_that_is_wanted(project: pytest.Pytester) -> None:
    """`rag_missing_judge = skip` skips a test that awaits, and one that asserts."""
    project.makepyfile(
        """
        import pytest
        from pytest_trace import aevaluate, aevaluate_many
        from traces import trace

        @pytest.mark.asyncio
        async def test_one():
            await aevaluate(trace())

        @pytest.mark.asyncio
        async def test_many():
            await aevaluate_many([trace(), trace("It is blue.")])
        """
    )
    result = project.runpytest(*ON_LOOPS, "--rag-judge=groq:some", "--rag-missing-judge=skip")
    result.assert_outcomes(skipped=2)


def test_fixture_of_a_judge_is_requested_once(project: pytest.Pytester) -> None:
    """Many that await together have one judge, which takes its time and holds nobody up."""
    project.makeconftest(
        """
        import time, pytest
        from fakes import FakeJudge

        made = []

        @pytest.fixture(scope="session")
        def rag_judge():
            time.sleep(0.4)
            made.append(FakeJudge("mine"))
            return made[-1]
        """
    )
    project.makepyfile(
        """
        import asyncio, pytest
        from conftest import made
        from loops import longest_gap
        from pytest_trace import aevaluate
        from traces import trace

        @pytest.mark.asyncio
        async def test_it():
            traces = [trace(f"It is red, says witness {n}.") for n in range(9)]
            gathered = asyncio.gather(*map(aevaluate, traces))
            found, gap = await longest_gap(gathered)
            assert {item.judge for item in found} == {"mine"}
            assert len(made) == 1
            assert gap < 0.2
        """
    )
    project.runpytest(*ON_LOOPS).assert_outcomes(passed=1)


def test_awaiting_makes_a_rag_test(project: pytest.Pytester) -> None:
    """`-m "not rag"` leaves out what awaits an evaluation."""
    project.makepyfile(
        """
        import pytest
        from pytest_trace import aevaluate
        from traces import trace

        @pytest.mark.asyncio
        async def test_it():
            await aevaluate(trace())

        @pytest.mark.asyncio
        async def test_import_inside():
            from pytest_trace import aevaluate_many
            await aevaluate_many([trace()])

        def test_other():
            pass
        """
    )
    project.runpytest(*ON_LOOPS, "-m", "not rag").assert_outcomes(passed=1, deselected=2)


def test_awaited_verdict_is_used_beside_deferred_ones(project: pytest.Pytester, run) -> None:
    """With verdicts beside the tests, one that was awaited is there for what follows."""
    project.makepyfile(
        """
        import pytest
        from pytest_trace import aevaluate, assert_adherent
        from traces import trace

        @pytest.mark.asyncio
        async def test_it(rag_judge):
            evaluation = await aevaluate(trace())
            assert assert_adherent(trace()) == evaluation
            with pytest.raises(AssertionError):
                assert_adherent(await aevaluate(trace("It is a meteorite.")))
            assert rag_judge.calls == 2

        @pytest.mark.asyncio
        async def test_failing():
            assert_adherent(await aevaluate(trace("A meteorite it is.")))
        """
    )
    run(*ON_LOOPS, "--rag-concurrency=4").assert_outcomes(passed=1, failed=1)
