"""The store among real processes: nothing is lost, and nothing is asked twice."""

from __future__ import annotations

import contextlib
import itertools
import random
import sqlite3
import time
from collections import Counter

import children
import pytest
from children import COSTLY
from storing import CostlyJudge, ask, database, decided, entry, keys, trace

from pytest_trace.judges.stored import Answer, Source, VerdictStore
from pytest_trace.store.cache import VerdictCache


@pytest.fixture
def folder(tmp_path):
    """The folder of the cache that the processes share."""
    return tmp_path / "cache"


@pytest.fixture
def calls(tmp_path):
    """The file that has a line for each call of a judge."""
    return tmp_path / "calls"


def stored(number):
    """What must be stored for a trace."""
    return entry(number, identity=COSTLY, given=decided(trace(number)))


@contextlib.contextmanager
def opened(folder):
    """A store of this process."""
    said = []
    store = VerdictStore(cache=VerdictCache(folder, say=said.append))
    yield store
    store.close()
    assert said == []


def test_many_writers_lose_nothing(folder):
    """Sixteen processes that open a new cache and write at once lose no verdict."""
    children.run_all(children.store_many, *((folder, part, 10) for part in range(16)))
    with opened(folder) as store:
        assert {store._cache.get(stored(n).key) for n in range(160)} == {
            stored(n) for n in range(160)
        }


def test_one_call_for_each_trace(folder, calls, tmp_path):
    """Eight processes that ask for the same five traces at once make five calls."""
    asked = [(folder, calls, range(5), 0.2, tmp_path / f"told-{n}") for n in range(8)]
    children.run_all(children.ask_for, *asked)
    assert Counter(CostlyJudge(calls).calls) == Counter(trace(n).trace.response for n in range(5))
    told = [(tmp_path / f"told-{n}").read_text().split() for n in range(8)]
    sources = Counter(source for lines in told for source in lines)
    assert sources == {"judge": 5, "cache": 35}


def test_processes_ask_for_different_traces_at_once(folder, calls):
    """Processes that ask for other traces do not wait for each other."""
    children.run_all(children.ask_together, *((folder, calls, n, 4) for n in range(4)))
    assert len(CostlyJudge(calls).calls) == 4


def test_killed_while_it_asks(folder, calls, tmp_path):
    """A process that is killed while it holds a trace's lock holds nobody up."""
    with children.running(children.ask_for, folder, calls, [1], 60.0, tmp_path / "told"):
        children.wait_for(calls)
        assert len(list((folder / "locks").iterdir())) == 1
        waiting = children.start(children.ask_for, folder, calls, [1], 0.0, tmp_path / "waiting")
        time.sleep(0.2)
        assert len(CostlyJudge(calls).calls) == 1
    waiting.join(5)
    assert waiting.exitcode == 0
    assert (tmp_path / "waiting").read_text() == "judge"
    assert len(CostlyJudge(calls).calls) == 2
    with opened(folder) as store:
        assert store.ask(CostlyJudge(calls), trace(1), ask) == Answer(stored(1), Source.CACHE)
    assert list((folder / "locks").iterdir()) == []


def test_failed_elsewhere(folder, calls, tmp_path):
    """A call that fails in one process is made again by the next that asks, one at a time."""
    children.run_all(
        children.fail_to_ask, *((folder, calls, 0.1, tmp_path / f"told-{n}") for n in range(4))
    )
    spans = sorted(
        tuple(map(float, (tmp_path / f"told-{n}").read_text().split())) for n in range(4)
    )
    assert len(CostlyJudge(calls).calls) == 4
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))


def test_killed_at_random_moments(folder, calls, tmp_path):
    """However often a run is killed, no stored verdict is asked for again, and none is wrong."""
    numbers = range(250)
    by_key = {stored(number).key: trace(number).trace.response for number in numbers}
    judge = CostlyJudge(calls)
    moments = random.Random(3)
    interrupted = 0
    for attempt in range(20):
        known = stored_responses(folder, by_key)
        before = len(judge.calls)
        told = tmp_path / f"told-{attempt}"
        with children.running(children.ask_for, folder, calls, numbers, 0.003, told) as process:
            children.wait_for(tmp_path / f"told-{attempt}.started")
            process.join(moments.uniform(0.0, 0.1))
            interrupted += process.is_alive()
        assert known.isdisjoint(judge.calls[before:])
    assert interrupted >= 15
    known, before = stored_responses(folder, by_key), len(judge.calls)
    assert 10 < len(known) <= before
    with opened(folder) as store:
        answers = [store.ask(judge, trace(number), ask) for number in numbers]
    assert [answer.entry for answer in answers] == [stored(number) for number in numbers]
    assert known.isdisjoint(judge.calls[before:])
    assert len(judge.calls) <= len(numbers) + interrupted
    with contextlib.closing(sqlite3.connect(database(folder))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def stored_responses(folder, by_key):
    """The responses on which a verdict is stored."""
    try:
        return {by_key[key] for key in keys(folder)}
    except sqlite3.OperationalError:  # killed before there was a table
        return set()
