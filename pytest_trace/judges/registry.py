"""From a spec string to a judge."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

from pytest_trace.errors import UnknownName
from pytest_trace.judges.base import AnyJudge, Judge

if TYPE_CHECKING:
    from pytest_trace.llm.settings import LlmSettings
    from pytest_trace.store.run_state import RunState


def _make_lexical() -> Judge:
    from pytest_trace.judges.lexical import LexicalJudge

    return LexicalJudge()


_KNOWN: Final[dict[str, Callable[[], Judge]]] = {"lexical": _make_lexical}
_SERVERS: Final = ("groq", "openai")
_HINT: Final = "lexical, groq:MODEL, openai:MODEL and package.module:factory"


def make_judge(
    spec: str, *, settings: LlmSettings | None = None, state: Callable[[], RunState] | None = None
) -> Judge:
    """The judge that `spec` stands for: a known name, or `package.module:factory`.

    A factory is a class or function without arguments. `settings` and `state` are for judges that
    ask a server; `state` is what a run shares, and is made when it is first needed. Raises
    `UnknownName` that lists what is known, or says what the factory lacks.
    """
    kind, _, model = spec.partition(":")
    if kind in _SERVERS:
        require_known(spec)
        return _make_llm(kind, model, settings, state)
    return require_judge(_factory(spec)(), f"{spec!r} made")


def require_known(spec: str) -> None:
    """Raise `UnknownName` unless `spec` can be made; nothing is made."""
    kind, _, model = spec.partition(":")
    if kind not in _SERVERS:
        _factory(spec)
    elif not model.strip():
        raise UnknownName(f"judge {spec!r} names no model; write {kind}:MODEL")


def _make_llm(
    kind: str,
    model: str,
    settings: LlmSettings | None,
    state: Callable[[], RunState] | None,
) -> Judge:
    from pytest_trace.llm.making import make_llm_judge

    return require_judge(make_llm_judge(kind, model, settings, state), f"{kind} made")


def _factory(spec: str) -> Callable[[], object]:
    if spec in _KNOWN:
        return _KNOWN[spec]
    known = f"known: {_HINT}"
    module, separator, name = spec.partition(":")
    if not (separator and module and name.isidentifier()):
        raise UnknownName(f"unknown judge {spec!r}; {known}")
    try:
        factory: Callable[[], object] = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise UnknownName(
            f"unknown judge {spec!r}: there is no module {error.name!r}; {known}"
        ) from error
    except AttributeError as error:
        raise UnknownName(f"unknown judge {spec!r}: module {module!r} has no {name!r}") from error
    return factory


def known_recall(name: str) -> float | None:
    """The share of unsupported responses that a judge is known to find; None where unknown."""
    if name != "lexical":
        return None
    from pytest_trace.judges.lexical import KNOWN_RECALL

    return KNOWN_RECALL


def require_judge(value: object, where: str) -> Judge:
    """`value` if it is a judge, and one that can be awaited as one that can be called.

    Raises `UnknownName` that says what it lacks.
    """
    can_await = hasattr(value, "ajudge")
    lacks = [name for name in ("kind", "version") if not hasattr(value, name)]
    lacks += [] if can_await or hasattr(value, "judge") else ["judge"]
    if lacks:
        raise UnknownName(
            f"{where} a {type(value).__name__}, which is no judge: it lacks {', '.join(lacks)}"
        )
    if not can_await:
        return cast("Judge", value)
    from pytest_trace.judges.awaited import AwaitedJudge

    return value if isinstance(value, AwaitedJudge) else AwaitedJudge(cast("AnyJudge", value))
