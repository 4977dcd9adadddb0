"""From a spec string to a judge."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
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
_NLI: Final = "nli"
_HINT: Final = "lexical, groq:MODEL, openai:MODEL, nli:PATH_OR_HUB_ID and package.module:factory"


def make_judge(
    spec: str,
    *,
    settings: LlmSettings | None = None,
    state: Callable[[], RunState] | None = None,
    root: Path | None = None,
) -> Judge:
    """The judge that `spec` stands for: a known name, or `package.module:factory`.

    A factory is a class or function without arguments. `settings` and `state` are for judges that
    ask a server; `state` is what a run shares, and is made when it is first needed. `root` is
    where the path of a model may start, beside the working directory. Raises `UnknownName` that
    lists what is known, or says what the factory lacks.
    """
    kind, _, model = spec.partition(":")
    if kind in _SERVERS:
        require_known(spec)
        return _make_llm(kind, model, settings, state)
    if kind == _NLI:
        return _make_nli(model, root)
    return require_judge(_factory(spec)(), f"{spec!r} made")


def require_known(spec: str, *, root: Path | None = None) -> None:
    """Raise `UnknownName` unless `spec` can be made; nothing is loaded."""
    kind, _, model = spec.partition(":")
    if kind == _NLI:
        _make_nli(model, root)
    elif kind not in _SERVERS:
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


def _make_nli(model: str, root: Path | None) -> Judge:
    from pytest_trace.judges.nli.judge import make_nli_judge

    return make_nli_judge(model, root)


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


def judge_remark(name: str) -> str | None:
    """What a reader of a judge's scores has to know of it, as a clause; None where nothing is."""
    if name == "lexical":
        from pytest_trace.judges.lexical import KNOWN_RECALL

        share = f"{KNOWN_RECALL:.0%}".replace("%", " %")
        return f"known to find about {share} of unsupported responses"
    if name.startswith(f"{_NLI}:"):
        return "relevance and utilization by lexical"
    return None


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
