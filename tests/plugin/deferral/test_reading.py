"""Whatever reads an evaluation waits for its verdict, and for no other."""

from __future__ import annotations

import pytest


def run(slow: pytest.Pytester, body: str) -> pytest.RunResult:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    slow.makepyfile(
        "import copy, pickle\n"
        "import pytest\n"
        "from pytest_trace import Evaluation, JudgeError, assert_adherent, evaluate\n"
        "from traces import trace\n"
        f"def test_it():\n{lines}\n"
    )
    return slow.runpytest("--rag-concurrency=4")


@pytest.mark.parametrize(
    "reading",
    [
        "evaluation.scores.adherence == 1.0",
        "evaluation.verdict.support[0].supported",
        "evaluation.support[0].is_supported",
        "evaluation.notes == ()",
        "not evaluation.refused",
        "evaluation == evaluate(trace())",
        "evaluate(trace()) == evaluation",
        "hash(evaluation) == hash(evaluate(trace()))",
        "pickle.loads(pickle.dumps(evaluation)) == evaluation",
        "copy.copy(evaluation) == evaluation",
        "Evaluation.loads(evaluation.dumps()) == evaluation",
        "(type(evaluation), evaluation.scores)[0] is not type(evaluation) is Evaluation",
        "evaluation.trace == trace() and evaluation.judge == 'fake'",
        "repr(evaluation) == \"<Evaluation of 'What colour is it?' by fake>\"",
        "not hasattr(evaluation, 'nothing')",
        "evaluation.evaluation_config is None",
    ],
)
def test_what_is_read_is_what_it_will_be(slow, reading) -> None:
    """The pending evaluation reads as the evaluation that it becomes."""
    result = run(slow, f"evaluation = assert_adherent(trace())\nassert {reading}")
    result.assert_outcomes(passed=1)


def test_what_the_trace_declares_is_read_at_once(slow) -> None:
    """How its documents were retrieved is known, or wrong, before the judge has answered."""
    result = run(
        slow,
        """
from dataclasses import replace
from pathlib import Path
from pytest_trace.errors import InvalidConfig
late = replace(
    trace(response="It takes forever."), metadata={"evaluation_config": {"chunk_size": 512}}
)
assert assert_adherent(late).evaluation_config.chunk_size == 512
with pytest.raises(InvalidConfig):
    assert_adherent(replace(late, metadata={"evaluation_config": 512}))
Path("go").touch()
""",
    )
    result.assert_outcomes(passed=1)


def test_only_its_own_verdict_is_waited_for(slow) -> None:
    """A reading comes back while another verdict of the same test is still under way."""
    result = run(
        slow,
        """
from pathlib import Path
assert_adherent(trace(response="It takes forever."))
assert assert_adherent(trace()).scores.adherence == 1.0
Path("go").touch()
""",
    )
    result.assert_outcomes(passed=1)


def test_scores_that_fail_can_be_read(slow) -> None:
    """The failure stays that of the assertion, and code behind it sees the scores."""
    result = run(
        slow,
        """
evaluation = assert_adherent(trace(response="A meteorite."))
print("adherence", evaluation.scores.adherence)
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">*assert_adherent(trace(*", "adherence 0.0"])


def test_a_judge_that_cannot_decide_is_told_to_the_reader(slow) -> None:
    """There is nothing to read then: the reader gets the judge's error."""
    result = run(
        slow,
        """
evaluation = assert_adherent(trace(response="It is unclear."))
with pytest.raises(JudgeError):
    evaluation.scores
""",
    )
    result.assert_outcomes(errors=1)


def test_the_same_trace_is_asked_once(slow) -> None:
    """However many assertions on it are under way, in however many tests."""
    slow.makepyfile(
        """
        import pytest
        from pytest_trace import assert_adherent, assert_relevance_above
        from traces import trace

        @pytest.mark.parametrize("number", range(12))
        def test_it(number):
            given = trace(question=f"Why {number % 3}?")
            assert_adherent(given)
            assert_relevance_above(given, 0.5)
        """
    )
    result = slow.runpytest("--rag-concurrency=4")
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines(["fake: 12 traces, 3 calls, 9 cached, 0 refusals"])
