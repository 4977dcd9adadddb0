"""The pool of calls beside the tests."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError

import pytest

from pytest_trace.plugin.deferral.pool import Pool


@pytest.fixture
def make_pool():
    """Make pools, and close them when the test is over."""
    pools = []

    def make(size=2, limit_seconds=60.0):
        pools.append(Pool(size, limit_seconds, lambda seconds: f"gave up after {seconds}"))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


class Gauge:
    """Jobs that run until they are let go, and how many run at once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.go = threading.Event()
        self.active = 0
        self.most = 0
        self.order = []

    def job(self, name):
        def run():
            with self.lock:
                self.order.append(name)
                self.active += 1
                self.most = max(self.most, self.active)
            self.go.wait(10)
            with self.lock:
                self.active -= 1
            return name

        return run

    def wait_for(self, active):
        until(lambda: self.active == active)


def until(condition):
    """Wait until a condition holds."""
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_so_many_run_at_once(make_pool):
    """All threads are used, and no more than those."""
    pool, gauge = make_pool(3), Gauge()
    futures = [pool.submit(name, gauge.job(name)) for name in range(8)]
    gauge.wait_for(3)
    time.sleep(0.02)
    assert gauge.most == 3
    gauge.go.set()
    assert [pool.wait(future) for future in futures] == list(range(8))
    assert gauge.order[3:] == sorted(gauge.order[3:])


def test_jobs_with_the_same_key_run_one_after_the_other(make_pool):
    """They leave the other threads to other jobs."""
    pool, gauge = make_pool(3), Gauge()
    same = [pool.submit("same", gauge.job(f"same{number}")) for number in range(3)]
    others = [pool.submit(name, gauge.job(name)) for name in ("a", "b")]
    gauge.wait_for(3)
    assert sorted(gauge.order) == ["a", "b", "same0"]
    gauge.go.set()
    assert [pool.wait(future) for future in (*same, *others)] == [
        *("same0", "same1", "same2", "a", "b")
    ]
    assert pool.wait(pool.submit("same", gauge.job("again"))) == "again"


def test_a_job_that_hangs_is_given_up(make_pool):
    """It gets its result when its time is over, and another thread does the rest."""
    pool, gauge = make_pool(1, limit_seconds=0.05), Gauge()
    hanging = pool.submit("hang", gauge.job("hang"))
    other = pool.submit("other", lambda: "done")
    assert pool.wait(hanging) == "gave up after 0.05"
    assert pool.wait(other) == "done"
    gauge.go.set()
    until(lambda: gauge.active == 0)
    assert hanging.result() == "gave up after 0.05"


def test_the_time_of_a_job_begins_with_it(make_pool):
    """Waiting for a thread does not count."""
    pool = make_pool(1, limit_seconds=0.5)
    slow = [pool.submit(number, lambda: time.sleep(0.2)) for number in range(5)]
    assert [pool.wait(future) for future in slow] == [None] * 5


def test_who_brings_too_much_waits(make_pool):
    """Only so many jobs stand in the queue; then bringing another waits for one to be done."""
    pool, gauge = make_pool(1), Gauge()
    brought = []

    def bring():
        for number in range(12):
            pool.submit(number, gauge.job(number))
            brought.append(number)

    thread = threading.Thread(target=bring, daemon=True)
    thread.start()
    until(lambda: len(brought) == 9)
    time.sleep(0.05)
    assert len(brought) == 9
    gauge.go.set()
    thread.join(10)
    assert len(brought) == 12


def test_closing_waits_for_nobody(make_pool):
    """What runs is left behind, what waits is not begun, and both are cancelled."""
    pool, gauge = make_pool(1), Gauge()
    futures = [pool.submit(key, gauge.job(key)) for key in ("a", "a", "b")]
    gauge.wait_for(1)
    pool.close()
    for future in futures:
        with pytest.raises(CancelledError):
            pool.wait(future)
    gauge.go.set()
    until(lambda: gauge.active == 0)
    assert gauge.order == ["a"]


def test_work_ahead_is_done_by_idle_threads(make_pool):
    """Jobs come first; the steps end with the one that says so."""
    pool, gauge = make_pool(2), Gauge()
    steps = iter([True, True, False])
    taken = []

    def step():
        taken.append(gauge.active)
        return next(steps)

    first = [pool.submit(name, gauge.job(name)) for name in ("a", "b")]
    gauge.wait_for(2)
    pool.work_ahead(step)
    time.sleep(0.02)
    assert taken == []
    gauge.go.set()
    until(lambda: len(taken) >= 3)
    assert [pool.wait(future) for future in first] == ["a", "b"]
    assert pool.wait(pool.submit("c", lambda: "c")) == "c"
