"""An evaluation whose verdict is under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_trace.errors import hide_own_frames
from pytest_trace.evaluation import Evaluation, Settings
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.judges import judge_name
from pytest_trace.sentences import KeyedTrace

__tracebackhide__ = hide_own_frames

_UNDER_WAY = frozenset({"verdict", "scores"})


class PendingEvaluation(Evaluation):
    """What an assertion returns before its verdict is known: whatever reads that waits for it.

    `wait` gives the evaluation that it becomes, or raises what kept the judge from deciding.
    """

    _wait: Callable[[], Evaluation]

    def __init__(
        self,
        sentences: KeyedTrace,
        settings: Settings,
        config: EvaluationConfig | None,
        wait: Callable[[], Evaluation],
    ) -> None:
        vars(self).update(
            sentences=sentences,
            judge=judge_name(settings.judge),
            judge_version=settings.judge.version,
            formula=settings.formula,
            length=settings.length,
            marks=settings.marks,
            evaluation_config=config,
            _wait=wait,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the judge and the reading of its verdict have to say."""
        return self._become().notes

    def __getattr__(self, name: str) -> Any:
        if name in _UNDER_WAY:
            return getattr(self._become(), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        return self._become() == other

    def __hash__(self) -> int:
        return hash(self._become())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._become().__reduce_ex__(protocol)

    def _become(self) -> Evaluation:
        """Be the evaluation from now on, for everyone who has this object."""
        done = self._wait()
        vars(self).clear()
        vars(self).update(vars(done))
        object.__setattr__(self, "__class__", Evaluation)
        return self
