"""From a spec string to a judge."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Final

from pytest_trace.errors import UnknownName
from pytest_trace.judges.base import Judge


def _make_lexical() -> Judge:
    from pytest_trace.judges.lexical import LexicalJudge

    return LexicalJudge()


_KNOWN: Final[dict[str, Callable[[], Judge]]] = {"lexical": _make_lexical}


def make_judge(spec: str) -> Judge:
    """The judge that `spec` stands for: a known name, or `package.module:factory`.

    A factory is a class or function without arguments. Raises `UnknownName` that lists what is
    known, or says what the factory lacks.
    """
    return require_judge(_factory(spec)(), f"{spec!r} made")


def require_known(spec: str) -> None:
    """Raise `UnknownName` unless `spec` can be made; nothing is made."""
    _factory(spec)


def _factory(spec: str) -> Callable[[], object]:
    if spec in _KNOWN:
        return _KNOWN[spec]
    known = f"known: {', '.join(sorted(_KNOWN))} and package.module:factory"
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


def require_judge(value: object, where: str) -> Judge:
    """`value` if it is a judge; raises `UnknownName` that says what it lacks."""
    if isinstance(value, Judge):
        return value
    lacks = [name for name in ("kind", "version", "judge") if not hasattr(value, name)]
    raise UnknownName(
        f"{where} a {type(value).__name__}, which is no judge: it lacks {', '.join(lacks)}"
    )
