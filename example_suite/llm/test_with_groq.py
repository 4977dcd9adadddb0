"""The tests of any RAG application, judged by a model on Groq.

    export GROQ_API_KEY=...
    pytest                    # asks once for each trace, then never again: .rag_cache/
    pytest --rag-record       # writes rag_verdicts.jsonl, which is committed
    pytest --rag-offline      # what CI runs: no key, no network

Without a key the suite runs against a scripted server, to show that everything but the model works:
`pytest --scripted --rag-no-cache`. Scripted replies are no model's opinion, so nothing is recorded.
"""

import pytest

from pytest_trace import Trace, assert_adherent, assert_trace

PAGE = (
    "A refund is paid within 14 days after the parcel has arrived at our warehouse. "
    "It goes to the account the order was paid from. Gift cards are not refunded."
)


def ask(response: str) -> Trace:
    return Trace("When do I get my money back?", [PAGE], response)


def test_refund() -> None:
    trace = ask("A refund is paid within 14 days after the parcel has arrived at our warehouse.")
    assert_trace(trace, adherent=True, relevance=0.3, completeness=0.3)


def test_several_sentences() -> None:
    assert_adherent(
        ask("Gift cards are not refunded. It goes to the account the order was paid from.")
    )


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="nobody has promised an hour")
def test_hallucination() -> None:
    assert_adherent(ask("Your money is back within an hour."))
