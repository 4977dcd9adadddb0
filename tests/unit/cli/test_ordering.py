"""Results come in the order of the items, and no more than a window is under way."""

from __future__ import annotations

import itertools
import threading
import time

import pytest

from pytest_trace.cli.ordering import in_order


@pytest.mark.parametrize("width", [1, 2, 7])
def test_order(width):
    """Whatever takes longer keeps its place."""

    def work(number):
        time.sleep(0.002 * (number % 3))
        return number * number

    assert list(in_order(work, range(40), width=width)) == [n * n for n in range(40)]


def test_nothing_to_do():
    """No items, no results, and nobody waits."""
    assert list(in_order(str, [], width=3)) == []


def test_as_many_at_once_as_wanted():
    """Each of so many is begun while the others are under way, and never one more."""
    together = threading.Barrier(4, timeout=10)
    now, most, lock = 0, 0, threading.Lock()

    def work(number):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        together.wait()
        with lock:
            now -= 1
        return number

    assert list(in_order(work, range(8), width=4)) == list(range(8))
    assert most == 4


def test_items_are_taken_as_they_are_needed():
    """While the first is under way, no more than the window is taken, whatever is done already."""
    taken, first = [], threading.Event()

    def items():
        for number in range(1000):
            taken.append(number)
            yield number

    def work(number):
        if number == 0:
            assert first.wait(10)
        return number

    results = in_order(work, items(), width=3, window=12)
    threading.Timer(0.2, first.set).start()
    assert next(results) == 0
    assert len(taken) == 12
    assert list(results) == list(range(1, 1000))


@pytest.mark.parametrize("width", [1, 3])
def test_error_is_raised_in_its_place(width):
    """What stands before it is given, and nobody waits for ever."""
    results = in_order(lambda number: 1 // (3 - number), range(10), width=width)
    assert [next(results) for _ in range(3)] == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_who_stops_leaves_no_thread():
    """However many items there are: each thread ends with what it does."""
    before = threading.active_count()
    results = in_order(str, itertools.count(), width=4)
    assert [next(results) for _ in range(5)] == list("01234")
    results.close()
    end = time.monotonic() + 10
    while threading.active_count() > before:
        assert time.monotonic() < end
        time.sleep(0.001)
