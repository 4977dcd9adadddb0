"""Rate limits, outages and budgets hold for all threads and processes of a run together."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from tenacity import wait_fixed
from wire.server import Reply, completion, error
from wire.workers import Workers, outcome

from pytest_trace.store.run_state import RunLimits, RunState

DROPPED = Reply(drop=True)


@pytest.fixture
def steady(monkeypatch):
    """Pauses between attempts, as short as they can be without being one blip."""
    monkeypatch.setattr("pytest_trace.llm.retry._BACKOFF", wait_fixed(0.45))


@pytest.fixture
def meet_limit(groq, chat_server):
    """Let one client meet a rate limit of so many milliseconds; gives the time it was told."""

    def meet_limit(state, milliseconds):
        chat_server.script(error(429, headers={"retry-after-ms": str(milliseconds)}))
        thread = threading.Thread(target=outcome, args=(groq(state=state),))
        thread.start()
        while not state.seconds_to_wait(chat_server.base_url):
            time.sleep(0.001)
        return thread, chat_server.arrivals[0]

    return meet_limit


def in_threads(client, count):
    """What came of so many calls at once."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda _: outcome(client), range(count)))


def test_threads_wait_for_a_rate_limit_that_one_learned(groq, chat_server, state, meet_limit):
    """While one thread is told to wait, no other asks."""
    thread, begun = meet_limit(state, 500)
    assert in_threads(groq(), 8) == ["reply"] * 8
    thread.join()
    assert len(chat_server.arrivals) == 10
    assert min(chat_server.arrivals[1:]) >= begun + 0.5


def test_processes_wait_for_a_rate_limit_that_one_learned(chat_server, tmp_path, meet_limit):
    """While one process is told to wait, no other asks."""
    workers = Workers(tmp_path, chat_server.base_url, count=4, calls=2)
    thread, begun = meet_limit(RunState(tmp_path), 700)
    assert workers.go() == ["reply"] * 8
    thread.join()
    assert len(chat_server.arrivals) == 10
    assert min(chat_server.arrivals[1:]) >= begun + 0.7


def test_rate_limit_is_of_one_server(groq, state):
    """Another server is asked at once."""
    state.postpone("http://127.0.0.1:1", 60)
    begun = time.monotonic()
    assert outcome(groq()) == "reply"
    assert time.monotonic() - begun < 5


def test_third_failed_connection_ends_asking(groq, chat_server, steady):
    """Three requests find nobody, and nothing is asked after that: one message for all."""
    chat_server.answer(lambda _: DROPPED)
    client = groq()
    messages = {outcome(client) for _ in range(5)}
    assert len(chat_server.requests) == 3
    (message,) = messages
    assert message.startswith("JudgeUnavailable: http://127.0.0.1:")
    assert "could not be reached 3 times in a row (Server disconnected" in message
    assert "so this run asks it no more; check the network, a proxy and rag_base_url" in message


def test_refused_connections_end_asking(groq, chat_server, steady):
    """A port that nobody listens on is found out in seconds, not in timeouts."""
    chat_server.close()
    begun = time.monotonic()
    messages = {outcome(groq()) for _ in range(3)}
    assert time.monotonic() - begun < 6
    (message,) = messages
    assert "Connection refused" in message


def test_third_timeout_ends_asking(groq, chat_server):
    """A server that hangs costs three deadlines, not one for each trace."""
    client = groq(timeout_seconds=0.4)
    assert outcome(groq()) == "reply"  # the SDK is loaded, and takes no time of what is measured
    chat_server.answer(lambda _: Reply(delay=60))
    kinds = [outcome(client).split(":")[0] for _ in range(5)]
    assert kinds == ["JudgeTimeout"] * 3 + ["JudgeUnavailable"] * 2
    assert len(chat_server.requests) == 4


def test_little_time_left_proves_no_outage(groq, chat_server):
    """A request at the end of a long trace that is not answered is no failed connection."""
    wait = error(429, headers={"retry-after-ms": "350"})
    client = groq(timeout_seconds=0.6)
    assert outcome(groq()) == "reply"
    chat_server.requests.clear()
    chat_server.answer(lambda _: wait if len(chat_server.requests) % 2 else Reply(delay=60))
    for _ in range(3):
        assert outcome(client).startswith("JudgeTimeout")
    chat_server.answer(lambda _: completion())
    assert outcome(groq()) == "reply"


def test_blip_does_not_end_a_run(groq, chat_server):
    """Many threads that meet the same short outage count it once, and ask again."""
    chat_server.script(*[DROPPED] * 8)
    assert in_threads(groq(), 8) == ["reply"] * 8


def test_processes_share_an_outage(chat_server, tmp_path):
    """With four processes a dead server is asked a few times, and all say the same."""
    chat_server.answer(lambda _: DROPPED)
    outcomes = Workers(tmp_path, chat_server.base_url, count=4, calls=10).go()
    assert len(outcomes) == 40
    assert len(set(outcomes)) == 1
    assert len(chat_server.requests) <= 12


def test_processes_share_the_budget_of_calls(chat_server, tmp_path):
    """Four processes that want twenty calls make the seven they may, and are told of the limit."""
    chat_server.answer(lambda _: Reply(completion().body, delay=0.02))
    outcomes = Workers(tmp_path, chat_server.base_url, count=4, calls=5, max_calls=7).go()
    kinds = Counter(each.split(":")[0] for each in outcomes)
    assert kinds == {"reply": 7, "BudgetExceeded": 13}
    assert len(chat_server.requests) == 7
    refused = next(each for each in outcomes if each != "reply")
    assert "--rag-max-calls: this run may make 7 calls and has made them" in refused
    assert RunState(tmp_path).totals().calls == 7


def test_threads_share_the_budget_of_dollars(groq, chat_server):
    """The limit is used to the last call that fits, and never exceeded."""
    chat_server.answer(lambda _: Reply(completion().body, delay=0.01))
    state = RunState(None, RunLimits(max_cost=0.00035))
    outcomes = in_threads(groq(state=state), 32)
    # 100 and 10 tokens cost $0.0000105; 500 tokens are what a call may take.
    assert 18 <= len(chat_server.requests) <= 19
    assert outcomes.count("reply") == len(chat_server.requests)
    assert state.totals().cost == pytest.approx(0.0000105 * len(chat_server.requests))
    assert "--rag-max-cost: the next call may cost up to $0.0002" in "".join(outcomes)


def test_budget_of_dollars_needs_a_price(openai, chat_server):
    """Where nobody knows the price, a limit of cost is refused, not ignored."""
    client = openai(state=RunState(None, RunLimits(max_cost=5.0)))
    assert "BudgetExceeded: --rag-max-cost: the price of this model is unknown" in outcome(client)
    assert chat_server.requests == []


def test_totals_of_a_run(groq, openai, chat_server, state):
    """Tokens, seconds and dollars add up; one call without a price makes the cost unknown."""
    chat_server.answer(lambda _: completion(prompt=1000, cached=400, completion=200, reasoning=50))
    for _ in range(2):
        outcome(groq("openai/gpt-oss-120b"))
    totals = state.totals()
    assert (totals.calls, totals.prompt_tokens, totals.cached_tokens) == (2, 2000, 800)
    assert (totals.completion_tokens, totals.reasoning_tokens) == (400, 100)
    assert 0 < totals.seconds < 5
    assert totals.cost == pytest.approx(2 * (600 * 0.15 + 400 * 0.075 + 200 * 0.60) / 1e6)
    outcome(openai())
    assert state.totals().cost is None
