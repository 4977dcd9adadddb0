"""The ledger: scores and keys of every evaluated trace, and the faults of judges."""

from __future__ import annotations

from dataclasses import replace

import pytest
from building import evaluation, keyed, marked, supported, unsupported, verdict

from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.report.ledger import JudgeFault, Ledger, Row

NODE = "test_shop.py::test_refund"
JUDGED = evaluation(
    keyed(["You have 30 days.", "A meteorite is accepted."]),
    verdict(supported(0), unsupported(1), relevant=["doc_0_s1", "doc_0_s0"], utilized=["doc_0_s0"]),
)
REFUSED = evaluation(keyed(["I don't know."]), verdict(marked(0, None)))


@pytest.fixture
def ledger():
    """A ledger with nothing in it."""
    return Ledger()


def test_row_keeps_scores_and_keys():
    """A row has no text: who judged, what was scored, and which keys were decided."""
    assert Row.of(NODE, JUDGED) == Row(
        nodeid=NODE,
        judge="fixed",
        scores=JUDGED.scores,
        is_refusal=False,
        relevant=("doc_0_s0", "doc_0_s1"),
        utilized=("doc_0_s0",),
        unsupported=("resp_s1",),
    )
    assert Row.of(NODE, REFUSED).is_refusal
    config = EvaluationConfig(chunk_size=512)
    assert Row.of(NODE, replace(JUDGED, evaluation_config=config)).config == config


def test_keys_are_kept_once():
    """Equal keys of many rows are one string: a run may have many thousand."""
    first, second = (Row.of(NODE, JUDGED) for _ in range(2))
    assert first.relevant[0] is second.relevant[0]


def test_rows_stand_in_the_order_in_which_tests_ended(ledger):
    """A test's traces stay together, in the order they were evaluated in."""
    assert ledger.add("b", [JUDGED, REFUSED]) == (Row.of("b", JUDGED), Row.of("b", REFUSED))
    ledger.add("a", [JUDGED])
    assert [(row.nodeid, row.is_refusal) for row in ledger] == [
        ("b", False),
        ("b", True),
        ("a", False),
    ]
    assert ledger.rows == list(ledger)


def test_last_attempt_counts(ledger):
    """A test that is run again replaces its rows, and keeps its place."""
    ledger.add("a", [JUDGED, JUDGED])
    ledger.add("b", [JUDGED])
    ledger.add("a", [REFUSED])
    assert ledger.rows == [Row.of("a", REFUSED), Row.of("b", JUDGED)]


def test_sources_add_up(ledger):
    """Verdicts come from every worker and every attempt: each call was made, and may have cost."""
    ledger.add_sources({"groq": {"judge": 2, "cache": 1}})
    ledger.add_sources({"groq": {"judge": 1}, "lexical": {"judge": 4}})
    assert ledger.sources == {"groq": {"judge": 3, "cache": 1}, "lexical": {"judge": 4}}


def test_fault_is_forgotten_when_the_judge_decides(ledger):
    """A test that is run again keeps only what its last attempt met."""
    ledger.add_fault("a", "no quota")
    ledger.add_fault("a", "no network")
    ledger.add_fault("b", "no key")
    ledger.forget_fault("b")
    ledger.forget_fault("c")
    assert ledger.faults == [JudgeFault("a", "no network")]


def test_ledger_is_true_if_there_is_something_to_tell(ledger):
    """Rows are, and so are faults."""
    assert not ledger
    ledger.add_fault("a", "no quota")
    assert ledger
    other = Ledger()
    other.add("a", [JUDGED])
    assert other
