"""Labelled traces are judged, several at once if wanted, until all are or somebody stops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from pytest_trace.cli.asking import Asker
from pytest_trace.cli.ordering import in_order
from pytest_trace.datasets.labels import LabeledTrace
from pytest_trace.errors import JudgeError
from pytest_trace.evaluation import Evaluation, Settings, evaluate_with
from pytest_trace.judges import make_judge
from pytest_trace.marks import MarkPolicy
from pytest_trace.sentences import make_sentencizer
from pytest_trace.store.run_state import RunState, RunTotals


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


class Judging:
    """Rows are judged with the cache in front of the judge; a judge that is free needs none.

    `say` is told once of a cache that cannot be used.
    """

    def __init__(
        self, spec: str, *, cache: Path | None, marks: MarkPolicy, say: Callable[[str], None]
    ) -> None:
        self._state = RunState(None, say=say)
        self.judge = make_judge(spec, state=lambda: self._state)
        self._settings = Settings(judge=self.judge, sentencizer=make_sentencizer(), marks=marks)
        self._asker = Asker(self.judge, cache=cache, say=say)

    def take_sources(self) -> Mapping[str, int]:
        """Where verdicts came from; empty for a judge that is free."""
        return self._asker.take_sources()

    def outcome(self, row: LabeledTrace) -> Judged | NotJudged:
        """What the judge says of a row, or why it says nothing."""
        try:
            return Judged(row, evaluate_with(row.sentences, self._settings, self._asker.ask))
        except JudgeError as error:
            return NotJudged(row, str(error))

    def totals(self) -> RunTotals:
        """What the calls took."""
        return self._state.totals()

    def close(self) -> None:
        """Close the cache."""
        self._asker.close()


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
    try:
        for _ in in_order(judge, range(len(rows)), width=concurrency):
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
