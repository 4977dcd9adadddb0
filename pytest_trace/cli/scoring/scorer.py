"""From cases to rows: what every worker does, wherever it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from pytest_trace.cli.asking import Asker
from pytest_trace.cli.scoring.rows import Row, fault_row, row_of
from pytest_trace.datasets.cases import Case
from pytest_trace.errors import InvalidCase, JudgeError, UnknownName
from pytest_trace.evaluation import Settings, evaluate_with
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.judges import Judge, make_judge
from pytest_trace.judges.asking import ask_judge
from pytest_trace.judges.base import judge_identity
from pytest_trace.judges.metering import call_counted
from pytest_trace.judges.stored import AskJudge
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.marks import MarkPolicy
from pytest_trace.metrics import Formula, Length
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.store.run_state import RunLimits, RunState
from pytest_trace.verdict import Verdict

_MOST_REMEMBERED: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a case becomes a row: plain values that any process can be sent.

    `state` is the folder in which the processes of a run count their calls together; without one
    a process counts its own. `identity` is what the judge must say of itself, where it is known.
    """

    judge: str = "lexical"
    llm: LlmSettings = field(default_factory=LlmSettings)
    marks: MarkPolicy = "default"
    formula: Formula = "trace"
    length: Length = "sentence"
    metadata_keys: tuple[str, ...] = ()
    config: EvaluationConfig | None = None
    votes: int = 1
    cache: Path | None = None
    state: Path | None = None
    limits: RunLimits = field(default_factory=RunLimits)
    identity: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What came of some cases: a row each, None for a case that is no trace.

    `sources` counts where verdicts came from, `notices` are to be said once.
    """

    rows: tuple[Row | None, ...]
    sources: Mapping[str, int]
    notices: tuple[str, ...]


class Scorer:
    """Judges and scores. Safe for threads. `call` stands in place of calling the judge here."""

    def __init__(
        self, setup: Setup, *, judge: Judge | None = None, call: AskJudge | None = None
    ) -> None:
        self._notices: list[str] = []
        say = self._notices.append
        self.state = RunState(setup.state, setup.limits, say=say)
        self.judge = judge or make_judge(setup.judge, settings=setup.llm, state=lambda: self.state)
        self.asker = Asker(
            self.judge,
            cache=setup.cache,
            say=say,
            call=call or self._call,
            votes=setup.votes,
            most_remembered=_MOST_REMEMBERED,
        )
        self.settings = Settings(
            judge=self.judge,
            sentencizer=make_sentencizer(),
            formula=setup.formula,
            length=setup.length,
            marks=setup.marks,
            metadata_keys=setup.metadata_keys,
            config=setup.config,
        )

    @property
    def identity(self) -> str:
        """What the judge says of itself, as text that can be compared."""
        return identity_of(self.judge)

    def part(self, cases: Sequence[Case]) -> Part:
        """What comes of some cases."""
        rows = tuple(map(self._row, cases))
        return Part(rows, self.asker.take_sources(), self._taken_notices())

    def close(self) -> None:
        """Close the cache."""
        self.asker.close()

    def _row(self, case: Case) -> Row | None:
        try:
            trace = case.trace()
        except InvalidCase:  # it was told when the file was surveyed
            return None
        try:
            return row_of(case, evaluate_with(trace, self.settings, self.asker.ask))
        except JudgeError as error:
            config = EvaluationConfig.of_trace(trace, self.settings.config)
            return fault_row(case, self.judge, error, config)

    def _call(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        return call_counted(judge, sentences, ask_judge, lambda: self.state)

    def _taken_notices(self) -> tuple[str, ...]:
        taken = tuple(self._notices)
        del self._notices[: len(taken)]
        return taken


def identity_of(judge: Judge) -> str:
    """What a judge says of itself, as text that can be compared."""
    return json.dumps(dict(judge_identity(judge)), sort_keys=True, default=str)


@lru_cache(maxsize=4)
def scorer_of(setup: Setup) -> Scorer:
    """The scorer of this process, made at its first part.

    Raises `UnknownName` where the judge is another than the one that was asked for.
    """
    scorer = Scorer(setup)
    if setup.identity and scorer.identity != setup.identity:
        raise UnknownName(
            f"a worker's judge {setup.judge!r} is another than here: it says {scorer.identity}, "
            f"and here it says {setup.identity}; install the same version everywhere"
        )
    return scorer


def to_send(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases without their rows, which were read already and are half of what is sent."""
    return tuple(replace(case, row={}) for case in cases)


def score_part(setup: Setup, cases: Sequence[Case]) -> Part:
    """What comes of some cases in this process; the one function that workers are sent."""
    return scorer_of(setup).part(cases)
