"""Where an assertion stands, and whether its failure could be caught there."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
import threading
import traceback

import pytest

from pytest_trace.plugin.deferral import frames


class Item:
    """As much of an item as is looked at."""

    def __init__(self, obj):
        self.obj = obj


def places(item):
    """Called where an assertion would be."""
    return frames.places_of_call(item)


def names(found):
    return None if found is None else [place.frame.f_code.co_name for place in found]


def run(function):
    """What a test function finds that returns what `places` gives."""
    item = Item(function)
    return function(item)


def helper(item):
    return places(item)


def in_try(item):
    try:
        return helper(item)
    finally:
        pass


def in_with(item):
    with contextlib.suppress(KeyError):
        return helper(item)


def in_thread(item):
    found = []
    thread = threading.Thread(target=lambda: found.append(helper(item)))
    thread.start()
    thread.join()
    return found[0]


def after_try(item):
    try:
        pass
    except KeyError:
        return None
    return helper(item)


def in_loop(item):
    for _ in range(2):
        found = helper(item)
    return found


def in_nested_with(item):
    with contextlib.nullcontext():
        pass
    return helper(item)


@pytest.mark.parametrize("function", [after_try, in_loop, in_nested_with, helper])
def test_a_failure_that_nothing_catches_may_come_later(function):
    """The places lead from the caller to the test function, whatever stood before."""
    assert names(run(function))[-1] == function.__name__


@pytest.mark.parametrize("function", [in_try, in_with])
def test_a_failure_that_something_may_catch_may_not(function):
    """`try` and `with` between assertion and test function are seen, in any frame."""
    assert run(function) is None


def test_a_call_from_elsewhere_may_not():
    """From a fixture or a thread there is no way to the test function."""
    assert places(Item(lambda: None)) is None
    assert run(in_thread) is None
    assert places(Item(None)) is None
    assert places(Item(functools.partial(helper))) is None


def catching(function):
    @functools.wraps(function)
    def wrapper(item):
        try:
            return function(item)
        except AssertionError:
            return None

    return wrapper


def passing(function):
    @functools.wraps(function)
    def wrapper(item):
        return function(item)

    return wrapper


def test_decorators_are_looked_through():
    """What a decorator catches is caught; one that catches nothing is in nobody's way."""
    assert run(catching(helper)) is None
    assert names(run(passing(helper))) == ["places", "helper", "wrapper"]


def test_hypothesis_sees_each_failure():
    """It looks for the smallest example by failing again and again."""

    def function(item):
        return helper(item)

    function.hypothesis = object()
    assert run(function) is None


async def coroutine(item):
    await asyncio.sleep(0)
    return helper(item)


async def coroutine_in_try(item):
    try:
        await asyncio.sleep(0)
        return helper(item)
    finally:
        await asyncio.sleep(0)


async def coroutine_in_with(item):
    async with asyncio.timeout(5):
        await asyncio.sleep(0)
        return helper(item)


def synchronized(function):
    """As plugins for asyncio do."""

    @functools.wraps(function)
    def wrapper(item):
        return asyncio.run(function(item))

    return wrapper


@pytest.mark.parametrize("wrapped", [False, True])
def test_coroutines(wrapped):
    """What runs a coroutine catches everything, and is no part of the test."""

    def found(function):
        outer = synchronized(function)
        return outer(Item(outer if wrapped else function))

    assert names(found(coroutine)) == ["places", "helper", "coroutine"]
    assert found(coroutine_in_try) is None
    assert found(coroutine_in_with) is None


def test_a_generator_is_no_obstacle():
    """A generator has a handler around its whole body, which catches nothing of ours."""

    def each(item):
        yield
        yield helper(item)

    def function(item):
        return list(each(item))[1]

    assert names(run(function)) == ["places", "helper", "each", "function"]


def test_the_traceback_is_that_of_a_failure_there():
    """It has the lines at which the frames stood, with what was raised below them."""

    def function(item):
        found = helper(item)
        item.line = sys._getframe().f_lineno
        return found

    item = Item(function)
    found = function(item)
    with pytest.raises(ValueError, match="below") as raised:
        int("below")
    made = frames.traceback_of(found, raised.tb)
    shown = [(frame.name, frame.lineno) for frame in traceback.extract_tb(made)]
    here = "test_the_traceback_is_that_of_a_failure_there"
    assert [name for name, _ in shown] == ["function", "helper", "places", here]
    assert shown[0][1] == item.line - 1
