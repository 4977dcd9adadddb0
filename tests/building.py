"""Values for tests, from as little as a test wants to say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fakes import FixedJudge

from pytest_trace.evaluation import Evaluation, evaluate
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.metrics import TraceScores
from pytest_trace.report.ledger import Row
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace
from pytest_trace.verdict import SentenceSupport, Verdict

DOCUMENTS = (
    ("Laptops can be returned within 30 days.", "A receipt is needed."),
    ("The shop opens at 9.", "It closes at 18."),
)
QUESTION = "How long do I have to return a laptop?"


def keyed(
    response: Sequence[str] = ("You have 30 days.",),
    *,
    documents: Sequence[Sequence[str]] = DOCUMENTS,
    question: str = QUESTION,
) -> KeyedTrace:
    """A trace with these sentences."""
    trace = Trace(question, [" ".join(group) for group in documents], " ".join(response))
    return KeyedTrace.from_sentences(trace, documents, response)


def verdict(
    *support: SentenceSupport, relevant: Iterable[str] = (), utilized: Iterable[str] = ()
) -> Verdict:
    """A verdict on these response sentences."""
    return Verdict(relevant=frozenset(relevant), utilized=frozenset(utilized), support=support)


def supported(number: int = 0, *keys: str, **fields: object) -> SentenceSupport:
    """Support for a response sentence, by the first document sentence if no other is named."""
    return SentenceSupport(
        f"resp_s{number}", supported=True, document_keys=keys or ("doc_0_s0",), **fields
    )


def marked(number: int, mark: str, *keys: str) -> SentenceSupport:
    """A response sentence that has support by its mark."""
    return SentenceSupport(f"resp_s{number}", supported=True, document_keys=keys, mark=mark)


def unsupported(number: int = 0, *keys: str, **fields: object) -> SentenceSupport:
    """A response sentence without support."""
    return SentenceSupport(f"resp_s{number}", supported=False, document_keys=keys, **fields)


def evaluation(sentences: KeyedTrace, given: Verdict, **options: str) -> Evaluation:
    """What `evaluate` makes of a verdict."""
    return evaluate(sentences, judge=FixedJudge(given), **options)


def scores(
    relevance: float | None = 0.5,
    utilization: float | None = 0.5,
    completeness: float | None = 0.5,
    adherence: float = 1.0,
    support: float | None = 1.0,
) -> TraceScores:
    """Scores, each in the middle or full if a test does not care."""
    return TraceScores(
        relevance=relevance,
        utilization=utilization,
        completeness=completeness,
        adherence=adherence,
        support=support,
    )


def row(
    nodeid: str = "test_shop.py::test_refund",
    of: TraceScores | None = None,
    *,
    judge: str = "lexical",
    is_refusal: bool = False,
    config: EvaluationConfig | None = None,
) -> Row:
    """A row of the ledger."""
    return Row(
        nodeid=nodeid,
        judge=judge,
        scores=of or scores(),
        is_refusal=is_refusal,
        relevant=(),
        utilized=(),
        unsupported=(),
        config=config,
    )
