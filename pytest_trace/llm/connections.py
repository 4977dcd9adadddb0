"""An SDK's clients of one server: one for threads that wait, and one for the package's loop."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable

from pytest_trace.concurrency.own_loop import own_loop
from pytest_trace.errors import hide_own_frames
from pytest_trace.llm.transport import AsyncTransport, BlockingTransport, Sdk, Transport

__tracebackhide__ = hide_own_frames


class Connections:
    """Each is made when it is first needed, and closed when these are gone.

    An SDK's objects form cycles: without that, sockets might go before their client.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocking: BlockingTransport | None = None
        self._on_loop: Transport | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def blocking(self, make: Callable[[], Sdk]) -> BlockingTransport:
        """For any thread."""
        with self._lock:
            if self._blocking is None:
                sdk = make()
                weakref.finalize(self, sdk.close)
                self._blocking = BlockingTransport(sdk)
            return self._blocking

    def on_loop(self, make: Callable[[], Sdk]) -> Transport:
        """For the loop of this package, which must run here; a forked process has another."""
        loop = asyncio.get_running_loop()
        if self._on_loop is None or self._loop is not loop:
            sdk = make()
            own_loop().close_with(self, sdk.close)
            self._on_loop, self._loop = AsyncTransport(sdk), loop
        return self._on_loop
