"""Plugin tests run real pytest on small projects, in this process unless they say otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fakes
import pytest

TRACES = """
from pytest_trace import Trace

def trace(response="It is red.", documents=("The bicycle is red.",), question="What colour is it?"):
    return Trace(question, documents, response)
"""


OTHERS = ("asyncio", "anyio", "rerunfailures", "random_order", "hypothesispytest")


@pytest.fixture(autouse=True)
def _few_plugins(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inner runs leave out plugins of the outer one, and find the fakes in other processes."""
    monkeypatch.setenv("PYTHONPATH", str(Path(fakes.__file__).parent))
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in OTHERS))


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project whose judge is the fake one; `traces.trace()` makes a trace."""
    pytester.makeini("[pytest]\nrag_judge = fakes:FakeJudge\npythonpath = .\n")
    pytester.makepyfile(traces=TRACES)
    return pytester


@pytest.fixture(params=["plain", "xdist"])
def run(
    request: pytest.FixtureRequest, pytester: pytest.Pytester
) -> Callable[..., pytest.RunResult]:
    """Run the project plainly, and once more with two workers."""
    extra = ("-n", "2") if request.param == "xdist" else ()

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest(*extra, *arguments)

    return run
