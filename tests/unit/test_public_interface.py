"""What `import pytest_trace` gives, and what it does not load."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_trace

HEAVY = (
    "pydantic groq openai diskcache tabulate sentencex pyarrow wcwidth tenacity typer rich "
    "torch transformers huggingface_hub"
)


def test_the_names_for_type_checkers_are_those_that_are_loaded() -> None:
    """The imports under TYPE_CHECKING and the table of lazy names say the same."""
    tree = ast.parse(Path(pytest_trace.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.name: node.module.removeprefix("pytest_trace.")
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert typed == pytest_trace._MODULE_OF
    assert sorted(typed) == pytest_trace.__all__


@pytest.mark.parametrize("name", pytest_trace.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    """It can be imported and says in its docstring more than its signature."""
    value = getattr(pytest_trace, name)
    documentation = inspect.getdoc(value)
    assert documentation
    assert not documentation.startswith(f"{name}(")


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as in any module."""
    with pytest.raises(AttributeError, match="no attribute 'assert_adherant'"):
        pytest_trace.assert_adherant  # noqa: B018


def test_importing_the_package_loads_no_module_of_it() -> None:
    """`import pytest_trace` loads nothing; the first assertion loads no vendor but wcwidth."""
    program = f"""
import sys, pytest_trace
print(sorted(n for n in sys.modules if n.startswith("pytest_trace.")))
pytest_trace.assert_adherent
print(sorted(set({HEAVY!r}.split()) & set(sys.modules)))
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n['wcwidth']\n"


def test_a_verdict_of_lexical_loads_no_store() -> None:
    """The embedded judge needs sentencex alone: no cache, no client, no pydantic."""
    program = f"""
import sys
from pytest_trace import Trace, evaluate
evaluate(Trace("Is it red?", ["It is red."], "It is red."))
print(sorted(set({HEAVY!r}.split()) & set(sys.modules)))
"""
    environment = {"PATH": "", "PYTHONPATH": ""}
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert result.stdout == "['sentencex']\n"
