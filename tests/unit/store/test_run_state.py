"""What the threads and processes of one run share."""

from __future__ import annotations

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor

import children
import pytest
from counting import count_calls

from pytest_trace.errors import BudgetExceeded
from pytest_trace.llm.client import Usage
from pytest_trace.store.run_state import RunLimits, RunState

SERVER = "https://server"
USAGE = Usage(
    prompt_tokens=10, cached_tokens=4, completion_tokens=3, reasoning_tokens=2, seconds=0.5
)


@pytest.fixture(params=["folder", "memory"])
def make_state(request, tmp_path):
    """Make a state of the same run; whoever says something fails the test."""
    one = []

    def make(**limits):
        if request.param == "folder":
            return RunState(tmp_path / "run", RunLimits(**limits), say=pytest.fail)
        one.append(one[0] if one else RunState(None, RunLimits(**limits), say=pytest.fail))
        return one[0]

    return make


def test_totals_add_up(make_state):
    """Calls, tokens of each kind, seconds and dollars are sums; notes are kept once."""
    for _ in range(2):
        state = make_state()
        state.begin_call()
        state.end_call(USAGE, 0.1)
        state.note("Once.")
    totals = make_state().totals()
    assert (totals.calls, totals.prompt_tokens, totals.cached_tokens) == (2, 20, 8)
    assert (totals.completion_tokens, totals.reasoning_tokens, totals.seconds) == (6, 4, 1.0)
    assert totals.cost == 0.2
    assert totals.notes == ("Once.",)


def test_new_run_has_taken_nothing(make_state):
    """A run that asked nobody cost nothing, and that is known."""
    totals = make_state().totals()
    assert (totals.calls, totals.cost, totals.notes) == (0, 0.0, ())


def test_unknown_cost_is_unknown(make_state):
    """One call without a price makes the sum unknown, not smaller."""
    state = make_state()
    for cost in (0.1, None):
        state.begin_call(0.1)
        state.end_call(USAGE, cost, most=0.1)
    assert state.totals().cost is None


def test_calls_are_limited(make_state):
    """The call after the last allowed one is refused, and is not counted."""
    state = make_state(max_calls=2)
    state.begin_call()
    state.begin_call()
    for _ in range(2):
        with pytest.raises(BudgetExceeded, match=r"^--rag-max-calls: this run may make 2 calls"):
            state.begin_call()
    assert state.totals().calls == 2


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_threads_never_exceed_the_calls(make_state, limit):
    """However many threads ask at once, exactly the limit is let through."""
    state = make_state(max_calls=limit)

    def begin(_):
        try:
            state.begin_call()
        except BudgetExceeded:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(begin, range(24))) == limit


def test_cost_is_limited_by_what_a_call_may_cost(make_state):
    """A call that could exceed the limit is refused before it is made."""
    state = make_state(max_cost=1.0)
    state.begin_call(0.6)
    state.end_call(USAGE, 0.5, most=0.6)
    with pytest.raises(BudgetExceeded) as raised:
        state.begin_call(0.6, can_wait=True)
    assert str(raised.value).startswith(
        "--rag-max-cost: the next call may cost up to $0.6000, and $0.5000 of $1.0000 are spent"
    )
    state.begin_call(0.5)


def test_call_may_wait_for_what_others_may_cost(make_state):
    """Where calls under way might use the rest up, the next one may begin when they have ended."""
    state = make_state(max_cost=1.0)
    assert state.begin_call(0.6)
    assert not state.begin_call(0.6, can_wait=True)
    assert state.totals().calls == 1
    state.end_call(USAGE, 0.1, most=0.6)
    assert state.begin_call(0.6, can_wait=True)
    assert state.totals().calls == 2


def test_call_that_cannot_wait_is_refused(make_state):
    """A call under way that does not end is not waited for where there is no time."""
    state = make_state(max_cost=1.0)
    state.begin_call(0.6)
    with pytest.raises(BudgetExceeded, match="--rag-max-cost"):
        state.begin_call(0.6)


def test_unpriced_reply_counts_at_its_most(make_state):
    """What cannot be priced is taken for as dear as it could be."""
    state = make_state(max_cost=1.0)
    state.begin_call(0.6)
    state.end_call(USAGE, None, most=0.6)
    with pytest.raises(BudgetExceeded):
        state.begin_call(0.6)


