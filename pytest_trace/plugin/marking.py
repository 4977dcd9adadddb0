"""Which tests are RAG tests: those get the marker `rag` when they are collected."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_trace import home_of

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession

_FIXTURES = frozenset({"rag_judge", "rag_sentencizer"})
_JUDGING_PACKAGES = (
    "pytest_trace.assertions.",
    "pytest_trace.context_report",
    "pytest_trace.evaluation",
    "pytest_trace.measures.accuracy",
    "pytest_trace.measures.equivalence",
)
_KNOWN_ARGUMENTS = frozenset({"judge", "votes"})


def mark_rag_test(item: pytest.Item, session: Callable[[], RagSession]) -> None:
    """Add the marker `rag` to a test that uses a fixture, the cases or an assertion of ours.

    Raises `pytest.UsageError` for a marker of the user's that says what nobody knows.
    """
    if (marker := item.get_closest_marker("rag")) is not None:
        _require_known_arguments(item, marker)
        if isinstance(spec := marker.kwargs.get("judge"), str):
            session().require_known_judge(spec, f"{item.nodeid}: the marker rag")
        if marker.kwargs.get("votes") is not None:
            from pytest_trace.plugin.choosing import chosen_votes

            chosen_votes(item, session())
    elif (
        not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        or item.get_closest_marker("rag_cases") is not None
        or names_an_assertion(getattr(item, "function", None))
    ):
        item.add_marker(pytest.mark.rag)


def _require_known_arguments(item: pytest.Item, marker: pytest.Mark) -> None:
    unknown = [str(value) for value in marker.args]
    unknown += sorted(marker.kwargs.keys() - _KNOWN_ARGUMENTS)
    if unknown:
        raise pytest.UsageError(
            f"{item.nodeid}: the marker rag got {', '.join(unknown)}; "
            "it takes judge=SPEC and votes=COUNT"
        )


def names_an_assertion(function: Any, modules: tuple[str, ...] = _JUDGING_PACKAGES) -> bool:
    """Whether the code of a test names an assertion of ours, or what evaluates.

    `modules` are those that such a function stands in, or what their names begin with.
    """
    function = inspect.unwrap(function) if function is not None else None
    inner = getattr(getattr(function, "hypothesis", None), "inner_test", None)
    function = inspect.unwrap(inner) if inner is not None else function
    if not isinstance(function, FunctionType):
        return False
    names = set(_names(function.__code__))
    if "pytest_trace" in names:  # imported in the test, or used as pytest_trace.assert_adherent
        return any(home_of(name).startswith(modules) for name in names)
    values = (function.__globals__.get(name) for name in names)
    return any(_stands_in(value, modules) for value in values)


def _names(code: CodeType) -> Iterator[str]:
    """The global and attribute names in the code of a function and of those inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _stands_in(value: Any, modules: tuple[str, ...]) -> bool:
    """Whether this is a public function of one of them."""
    if not isinstance(value, FunctionType) or not str(value.__module__).startswith(modules):
        return False
    module = sys.modules.get(value.__module__)
    return getattr(module, value.__name__, None) is value
