"""Labelled traces are judged, several at once if wanted, until all are or somebody stops it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Final

from pytest_trace.datasets.labels import LabeledTrace
from pytest_trace.errors import JudgeError
from pytest_trace.evaluation import Evaluation, Settings, ask_judge, evaluate_with
from pytest_trace.judges import Judge, make_judge
from pytest_trace.judges.base import is_free
from pytest_trace.judges.stored import VerdictStore
from pytest_trace.marks import MarkPolicy
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.store.cache import VerdictCache
from pytest_trace.store.run_state import RunState, RunTotals
from pytest_trace.verdict import Verdict

_POLL_SECONDS: Final = 0.2  # Windows does not hear Ctrl-C while it waits without end


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled trace and what the judge made of it."""

    labels: LabeledTrace
    evaluation: Evaluation

    @property
    def is_flagged(self) -> bool:
        """Whether the judge calls the response hallucinated."""
        return not self.evaluation.scores.adherence

    @property
    def probability(self) -> float | None:
        """That of the response being supported, where the judge gives any."""
        return self.evaluation.verdict.probability

    @property
    def score(self) -> float:
        """What responses are ranked by: the probability, or the share of supported sentences."""
        if self.probability is not None:
            return self.probability
        support = self.evaluation.support
        return sum(item.is_supported for item in support) / len(support)


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A trace on which the judge could not decide."""

    labels: LabeledTrace
    message: str


@dataclass(frozen=True, slots=True)
class SetRun:
    """A set after judging: in the order of its rows, as far as it came."""

    name: str
    judged: tuple[Judged, ...]
    faults: tuple[NotJudged, ...]
    seconds: float
    is_interrupted: bool = False


class Asker:
    """A judge with the cache in front of it; a judge that is free needs none.

    `say` is told once of a cache that cannot be used.
    """

    def __init__(
        self, spec: str, *, cache: Path | None, marks: MarkPolicy, say: Callable[[str], None]
    ) -> None:
        self._state = RunState(None, say=say)
        judge = make_judge(spec, state=lambda: self._state)
        self.settings = Settings(judge=judge, sentencizer=make_sentencizer(), marks=marks)
        self.is_stored = not is_free(judge)
        self._store = VerdictStore(cache=VerdictCache(cache, say=say) if cache else None)
        self._lock = threading.Lock()
        self.sources = Counter[str]()

    @property
    def judge(self) -> Judge:
        """Who is asked."""
        return self.settings.judge

    def outcome(self, row: LabeledTrace) -> Judged | NotJudged:
        """What the judge says of a row, or why it says nothing."""
        try:
            return Judged(row, evaluate_with(row.sentences, self.settings, self._ask))
        except JudgeError as error:
            return NotJudged(row, str(error))

    def totals(self) -> RunTotals:
        """What the calls took."""
        return self._state.totals()

    def close(self) -> None:
        """Close the cache."""
        self._store.close()

    def _ask(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        if not self.is_stored:
            return ask_judge(judge, sentences)
        answer = self._store.ask(judge, sentences, ask_judge)
        with self._lock:
            self.sources[answer.source.value] += 1
        return answer.verdict


def judge_set(
    name: str,
    rows: Sequence[LabeledTrace],
    outcome: Callable[[LabeledTrace], Judged | NotJudged],
    *,
    concurrency: int,
    advance: Callable[[], None],
) -> SetRun:
    """Judge every row; `advance` is called after each. Ctrl-C ends it with those that are done."""
    outcomes: dict[int, Judged | NotJudged] = {}

    def judge(number: int) -> None:
        outcomes[number] = outcome(rows[number])

    start, is_interrupted = perf_counter(), False
    judging = _in_turn if concurrency == 1 else _at_once
    try:
        for _ in judging(judge, len(rows), concurrency):
            advance()
    except KeyboardInterrupt:
        is_interrupted = True
    done = sorted(outcomes.copy().items())
    return SetRun(
        name,
        tuple(each for _, each in done if isinstance(each, Judged)),
        tuple(each for _, each in done if isinstance(each, NotJudged)),
        perf_counter() - start,
        is_interrupted,
    )


def _in_turn(judge: Callable[[int], None], count: int, _: int) -> Iterator[None]:
    for number in range(count):
        judge(number)
        yield


def _at_once(judge: Callable[[int], None], count: int, concurrency: int) -> Iterator[None]:
    """By daemon threads, so that nobody waits for calls under way once it is stopped."""
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[Exception | None] = SimpleQueue()
    stop = threading.Event()
    for number in range(count):
        waiting.put(number)

    def work() -> None:
        with suppress(Empty):
            while not stop.is_set():
                number = waiting.get_nowait()
                done.put(_fault_of(judge, number))

    for _ in range(min(concurrency, count)):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in range(count):
            if (fault := _next(done)) is not None:
                raise fault
            yield
    finally:
        stop.set()


def _fault_of(judge: Callable[[int], None], number: int) -> Exception | None:
    """What a thread cannot raise where it is seen."""
    try:
        judge(number)
    except Exception as error:  # noqa: BLE001 - raised by who waits for it
        return error
    return None


def _next(done: SimpleQueue[Exception | None]) -> Exception | None:
    while True:
        with suppress(Empty):
            return done.get(timeout=_POLL_SECONDS)
