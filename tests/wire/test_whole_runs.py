"""Whole pytest runs with an LLM judge: what is asked, stored, recorded, and asked no more."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import fakes
import groq  # noqa: F401 - loaded once, and not again by every inner pytest run
import pytest
from wire.server import ChatServer, Reply, answer_keyed, completion, error

import pytest_trace.judges.stored
import pytest_trace.llm.making
import pytest_trace.llm.reply  # noqa: F401

SUITE = """
    import pytest
    from pytest_trace import Trace, assert_adherent, assert_relevance_above

    def trace(n):
        return Trace(
            f"What is fact {n}?",
            [f"Fact {n} is that things fall. It is old.", "The weather is fine."],
            f"Fact {n} is that things fall.",
        )

    @pytest.mark.parametrize("again", range(2))
    @pytest.mark.parametrize("n", range(3))
    def test_fact(n, again):
        assert_adherent(trace(n))
        assert_relevance_above(trace(n), 0.3)
"""
MODEL = "openai/gpt-oss-20b"


def judge(body: dict) -> Reply:
    """Weather is irrelevant, meteorites are unsupported."""
    return answer_keyed(
        body,
        is_relevant=lambda text: "weather" not in text,
        is_supported=lambda text: "meteorite" not in text,
    )


@pytest.fixture
def run(
    pytester: pytest.Pytester, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Run the project against the scripted server."""
    monkeypatch.setenv("PYTHONPATH", str(Path(fakes.__file__).parent))
    monkeypatch.setenv(
        "PYTEST_ADDOPTS", "-p no:asyncio -p no:anyio -p no:random_order -p no:hypothesispytest"
    )
    chat_server.answer(judge)
    pytester.makeini(f"[pytest]\nrag_judge = groq:{MODEL}\nrag_base_url = {chat_server.base_url}\n")
    pytester.makepyfile(test_facts=SUITE)

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest(*arguments)

    return run


def calls_of(server: ChatServer) -> int:
    """How many requests came since the last time this was asked."""
    count = len(server.requests)
    server.requests.clear()
    return count


def test_forty_tests_over_ten_traces_make_ten_calls(run, chat_server, pytester) -> None:
    """On a cold cache four workers make one call a trace; on a warm one they make none."""
    big = SUITE.replace("range(2)", "range(4)").replace("range(3)", "range(10)")
    pytester.makepyfile(test_facts=big)
    run("-n", "4").assert_outcomes(passed=40)
    assert calls_of(chat_server) == 10
    result = run("-n", "4")
    result.assert_outcomes(passed=40)
    assert calls_of(chat_server) == 0
    result.stdout.fnmatch_lines([f"groq:{MODEL}: 40 traces, 0 calls, 40 cached, 0 refusals"])


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        ([f"--rag-judge=groq:{MODEL.replace('20b', '120b')}"], 3),
        (["--rag-temperature=0.5"], 3),
        (["--rag-base-url={base_url}/elsewhere"], 3),
        (["--rag-reasoning-effort=low"], 3),
        (["--rag-marks=strict", "--rag-formula=ragbench", "--rag-length=token"], 0),
        (["--rag-refresh"], 3),
        (["--rag-refresh", "-n", "2"], 3),
        (["--rag-no-cache"], 3),
        ([], 0),
    ],
)
def test_what_could_change_a_verdict_asks_again(run, chat_server, arguments, calls) -> None:
    """Model, temperature, base URL and effort do; thresholds, marks, formula and length do not."""
    run().assert_outcomes(passed=6)
    assert calls_of(chat_server) == 3
    run(*(item.format(base_url=chat_server.base_url) for item in arguments))
    assert calls_of(chat_server) == calls


@pytest.mark.parametrize(
    ("old", "new", "calls"),
    [
        ("0.3", "0.4", 0),
        ("test_fact", "test_renamed", 0),
        ("It is old.", "It is new.", 3),
        ("What is fact", "Which is fact", 3),
        ('f"Fact {n} is that things fall.",', 'f"Fact {n}: things fall.",', 3),
    ],
)
def test_only_what_a_judge_sees_is_in_the_key(run, chat_server, pytester, old, new, calls) -> None:
    """A threshold or a name of a test changes nothing; any sentence does."""
    run().assert_outcomes(passed=6)
    calls_of(chat_server)
    assert old in SUITE
    pytester.makepyfile(test_facts=SUITE.replace(old, new))
    run().assert_outcomes(passed=6)
    assert calls_of(chat_server) == calls


