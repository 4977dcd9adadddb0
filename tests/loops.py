"""The event loops that users have, and a measure of how long one was held up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio


def run_in_trio(function: Callable[..., Awaitable[Any]], *args: Any) -> Any:
    return trio.run(function, *args)


def run_in_asyncio(function: Callable[..., Awaitable[Any]], *args: Any) -> Any:
    return asyncio.run(function(*args))


on_both_loops = pytest.mark.parametrize(
    "run", [pytest.param(run_in_asyncio, id="asyncio"), pytest.param(run_in_trio, id="trio")]
)
"""`run(function, *arguments)` runs an async function."""


async def longest_gap(awaitable: Awaitable[Any]) -> tuple[Any, float]:
    """What `awaitable` gives, and the most seconds that a task of 5 ms steps was kept from running.

    `awaitable` is of asyncio.
    """
    gaps: list[float] = []

    async def tick() -> None:
        before = time.monotonic()
        while True:
            await asyncio.sleep(0.005)
            now = time.monotonic()
            gaps.append(now - before)
            before = now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    try:
        result = await awaitable
        await asyncio.sleep(0.01)
    finally:
        ticking.cancel()
    return result, max(gaps)
