from collections.abc import Callable
from pathlib import Path

import pytest
from helpdesk import Assistant
from traces import trace_of

from pytest_trace import Trace

PAGES = Path(__file__).parent / "corpus"


@pytest.fixture(scope="session")
def assistant() -> Assistant:
    """The assistant under test, over all pages of the help centre."""
    return Assistant.over(PAGES)


@pytest.fixture
def ask(assistant: Assistant) -> Callable[[str], Trace]:
    """Asks the assistant a question and gives the trace of its answer."""
    return lambda question: trace_of(assistant.ask(question))