def test_a_recording_needs_no_key_and_no_server(run, chat_server, pytester, monkeypatch) -> None:
    """What --rag-record wrote is all that --rag-offline needs; two runs write the same bytes."""
    run("--rag-record", "-n", "2").assert_outcomes(passed=6)
    recording = pytester.path / "rag_verdicts.jsonl"
    first = recording.read_bytes()
    run("--rag-record", "--rag-refresh").assert_outcomes(passed=6)
    assert recording.read_bytes() == first
    calls_of(chat_server)
    monkeypatch.delenv("GROQ_API_KEY")
    result = run("--rag-offline", "--rag-no-cache", "-n", "2")
    result.assert_outcomes(passed=6)
    assert calls_of(chat_server) == 0
    result.stdout.fnmatch_lines(
        ["rag: judge groq:* (from rag_judge), recording rag_verdicts.jsonl, offline, no cache"]
    )
    line = json.loads(first.splitlines()[1])
    assert len(line["tests"]) == 2
    assert list(line)[:2] == ["key", "tests"]


def test_offline_an_unknown_trace_is_an_error_with_the_difference(run, pytester) -> None:
    """The error names the command that records it, and what changed since it was recorded."""
    run("--rag-record").assert_outcomes(passed=6)
    pytester.makepyfile(test_facts=SUITE.replace('things fall.",', 'things rise.",'))
    result = run("--rag-offline", "--rag-no-cache", "-k", "test_fact and 2-0")
    result.assert_outcomes(errors=1, deselected=5)
    result.stdout.fnmatch_lines(
        [
            "*NotRecorded: offline, and no verdict is recorded for this trace*pytest --rag-record",
            '*recorded response "Fact 2 is that things fall."',
            '*response now      "Fact 2 is that things rise."',
            '*first change      "fall." -> "rise."',
        ]
    )


def test_the_recording_follows_the_suite(run, pytester) -> None:
    """A test that is gone leaves its line after a whole run, and not after a selection."""
    run("--rag-record").assert_outcomes(passed=6)
    recording = pytester.path / "rag_verdicts.jsonl"
    assert len(recording.read_text().splitlines()) == 4
    pytester.makepyfile(test_facts=SUITE.replace("range(3)", "range(2)"))
    run("--rag-record", "-k", "0-0")
    assert len(recording.read_text().splitlines()) == 4
    run("--rag-record", "test_facts.py::test_fact")
    assert len(recording.read_text().splitlines()) == 4
    run("--rag-record", "-n", "2")
    assert len(recording.read_text().splitlines()) == 3


def test_a_damaged_recording_is_named_and_kept(run, pytester) -> None:
    """The line is named, the tests are errors, and recording again does not overwrite it."""
    recording = pytester.path / "rag_verdicts.jsonl"
    recording.write_text('{"rag_verdicts": 1}\n<<<<<<< HEAD\n')
    result = run("--rag-record", "-k", "0-0")
    result.assert_outcomes(errors=1, deselected=5)
    result.stdout.fnmatch_lines(
        [
            "*JudgeError: rag_verdicts.jsonl:2 is a merge conflict*",
            "nothing was recorded: rag_verdicts.jsonl:2 is a merge conflict*",
        ]
    )
    assert recording.read_text() == '{"rag_verdicts": 1}\n<<<<<<< HEAD\n'


@pytest.mark.parametrize("policy", ["fail", "skip"])
def test_without_a_key_the_three_ways_out_are_named(
    run, chat_server, pytester, monkeypatch, policy
) -> None:
    """What is stored passes; what is not is an error, or a skip that the summary counts loudly."""
    run("-k", "2-0").assert_outcomes(passed=1, deselected=5)
    monkeypatch.delenv("GROQ_API_KEY")
    result = run("-rs", f"--rag-missing-judge={policy}", "-n", "2")
    shown = result.stdout.str()
    assert "GROQ_API_KEY" in shown
    if policy == "fail":
        result.assert_outcomes(passed=2, errors=4)
        assert "4 tests with a judge that could not decide:" in shown
    else:
        result.assert_outcomes(passed=2, skipped=4)
        assert "4 RAG tests SKIPPED: the judge needs a key and there is none" in shown
    assert calls_of(chat_server) == 1


def test_a_hallucination_is_shown_with_the_judges_reason(run, pytester) -> None:
    """The failure text is that of any judge."""
    pytester.makepyfile(
        test_facts="""
        from pytest_trace import Trace, assert_adherent

        def test_it():
            assert_adherent(Trace("Q?", ["It is red."], "It is red. A meteorite fell."))
        """
    )
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"E*AssertionError: not adherent: 1 of 2 sentences lacks support*groq:{MODEL})",
            'E*resp_s1 "A meteorite fell."',
            "E*reason  Scripted.",
        ]
    )


