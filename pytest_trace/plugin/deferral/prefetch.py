"""Verdicts on cases that hold a response already: asked for before their tests run."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_trace.datasets.cases import Case
from pytest_trace.errors import InvalidCase, JudgeError
from pytest_trace.judges import Judge
from pytest_trace.judges.base import is_free
from pytest_trace.judges.voting import vote
from pytest_trace.plugin.choosing import chosen_votes, foreseen_judge
from pytest_trace.plugin.marking import names_an_assertion
from pytest_trace.sentences import KeyedTrace

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession

_ASKING = (
    "pytest_trace.assertions.trace",
    "pytest_trace.context_report",
    "pytest_trace.evaluation",
)
"""Modules whose functions ask for the verdict on a trace as it is; others ask nobody."""


class Prefetch:
    """Asks for the verdicts of a run's cases in the order of its tests, one a step.

    Only where a test is sure to want the verdict: its case has documents and a response, and it
    takes the trace of the case and names an assertion that needs it. A failure ends it: whoever
    wants that verdict asks for it, and says what went wrong.
    """

    def __init__(self, items: Sequence[pytest.Item], session: RagSession) -> None:
        self._session = session
        wanted = (item for item in items if _wants_its_case(item))
        foreseen = ((item, foreseen_judge(item, session)) for item in wanted)
        self._wanted = deque(
            (item, judge)
            for item, judge in foreseen
            if judge is not None and not is_free(judge) and session.has_made(judge)
        )

    def step(self) -> bool:
        """Ask for the next verdict that is not known; whether there may be more."""
        try:
            self._ask(*self._wanted.popleft())
        except (IndexError, InvalidCase, JudgeError, pytest.UsageError):
            return False
        return True

    def _ask(self, item: pytest.Item, judge: Judge) -> None:
        session = self._session
        keys = session.options.metadata_keys
        trace = _case(item).trace()
        sentences = KeyedTrace.from_trace(trace, session.sentencizer(), metadata_keys=keys)
        store, votes = session.store(), chosen_votes(item, session)
        vote(lambda number: store.ask_ahead(judge, sentences, session.call, vote=number), votes)


def _case(item: pytest.Item) -> Case:
    case: Case = item.callspec.params["rag_case"]  # type: ignore[attr-defined]
    return case


def _wants_its_case(item: pytest.Item) -> bool:
    if item.get_closest_marker("rag_cases") is None or not hasattr(item, "callspec"):
        return False
    case, function = _case(item), getattr(item, "function", None)
    return (
        case.documents is not None
        and case.response is not None
        and "trace" in getattr(getattr(function, "__code__", None), "co_names", ())
        and names_an_assertion(function, _ASKING)
    )
