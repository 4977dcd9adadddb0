"""One test for each line of cases.jsonl."""

from collections.abc import Callable

import pytest

from pytest_trace import Trace, assert_trace

Ask = Callable[[str], Trace]


@pytest.mark.rag_cases("cases.jsonl")
def test_case(ask: Ask, rag_case) -> None:
    """The right page is found, the answer is supported and has the expected words."""
    trace = ask(rag_case.question)
    assert rag_case["page"] in {document.id.partition("#")[0] for document in trace.documents}
    assert_trace(trace, adherent=True, relevance=0.05)
    assert [words for words in rag_case["expected"] if words not in trace.response] == []