def test_unknown_price_and_a_limit(make_state):
    """A limit that cannot be kept is refused, with the one that can."""
    with pytest.raises(BudgetExceeded, match=r"price of this model is unknown.*--rag-max-calls"):
        make_state(max_cost=1.0).begin_call(None)


def test_unlimited_run_takes_calls_without_a_price(make_state):
    """Without a limit of cost an unknown price matters to nobody."""
    state = make_state()
    state.begin_call(None)
    assert state.totals().calls == 1


def test_pause_of_a_server(make_state):
    """The longest pause holds, for its server only, and it ends."""
    make_state().postpone(SERVER, 0.2)
    state = make_state()
    state.postpone(SERVER, 0.05)
    assert 0.1 < state.seconds_to_wait(SERVER) <= 0.2
    assert state.seconds_to_wait("https://other") == 0
    time.sleep(0.21)
    assert state.seconds_to_wait(SERVER) == 0


def test_three_failures_in_a_row_are_an_outage(make_state):
    """An outage lasts for the run, and its reason stays; other servers have none."""
    for reason in ("first", "second", "third", "fourth"):
        make_state().connection_failed(SERVER, reason, is_timeout=True)
    state = make_state()
    state.connection_worked(SERVER)
    assert state.outage(SERVER) == "third"
    assert state.outage("https://other") == ""


def test_answer_between_failures_is_no_outage(make_state):
    """Failures count in a row only."""
    state = make_state()
    for _ in range(4):
        state.connection_failed(SERVER, "no", is_timeout=True)
        state.connection_failed(SERVER, "no", is_timeout=True)
        state.connection_worked(SERVER)
    assert state.outage(SERVER) == ""


def test_failures_at_once_are_one(make_state):
    """Threads that meet the same blip do not end the run."""
    state = make_state()
    for _ in range(9):
        state.connection_failed(SERVER, "no")
    assert state.outage(SERVER) == ""


def test_processes_lose_nothing(tmp_path):
    """Four processes that count at once are all counted."""
    children.run_all(count_calls, *[(tmp_path, 50)] * 4)
    totals = RunState(tmp_path, say=pytest.fail).totals()
    assert (totals.calls, totals.prompt_tokens, totals.cost) == (200, 200, 0.2)


def test_killed_process_leaves_a_whole_file(tmp_path):
    """Killed at any moment, a process holds no lock and leaves nothing damaged."""
    counted = 0
    for _ in range(8):
        with children.running(count_calls, tmp_path, 10**6):
            while RunState(tmp_path, say=pytest.fail).totals().calls <= counted:
                time.sleep(0.001)
            time.sleep(random.uniform(0, 0.02))
        counted = RunState(tmp_path, say=pytest.fail).totals().calls
    assert counted >= 8


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"calls": "1"}', b'{"calls": true}'],
)
def test_damaged_file_is_started_anew(tmp_path, content):
    """What is no state is replaced, and that is said once."""
    said = []
    state = RunState(tmp_path, say=said.append)
    state.begin_call()
    (tmp_path / "run_state.json").write_bytes(content)
    for _ in range(2):
        state.begin_call()
    (message,) = said
    assert message.startswith(f"the counts of this run start anew: {tmp_path}")
    assert state.totals().calls == 2


@pytest.mark.parametrize(
    ("path", "value"),
    [(("servers", SERVER, "not_before"), "x"), (("servers", SERVER), []), (("notes",), {})],
)
def test_damage_inside_is_seen(tmp_path, path, value):
    """A value of another type is damage wherever it stands."""
    said = []
    state = RunState(tmp_path, say=said.append)
    state.postpone(SERVER, 1)
    file = tmp_path / "run_state.json"
    data = json.loads(file.read_bytes())
    inner = data
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    file.write_text(json.dumps(data))
    assert state.totals().calls == 0
    assert len(said) == 1


@pytest.mark.parametrize("in_the_way", ["run_state.json", "run_state.new", "run_state.lock", ""])
def test_folder_that_cannot_be_used(tmp_path, in_the_way):
    """The run goes on with limits of its own process, and says so once."""
    folder = tmp_path / "run"
    if in_the_way:
        (folder / in_the_way).mkdir(parents=True)
    else:
        folder.write_text("no folder")
    said = []
    state = RunState(folder, RunLimits(max_calls=1), say=said.append)
    state.begin_call()
    with pytest.raises(BudgetExceeded):
        state.begin_call()
    (message,) = said
    assert "cannot be used" in message
    assert "limits of calls, cost and rate now hold for each process by itself" in message
