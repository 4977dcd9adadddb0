"""Cells of a table: the lists and objects that stand in them as text."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Final

_ITEM: Final = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[-+]?\.?\d[\w.+-]*+"""
_ITEMS: Final = re.compile(_ITEM, re.DOTALL)
_ARRAY: Final = re.compile(rf"\s*\[\s*(?:(?:{_ITEM})(?=[\s\]])\s*)*+\]\s*", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_KNOWN_ESCAPES: Final = frozenset("\\'\"abfnrtvxuUN01234567\n")


def read_cell(text: str) -> Any:
    """The value that a text stands for: JSON, or what Python or numpy print.

    A list of strings may be `["a", "b"]`, `['a', 'b']` or, as pandas writes a column of arrays,
    `['a' 'b']`. Raises `ValueError` for any other text.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        literal = _ESCAPE.sub(_known_escape, text)
        return _read_array(literal) if _ARRAY.fullmatch(literal) else _read_literal(literal)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text!r} is neither JSON nor a Python literal") from error


def _known_escape(match: re.Match[str]) -> str:
    """An escape; one that Python does not know stands for itself, and Python would warn of it."""
    return match[0] if match[1] in _KNOWN_ESCAPES else "\\" + match[0]


def _read_array(text: str) -> list[Any]:
    """The items of a numpy array, which has no commas: Python would join its strings into one."""
    return [ast.literal_eval(item) for item in _ITEMS.findall(text)]


def _read_literal(text: str) -> Any:
    tree = ast.parse(text.strip(), mode="eval")
    try:
        return ast.literal_eval(tree)
    except ValueError:
        return ast.literal_eval(ast.fix_missing_locations(_Plain().visit(tree)))


class _Plain(ast.NodeTransformer):
    """What is no literal in a printed value, such as `Timestamp('…')` and `nan`, made one."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "array" and node.args:
            return self.visit(node.args[0])  # type: ignore[no-any-return]
        return ast.Constant(ast.unparse(node))

    def visit_Name(self, _: ast.Name) -> ast.AST:
        return ast.Constant(None)
