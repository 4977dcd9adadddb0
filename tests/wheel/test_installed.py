"""The installed wheel, as a user's first test meets it; run by `make wheel-smoke`."""

import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

import pytest_trace
from pytest_trace import Trace, assert_adherent, assert_relevance_above

TRACE = Trace(
    question="How long do I have to return a laptop?",
    documents=[
        "Laptops can be returned within 30 days of delivery. The box must be complete.",
        "Gift cards cannot be returned.",
    ],
    response="Laptops can be returned within 30 days of delivery.",
)
WRONG = Trace(TRACE.question, TRACE.documents, "Laptops can be returned within 90 days.")


def test_it_is_the_installed_package() -> None:
    """The package under test stands in site-packages, with its type marker and licence."""
    assert "site-packages" in pytest_trace.__file__
    assert Path(pytest_trace.__file__).with_name("py.typed").exists()
    files = [str(file) for file in distribution("pytest-rag-trace").files or ()]
    assert any(name.endswith("licenses/LICENSE") for name in files)


def test_a_supported_response() -> None:
    """The first test of the README passes without a key."""
    assert_adherent(TRACE)
    assert_relevance_above(TRACE, 0.3)


def test_a_hallucination_fails() -> None:
    """A figure that no document has fails the test, and is named."""
    with pytest.raises(AssertionError, match="90"):
        assert_adherent(WRONG)


def test_its_modules_are_loaded_from_their_bytecode() -> None:
    """pytest does not compile them anew in each run to rewrite asserts that are not there."""
    assert_adherent(TRACE)
    loaders = {
        name: type(module.__loader__).__name__
        for name, module in sys.modules.items()
        if name.startswith("pytest_trace.")
    }
    assert "pytest_trace.judges.lexical" in loaders
    rewritten = [name for name in loaders if loaders[name] != "SourceFileLoader"]
    assert rewritten == ["pytest_trace.plugin"]  # which sees to it
