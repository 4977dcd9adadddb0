"""What all threads and processes of one run share: budgets, rate limits, outages, accounts."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_trace.errors import BudgetExceeded, hide_own_frames
from pytest_trace.store.shared_file import RunData, SharedFile

if TYPE_CHECKING:
    from pytest_trace.llm.client import Usage

__tracebackhide__ = hide_own_frames

MAX_CONNECTION_FAILURES: Final = 3
"""So many in a row, and a server is not asked again in this run."""

_BLIP_SECONDS: Final = 0.4  # below the first pause of a retry
_DIGITS: Final = 12  # sums of dollars: far below a token's price, and free of float dust


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How many calls a run may make and how many US dollars it may cost; None: any.

    `prefix` is what the options begin with, for messages.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    prefix: str = "--rag-"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTotals:
    """What a run took. `cost` is in US dollars, None where the price of any call is unknown.

    `seconds` are those that servers took to answer. `notes` are for the summary.
    """

    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    seconds: float
    cost: float | None
    notes: tuple[str, ...]


class RunState:
    """The shared state of one run, in a folder of that run; in memory where there is none."""

    def __init__(
        self,
        folder: Path | None,
        limits: RunLimits = RunLimits(),
        *,
        say: Callable[[str], None] = warnings.warn,
    ) -> None:
        self.limits = limits
        self._file = SharedFile(folder, say=say)

    def begin_call(
        self, most: float | None = 0.0, *, is_continuing: bool = False, can_wait: bool = False
    ) -> bool:
        """Reserve a call that may cost `most` US dollars (None: nobody knows).

        Raises `BudgetExceeded` naming the option. Where only what other calls under way may cost
        stands against it, and who asks can wait for them, it is False, and nothing is reserved.
        Each that is True is followed by an `end_call`. A verdict that is begun is not stopped:
        with `is_continuing` nothing is refused.
        """
        with self._file.edit() as data:
            if not is_continuing:
                self._require_call(data)
                if not self._has_money(data, most, can_wait=can_wait):
                    return False
            _begin(data, most)
        return True

    def _require_call(self, data: RunData) -> None:
        limit = self.limits.max_calls
        if limit is not None and data.calls >= limit:
            raise BudgetExceeded(
                f"{self.limits.prefix}max-calls: this run may make {limit} calls and has made "
                "them; raise the limit, or run again: what was answered is stored and not asked "
                "again"
            )

    def _has_money(self, data: RunData, most: float | None, *, can_wait: bool) -> bool:
        limit = self.limits.max_cost
        if limit is None:
            return True
        if most is None:
            raise BudgetExceeded(
                f"{self.limits.prefix}max-cost: the price of this model is unknown, so the limit "
                f"cannot be kept; use {self.limits.prefix}max-calls"
            )
        free = limit - data.cost - most
        if free < 0 or (not can_wait and free < data.in_flight_cost):
            raise BudgetExceeded(
                f"{self.limits.prefix}max-cost: the next call may cost up to ${most:.4f}, and "
                f"${data.cost:.4f} of ${limit:.4f} are spent; raise the limit, or run "
                "again: what was answered is stored and not asked again"
            )
        return free >= data.in_flight_cost

    def end_call(
        self, usage: Usage | None = None, cost: float | None = 0.0, *, most: float | None = 0.0
    ) -> None:
        """Account for a call that was begun with `most`; without usage it brought no reply."""
        with self._file.edit() as data:
            data.in_flight_cost = round(max(0.0, data.in_flight_cost - (most or 0.0)), _DIGITS)
            # What cannot be priced counts at its most towards the limit.
            spent = cost if cost is not None else most or 0.0
            data.cost = round(data.cost + spent, _DIGITS)
            data.unpriced_calls += cost is None
            if usage is not None:
                _add(data, usage)

    @property
    def is_used(self) -> bool:
        """Whether anything has been counted or noted."""
        return self._file.has_content

    def totals(self) -> RunTotals:
        """What the run took so far."""
        data = self._file.read()
        return RunTotals(
            calls=data.calls,
            prompt_tokens=data.prompt_tokens,
            cached_tokens=data.cached_tokens,
            completion_tokens=data.completion_tokens,
            reasoning_tokens=data.reasoning_tokens,
            seconds=data.seconds,
            cost=None if data.unpriced_calls else data.cost,
            notes=tuple(data.notes),
        )

    def note(self, text: str) -> bool:
        """Keep a sentence for the summary; whether it is new."""
        with self._file.edit() as data:
            if text in data.notes:
                return False
            data.notes.append(text)
            return True

    def postpone(self, server: str, seconds: float) -> None:
        """Nobody asks `server` for so many seconds: it said when it will answer again."""
        with self._file.edit() as data:
            known = data.server(server)
            known.not_before = max(known.not_before, time.time() + seconds)

    def seconds_to_wait(self, server: str) -> float:
        """How long `server` must be left alone still; 0.0 where it may be asked."""
        known = self._file.read().servers.get(server)
        return 0.0 if known is None else max(0.0, known.not_before - time.time())

    def connection_failed(self, server: str, reason: str, *, is_timeout: bool = False) -> None:
        """Count a failure to get any answer.

        Failures close together are one, many threads that meet the same blip; a timeout has
        lasted long enough to count by itself.
        """
        with self._file.edit() as data:
            known, now = data.server(server), time.time()
            if known.outage or (not is_timeout and 0 <= now - known.failed_at < _BLIP_SECONDS):
                return
            known.failures, known.failed_at = known.failures + 1, now
            if known.failures >= MAX_CONNECTION_FAILURES:
                known.outage = reason

    def connection_worked(self, server: str) -> None:
        """Forget earlier failures: the server has answered, whatever it said."""
        known = self._file.read().servers.get(server)
        if known is None or not known.failures:
            return
        with self._file.edit() as data:
            if not (known := data.server(server)).outage:
                known.failures, known.failed_at = 0, 0.0

    def outage(self, server: str) -> str:
        """Why `server` is not asked any more in this run; empty where it is."""
        known = self._file.read().servers.get(server)
        return "" if known is None else known.outage


def _begin(data: RunData, most: float | None) -> None:
    data.calls += 1
    data.in_flight_cost = round(data.in_flight_cost + (most or 0.0), _DIGITS)


def _add(data: RunData, usage: Usage) -> None:
    data.prompt_tokens += usage.prompt_tokens
    data.cached_tokens += usage.cached_tokens
    data.completion_tokens += usage.completion_tokens
    data.reasoning_tokens += usage.reasoning_tokens
    data.seconds = round(data.seconds + usage.seconds, 3)
