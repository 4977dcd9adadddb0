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
_FACTORY_HINT = "package.module:factory"


def make_judge(spec: str) -> Judge:
    """The judge that `spec` stands for: a known name, or `package.module:factory`.

    A factory is a class or function without arguments. Raises `UnknownName` that lists what is
    known, or says what the factory lacks.
    """
    if spec in _KNOWN:
        return _KNOWN[spec]()
    module, separator, name = spec.partition(":")
    if separator and module and name.isidentifier():
        return _from_factory(spec, module, name)
    raise UnknownName(
        f"unknown judge {spec!r}; known: {', '.join(sorted(_KNOWN))} and {_FACTORY_HINT}"
    )


def _from_factory(spec: str, module: str, name: str) -> Judge:
    try:
        factory = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise UnknownName(
            f"unknown judge {spec!r}: no module {error.name!r}; "
            f"known: {', '.join(sorted(_KNOWN))} and {_FACTORY_HINT}"
        ) from error
    except AttributeError as error:
        raise UnknownName(f"unknown judge {spec!r}: module {module!r} has no {name!r}") from error
    return require_judge(factory(), f"{spec!r} made")


def require_judge(value: object, where: str) -> Judge:
    """`value` if it is a judge; raises `UnknownName` that says what it lacks."""
    if isinstance(value, Judge):
        return value
    lacks = [name for name in ("kind", "version", "judge") if not hasattr(value, name)]
    raise UnknownName(
        f"{where} a {type(value).__name__}, which is no judge: it lacks {', '.join(lacks)}"
    )