def test_budgets_stop_asking_for_all_workers_together(run, chat_server) -> None:
    """`--rag-max-calls` counts the run, not the worker, and names itself."""
    result = run("-n", "2", "--rag-max-calls=2")
    assert calls_of(chat_server) == 2
    assert "--rag-max-calls" in result.stdout.str()
    result.assert_outcomes(passed=4, errors=2)


def test_the_summary_accounts_for_the_run(run) -> None:
    """Requests, tokens, seconds and cost stand under the table; cached verdicts cost nothing."""
    result = run()
    result.stdout.re_match_lines(
        [
            r"3 requests: [\d,]+ prompt tokens \(0 cached\), 120 completion tokens .*",
            r".*\$0\.\d{4}",
        ]
    )
    assert "requests" not in run().stdout.str()


def test_votes_are_stored_one_by_one(run, chat_server) -> None:
    """Three votes are asked until nothing can change, and a rerun makes no call."""
    flags = ("--rag-votes=3", "--rag-temperature=0.7")
    run(*flags).assert_outcomes(passed=6)
    assert calls_of(chat_server) == 6  # two equal votes of three decide
    run(*flags).assert_outcomes(passed=6)
    assert calls_of(chat_server) == 0


def test_votes_at_temperature_zero_are_a_usage_error(run) -> None:
    """A judge that only repeats itself is not asked three times."""
    result = run("--rag-votes=3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "rag_temperature is 0" in result.stderr.str()


def test_failures_are_not_stored(run, chat_server) -> None:
    """A judge that failed is asked again in the next run, and only for what failed."""
    chat_server.script(error(401, "bad key"))
    run("-k", "2-0").assert_outcomes(errors=1, deselected=5)
    calls_of(chat_server)
    run("-k", "2-0").assert_outcomes(passed=1, deselected=5)
    assert calls_of(chat_server) == 1


def test_a_budget_stops_no_verdict_in_the_middle(run, chat_server) -> None:
    """A reply that cannot be used is asked for again, although the budget is spent."""
    chat_server.script(completion("no verdict"))
    run("--rag-max-calls=1", "-k", "2-0").assert_outcomes(passed=1, deselected=5)
    assert calls_of(chat_server) == 2


def test_agreement_of_votes_is_in_the_table_and_the_failure(run, chat_server, pytester) -> None:
    """Votes that differ are told: a column of the table, and a line of the failure."""
    votes = iter([True, False, False])

    def answer(body: dict) -> Reply:
        vote = next(votes)
        return answer_keyed(body, is_supported=lambda _: vote)

    chat_server.answer(answer)
    result = run("--rag-votes=3", "--rag-temperature=0.7", "-k", "2-0")
    result.assert_outcomes(failed=1, deselected=5)
    result.stdout.fnmatch_lines(
        [
            "E*votes * 3; at least 0.67 of them agree on each sentence",
            "test * R * T * C * A * support * agree * judge",
            "*test_fact?2-0? * 0.00 * 0.00 * 0.67 *",
        ]
    )


def test_another_sentencizer_asks_again(run, chat_server, pytester) -> None:
    """How a trace is split is part of the key."""
    run("-k", "2-0").assert_outcomes(passed=1, deselected=5)
    assert calls_of(chat_server) == 1
    pytester.makeconftest(
        """
        import pytest

        class Whole:
            version = "whole/1"
            def split(self, text):
                return [text]

        @pytest.fixture
        def rag_sentencizer():
            return Whole()
        """
    )
    run("-k", "2-0").assert_outcomes(passed=1, deselected=5)
    assert calls_of(chat_server) == 1


@pytest.mark.parametrize(
    "broken", ["import nothing_of_that_name\n", "import pytest\npytest.importorskip('no_such')\n"]
)
def test_a_module_that_is_not_collected_keeps_its_lines(run, pytester, broken) -> None:
    """A collection error, or a module that skips itself, is no sign that its tests are gone."""
    run("--rag-record").assert_outcomes(passed=6)
    recording = pytester.path / "rag_verdicts.jsonl"
    before = recording.read_bytes()
    pytester.makepyfile(test_facts=broken + dedent(SUITE), test_other="def test_it(): pass")
    run("--rag-record")
    assert recording.read_bytes() == before


def test_a_free_judge_has_nothing_to_record(run, pytester) -> None:
    """The run says that nothing was recorded, and writes no file."""
    result = run("--rag-record", "--rag-judge=lexical")
    assert "nothing was recorded: no test used a judge whose verdicts are stored" in (
        " ".join(line.strip() for line in result.stdout.lines)
    )
    assert not (pytester.path / "rag_verdicts.jsonl").exists()
