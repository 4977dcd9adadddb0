"""Cells of a table: the lists and objects that stand in them as text."""

from __future__ import annotations

import ast
import io
import json
import token
import tokenize
import warnings
from typing import Any, Final

_LAYOUT: Final = frozenset(
    {token.NEWLINE, token.ENDMARKER, tokenize.NL, tokenize.COMMENT, token.INDENT, token.DEDENT}
)
_ITEMS: Final = frozenset({token.STRING, token.NUMBER})


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown escape in a text is no fault of ours
            array = _read_array(text) if text.lstrip().startswith("[") else None
            return _read_literal(text) if array is None else array
    except (SyntaxError, tokenize.TokenError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text!r} is neither JSON nor a Python literal") from error


def _read_array(text: str) -> list[Any] | None:
    """The items of a numpy array, which has no commas: Python would join its strings into one."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    words = [word for word in tokens if word.type not in _LAYOUT]
    items = words[1:-1]
    if words[-1].string != "]" or not all(item.type in _ITEMS for item in items):
        return None
    return [ast.literal_eval(item.string) for item in items]


def _read_literal(text: str) -> Any:
    tree = ast.parse(text.strip(), mode="eval")
    return ast.literal_eval(ast.fix_missing_locations(_Plain().visit(tree)))


class _Plain(ast.NodeTransformer):
    """What is no literal in a printed value, such as `Timestamp('…')` and `nan`, made one."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "array" and node.args:
            return self.visit(node.args[0])  # type: ignore[no-any-return]
        return ast.Constant(ast.unparse(node))

    def visit_Name(self, _: ast.Name) -> ast.AST:
        return ast.Constant(None)
