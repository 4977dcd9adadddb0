"""Coroutines that wait in their thread."""

from __future__ import annotations

import asyncio

import pytest

from pytest_trace.concurrency.blocking import run_blocking


async def seven():
    return 7


async def fail():
    raise ZeroDivisionError


async def both():
    with pytest.raises(ZeroDivisionError):
        await fail()
    return await seven()


def test_result_and_error_come_through():
    """What the coroutine returns or raises is what the caller gets, with no loop anywhere."""
    assert run_blocking(both()) == 7
    with pytest.raises(ZeroDivisionError):
        run_blocking(fail())


def test_coroutine_that_waits_is_a_mistake():
    """What would wait for a loop is closed, and the error says so."""
    left = []

    async def wait():
        try:
            await asyncio.sleep(0)
        finally:
            left.append(True)

    with pytest.raises(RuntimeError, match="waits for an event loop, and none runs it"):
        run_blocking(wait())
    assert left == [True]
