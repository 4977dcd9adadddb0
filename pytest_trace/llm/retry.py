"""The one policy of asking again: for whom, how often, how long."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NoReturn, TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    wait_exponential,
    wait_random,
)

from pytest_trace.errors import JudgeError, JudgeTimeout, JudgeUnavailable, hide_own_frames
from pytest_trace.llm.deadline import Deadline
from pytest_trace.llm.transport import Answer, NoAnswer
from pytest_trace.store.run_state import MAX_CONNECTION_FAILURES, RunState

__tracebackhide__ = hide_own_frames

T = TypeVar("T")

_BACKOFF: Final = wait_exponential(multiplier=0.5, max=8) + wait_random(0, 0.5)
_ATTEMPTS: Final = 6
_ATTEMPTS_WITHOUT_HOPE: Final = 3


class Refusal(Exception):  # noqa: N818 - it is named for what happened
    """The server did not do it this time; it may the next.

    `asked_wait` are the seconds it asked for. `is_rate_limit`: it will, if only one waits.
    """

    def __init__(
        self,
        reason: str,
        *,
        asked_wait: float | None = None,
        is_rate_limit: bool = False,
        details: tuple[str, ...] = (),
    ) -> None:
        super().__init__(reason)
        self.asked_wait = asked_wait
        self.is_rate_limit = is_rate_limit
        self.details = details


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Asks one server for one reply, within one deadline.

    A wait that the server asks for is honoured up to `max_wait_seconds`, and by the whole run. A
    longer one is not waited for: a few attempts, further and further apart, and it is given up.
    """

    server: str
    state: RunState
    deadline: Deadline
    max_wait_seconds: float
    sleep: Callable[[float], Awaitable[None]]

    async def run(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """What `attempt` gives; it is made again when it raises `Refusal`.

        Raises `JudgeTimeout` or `JudgeUnavailable` when that has no use, or no time.
        """
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(Refusal),
            wait=self._pause,
            stop=self._is_useless,
            sleep=self.sleep,
            retry_error_callback=_raise_refusal,
        )
        try:
            result: T = await retrying(self._shared, attempt)
        except _GivenUpError as given_up:
            refusal, attempts = given_up.refusal, given_up.attempts
        else:
            return result
        raise self._give_up(refusal, attempts)

    async def reach(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """The server's answer, when it is the turn of this run to ask it."""
        await self.wait_for_turn()
        had_time = self.deadline.left > self.deadline.seconds / 2
        try:
            answer = await ask()
        except NoAnswer as error:
            if had_time or not error.is_timeout:  # the end of a long trace proves no outage
                self.state.connection_failed(self.server, str(error), is_timeout=error.is_timeout)
            raise Refusal(str(error)) from None
        self.state.connection_worked(self.server)
        return answer

    async def wait_for_turn(self) -> None:
        """Wait until the server may be asked; raises where that is not in time, or never."""
        while True:
            if reason := self.state.outage(self.server):
                raise JudgeUnavailable(_outage(self.server, reason))
            if self.deadline.left <= 0:
                raise JudgeTimeout(
                    f"the {self.deadline.seconds:g} s for a trace (rag_timeout_seconds) are over"
                )
            if (seconds := self.state.seconds_to_wait(self.server)) <= 0:
                return
            if seconds >= self.deadline.left:
                raise self._too_late(seconds)
            await self.sleep(seconds)

    async def _shared(self, attempt: Callable[[], Awaitable[T]]) -> T:
        try:
            return await attempt()
        except Refusal as refusal:
            if refusal.asked_wait is not None and refusal.asked_wait <= self.max_wait_seconds:
                self.state.postpone(self.server, refusal.asked_wait)
            raise

    def _pause(self, retry_state: RetryCallState) -> float:
        asked = _refusal(retry_state).asked_wait
        if asked is not None and asked <= self.max_wait_seconds:
            return asked
        return float(_BACKOFF(retry_state))

    def _is_useless(self, retry_state: RetryCallState) -> bool:
        if retry_state.upcoming_sleep >= self.deadline.left or self.state.outage(self.server):
            return True
        return retry_state.attempt_number >= self._attempts(_refusal(retry_state))

    def _attempts(self, refusal: Refusal) -> float:
        if refusal.asked_wait is not None and refusal.asked_wait > self.max_wait_seconds:
            return _ATTEMPTS_WITHOUT_HOPE
        return float("inf") if refusal.is_rate_limit else _ATTEMPTS

    def _give_up(self, refusal: Refusal, attempts: int) -> JudgeError:
        asked = refusal.asked_wait
        if attempts >= self._attempts(refusal):
            return self._hopeless(refusal, attempts)
        if self.deadline.left > 0 and (reason := self.state.outage(self.server)):
            return JudgeUnavailable(_outage(self.server, reason))
        if asked is not None and asked >= self.deadline.left > 0:
            return self._too_late(asked, refusal.details)
        return JudgeTimeout(
            f"{self.server} gave no reply within {self.deadline.seconds:g} s "
            f"(rag_timeout_seconds), attempts: {attempts}, the last: {refusal}",
            details=refusal.details,
        )

    def _hopeless(self, refusal: Refusal, attempts: int) -> JudgeError:
        pause = "" if refusal.asked_wait is None else f"; it asks for {refusal.asked_wait:.0f} s of"
        limit = f" pause, and rag_max_wait_seconds is {self.max_wait_seconds:g}" if pause else ""
        return JudgeUnavailable(
            f"{self.server} failed {attempts} times: {refusal}{pause}{limit}",
            details=refusal.details,
        )

    def _too_late(self, seconds: float, details: tuple[str, ...] = ()) -> JudgeError:
        left = self.deadline.left
        return JudgeTimeout(
            f"{self.server} asks for a pause of {seconds:.0f} s, and of the "
            f"{self.deadline.seconds:g} s for a trace {left:.0f} are left; raise "
            "rag_timeout_seconds or run fewer tests at a time",
            details=details,
        )


class _GivenUpError(Exception):
    def __init__(self, refusal: Refusal, attempts: int) -> None:
        super().__init__(refusal)
        self.refusal = refusal
        self.attempts = attempts


def _raise_refusal(retry_state: RetryCallState) -> NoReturn:
    raise _GivenUpError(_refusal(retry_state), retry_state.attempt_number)


def _refusal(retry_state: RetryCallState) -> Refusal:
    error = retry_state.outcome.exception() if retry_state.outcome else None
    return error if isinstance(error, Refusal) else Refusal(str(error))


def _outage(server: str, reason: str) -> str:
    return (
        f"{server} could not be reached {MAX_CONNECTION_FAILURES} times in a row ({reason}), so "
        "this run asks it no more; check the network, a proxy and rag_base_url, and run again"
    )


def is_worth_retrying(status: int) -> bool:
    """Whether a server that answers so may answer otherwise later."""
    passing = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
    return status in passing or status >= HTTPStatus.INTERNAL_SERVER_ERROR
