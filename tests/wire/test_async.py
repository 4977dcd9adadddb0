"""Awaited evaluations over the real SDKs: nobody is held up, and what is given up is hung up."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter

import children
import pytest
from building import keyed
from fakes import FakeTest
from loops import longest_gap, on_both_loops
from storing import keys
from wire.server import Reply, answer_keyed, error

from pytest_trace.errors import BudgetExceeded
from pytest_trace.evaluation import Settings, aevaluate
from pytest_trace.judges import require_judge
from pytest_trace.judges.asking import ask_judge
from pytest_trace.judges.base import judge_identity
from pytest_trace.judges.stored import VerdictStore
from pytest_trace.llm.judge import LlmJudge
from pytest_trace.sentences import make_sentencizer
from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.folder import acquired_lock
from pytest_trace.store.key import verdict_key
from pytest_trace.store.run_state import RunLimits, RunState

SECONDS = 10.0
NEVER = Reply(trickle="body")
"""An answer without an end; its sender finds out when nobody listens."""


class StoringTest(FakeTest):
    """A running test with a store in front of its judge, as the plugin has it."""

    def __init__(self, judge, folder):
        super().__init__(Settings(judge=judge, sentencizer=make_sentencizer()))
        self.judge, self.folder = judge, folder
        self.store = VerdictStore(cache=VerdictCache(folder, say=pytest.fail))

    def ask(self, judge, sentences):
        return self.store.ask(judge, sentences, ask_judge).verdict

    def lock(self, sentences):
        """The lock file of a trace."""
        key = verdict_key(judge_identity(self.judge), sentences, vote=0)
        return self.folder / "locks" / f"{key}.lock"


@pytest.fixture
def begin(groq, monkeypatch, tmp_path):
    """Begin a test whose judge asks the server; keywords are those of the client."""
    monkeypatch.setattr("pytest_trace.running._sessions", [])
    begun = []

    def begin(**options):
        client = groq(**options)
        judge = require_judge(LlmJudge("groq", client, client.settings), "got")
        test = StoringTest(judge, tmp_path / "cache")
        test.start()
        begun.append(test)
        return test

    yield begin
    for test in begun:
        test.store.close()


def traces(count):
    """So many traces, each with a response of its own."""
    return [keyed([f"Answer {number}."]) for number in range(count)]


def slowly(body, seconds):
    """An answer that takes so long."""
    return Reply(answer_keyed(body).body, delay=seconds)


async def evaluated(count):
    """So many traces awaited together: evaluations and errors."""
    return await asyncio.gather(*map(aevaluate, traces(count)), return_exceptions=True)


def test_no_loop_is_held_up_by_a_server(begin, chat_server):
    """While twenty answers take a second, another task of the loop runs every few milliseconds."""
    begin()
    chat_server.answer(answer_keyed)
    asyncio.run(aevaluate(keyed(["Warm."])))  # SDKs are loaded once, and no server is to blame
    chat_server.answer(lambda body: slowly(body, 1.0))
    begun = time.monotonic()
    found, gap = asyncio.run(longest_gap(evaluated(20)))
    assert time.monotonic() - begun >= 1.0
    assert {item.judge for item in found} == {"groq:openai/gpt-oss-20b"}
    assert gap < 0.5


def test_no_loop_is_held_up_by_a_lock(begin, chat_server, tmp_path):
    """While another process asks for the same verdict, the loop runs on."""
    test, ready = begin(), tmp_path / "ready"
    chat_server.answer(answer_keyed)
    asyncio.run(aevaluate(keyed(["Warm."])))
    with children.running(children.hold_lock, test.lock(keyed()), ready, 1.0):
        children.wait_for(ready)
        found, gap = asyncio.run(longest_gap(aevaluate(keyed())))
    assert found.judge == "groq:openai/gpt-oss-20b"
    assert gap < 0.5


def test_calls_are_made_together(begin, chat_server):
    """Of fifty traces, 32 are asked about at once, and the others as soon as one is answered."""
    begin()
    lock, now, most = threading.Lock(), 0, 0
    together = threading.Event()

    def answer(body):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
            if now == 32:
                together.set()
        together.wait(SECONDS)
        chat_server.closing.wait(0.05)
        with lock:
            now -= 1
        return answer_keyed(body)

    chat_server.answer(answer)
    found = asyncio.run(evaluated(50))
    assert [item.trace.response for item in found] == [f"Answer {n}." for n in range(50)]
    assert most == 32


@on_both_loops
def test_client_outlives_the_loops_of_tests(run, begin, chat_server):
    """Tests with a loop each ask by one connection, and those without a loop by another."""
    test = begin()
    chat_server.answer(answer_keyed)

    async def awaited(number):
        return await aevaluate(keyed([f"Answer {number}."]))

    for number in range(3):
        assert run(awaited, number).scores.adherence == 1
        assert test.judge.judge(keyed([f"Sync {number}."])).support[0].supported
    awaited_by, called_by = set(chat_server.clients[::2]), set(chat_server.clients[1::2])
    assert len(chat_server.requests) == 6
    assert (len(awaited_by), len(called_by), len(awaited_by | called_by)) == (1, 1, 2)


@on_both_loops
@pytest.mark.parametrize("made", ["groq", "openai"])
def test_judge_may_be_awaited_by_itself(run, made, request, chat_server):
    """`ajudge` gives what `judge` gives, by either SDK."""
    client = request.getfixturevalue(made)()
    judge = LlmJudge("groq", client, client.settings)
    chat_server.answer(answer_keyed)
    assert run(judge.ajudge, keyed()) == judge.judge(keyed())


def test_giving_up_hangs_up(begin, chat_server, tmp_path):
    """A cancelled evaluation ends its request, leaves no lock and stores nothing; the next asks."""
    state = RunState(None, RunLimits(max_cost=1.0))
    test = begin(state=state)
    chat_server.answer(answer_keyed)
    asyncio.run(aevaluate(keyed(["Warm."])))
    chat_server.answer(lambda _: NEVER)

    async def give_up():
        async with asyncio.timeout(0.5):
            await aevaluate(keyed())

    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert time.monotonic() - begun < 5
    acquired_lock(test.lock(keyed()), SECONDS).release()
    assert len(chat_server.requests) == 2
    assert len(keys(tmp_path / "cache")) == 1
    assert len(test.kept) == 1
    assert chat_server.lost.wait(SECONDS)
    chat_server.answer(answer_keyed)
    assert asyncio.run(aevaluate(keyed())).scores.adherence == 1
    with state._file.edit() as data:
        assert data.in_flight_cost == 0


def test_giving_up_one_of_two_leaves_the_other(begin, chat_server):
    """Two coroutines share a call; when the one that made it is cancelled, the other makes it."""
    begin()
    chat_server.answer(lambda body: slowly(body, 60 if len(chat_server.requests) == 1 else 0))

    async def both():
        first = asyncio.create_task(aevaluate(keyed()))
        while not chat_server.requests:  # noqa: ASYNC110 - of another thread
            await asyncio.sleep(0.005)
        second = asyncio.create_task(aevaluate(keyed()))
        await asyncio.sleep(0.1)
        first.cancel()
        return await asyncio.gather(first, second, return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(first, asyncio.CancelledError)
    assert second.scores.adherence == 1
    assert len(chat_server.requests) == 2


def test_giving_up_a_lock(begin, chat_server, tmp_path):
    """Who waits for another process is free at once, and asks nobody when it would be its turn."""
    test, ready = begin(), tmp_path / "ready"
    chat_server.answer(answer_keyed)

    async def give_up():
        async with asyncio.timeout(0.2):
            await aevaluate(keyed())

    with children.running(children.hold_lock, test.lock(keyed()), ready, 60):
        children.wait_for(ready)
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            asyncio.run(give_up())
        assert time.monotonic() - begun < 5
        while any(thread.name == "rag-call" for thread in threading.enumerate()):
            assert time.monotonic() - begun < SECONDS
            time.sleep(0.005)
    assert chat_server.requests == []


def test_budget_holds_for_what_is_awaited(begin, chat_server):
    """Twenty that are awaited together make the seven calls they may."""
    begin(state=RunState(None, RunLimits(max_calls=7)))
    chat_server.answer(answer_keyed)
    kinds = Counter(type(item) for item in asyncio.run(evaluated(20)))
    assert kinds[BudgetExceeded] == 13
    assert len(chat_server.requests) == 7


def test_rate_limit_holds_for_what_is_awaited(begin, chat_server):
    """While one coroutine is told to wait, no other asks, and the loop runs on."""
    begin()
    chat_server.answer(answer_keyed)
    asyncio.run(aevaluate(keyed(["Warm."])))
    chat_server.script(error(429, headers={"retry-after-ms": "700"}))

    async def one_then_all():
        first = asyncio.create_task(aevaluate(keyed(["First."])))
        while len(chat_server.requests) < 2:  # noqa: ASYNC110 - of another thread
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.1)
        found, gap = await longest_gap(evaluated(8))
        return [await first, *found], gap

    found, gap = asyncio.run(one_then_all())
    assert {item.judge for item in found} == {"groq:openai/gpt-oss-20b"}
    assert min(chat_server.arrivals[2:]) >= chat_server.arrivals[1] + 0.7
    assert gap < 0.5
