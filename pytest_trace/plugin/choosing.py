"""Which judge and which sentencizer a test has: precedence 1 to 3 of `plugin.options`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest

from pytest_trace.errors import JudgeError, UnknownName, hide_own_frames
from pytest_trace.judges import Judge, require_judge
from pytest_trace.plugin.checking import require_votes
from pytest_trace.sentences import Sentencizer

if TYPE_CHECKING:
    from pytest_trace.plugin.session import RagSession

__tracebackhide__ = hide_own_frames

_FIXTURES_MODULE = "pytest_trace.plugin.hooks"


def chosen_judge(item: pytest.Item, session: RagSession, given: Judge | str | None) -> Judge:
    """The judge of an assertion in `item`; raises `JudgeError` where there is none to be had."""
    if given is not None:
        return _made(session, given, "judge= got")
    marked = _marked(item, "judge")
    if marked is not None:
        return _made(session, marked, "the marker rag(judge=…) got")
    if _is_overridden(item, "rag_judge"):
        return _made(session, _fixture(item, "rag_judge"), "the fixture rag_judge returned")
    return session.judge()


def foreseen_judge(item: pytest.Item, session: RagSession) -> Judge | None:
    """The judge that a test will have; None where only its fixtures can tell."""
    if _is_overridden(item, "rag_sentencizer"):
        return None
    if (marked := _marked(item, "judge")) is not None:
        return _made(session, marked, "the marker rag(judge=…) got")
    return None if _is_overridden(item, "rag_judge") else session.judge()


def chosen_votes(item: pytest.Item, session: RagSession) -> int:
    """How often the judge of a test is asked."""
    marked = _marked(item, "votes")
    if marked is None:
        return session.options.votes
    return require_votes(
        marked, session.options.temperature, f"{item.nodeid}: the marker rag(votes=…)"
    )


def chosen_sentencizer(item: pytest.Item, session: RagSession) -> Sentencizer:
    """What splits the texts of a test."""
    if not _is_overridden(item, "rag_sentencizer"):
        return session.sentencizer()
    value: Any = _fixture(item, "rag_sentencizer")
    if callable(getattr(value, "split", None)) and hasattr(value, "version"):
        sentencizer: Sentencizer = value
        return sentencizer
    raise UnknownName(
        f"the fixture rag_sentencizer returned a {type(value).__name__}, "
        "which is no sentencizer: it needs version and split(text)"
    )


def _marked(item: pytest.Item, name: str) -> Any:
    """The argument of the nearest marker `rag` that has it."""
    for marker in item.iter_markers("rag"):
        if marker.kwargs.get(name) is not None:
            return marker.kwargs[name]
    return None


def _made(session: RagSession, given: Judge | str, where: str) -> Judge:
    return session.judge(given) if isinstance(given, str) else require_judge(given, where)


def _is_overridden(item: pytest.Item, name: str) -> bool:
    definition = _definition(item, name)
    return definition is not None and definition.func.__module__ != _FIXTURES_MODULE


def _definition(item: pytest.Item, name: str) -> pytest.FixtureDef[Any] | None:
    """The fixture definition that the item sees under `name`."""
    found = item.session._fixturemanager.getfixturedefs(name, item)  # noqa: SLF001
    return found[-1] if found else None


def _fixture(item: pytest.Item, name: str) -> Any:
    """The value of a fixture, requested now if the test's signature does not have it."""
    funcargs: dict[str, Any] = getattr(item, "funcargs", {})
    if name in funcargs:
        return funcargs[name]
    _require_requestable(item, name)
    request: pytest.FixtureRequest = item._request  # type: ignore[attr-defined]  # noqa: SLF001
    return request.getfixturevalue(name)


def _require_requestable(item: pytest.Item, name: str) -> None:
    definition = _definition(item, name)
    if definition is None or name in getattr(item, "fixturenames", ()):
        return
    func = inspect.unwrap(definition.func)
    reason = None
    if inspect.iscoroutinefunction(func) or inspect.isasyncgenfunction(func):
        reason = "async"
    elif definition.params is not None:
        reason = "parametrized"
    if reason is not None:
        raise JudgeError(
            f"the {reason} fixture {name} cannot be requested while the test runs",
            details=(f"add {name} to the signature of {item.name}",),
        )
