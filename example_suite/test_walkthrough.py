"""One small trace from its texts to its scores, step by step."""

import pytest

from pytest_trace import KeyedTrace, SentenceSupport, Trace, Verdict, evaluate
from pytest_trace.metrics import score
from pytest_trace.sentences import Sentencizer

TRACE = Trace(
    question="What is COVID-19?",
    documents=[
        "COVID-19 is an infectious disease caused by the virus SARS-CoV-2.",
        "COVID-19 spreads mainly through droplets and aerosols from the breath of infected people.",
        "Vaccines lower the risk of a severe illness.",
    ],
    response=(
        "COVID-19 is an infectious disease caused by the virus SARS-CoV-2. "
        "It spreads mainly through droplets and aerosols."
    ),
)


@pytest.fixture
def sentences(rag_sentencizer: Sentencizer) -> KeyedTrace:
    return KeyedTrace.from_trace(TRACE, rag_sentencizer)


@pytest.fixture
def verdict() -> Verdict:
    """What a careful reader decides; a judge returns the same."""
    return Verdict(
        relevant=frozenset({"doc_0_s0", "doc_1_s0"}),
        utilized=frozenset({"doc_0_s0", "doc_1_s0"}),
        support=(
            SentenceSupport("resp_s0", supported=True, document_keys=("doc_0_s0",)),
            SentenceSupport("resp_s1", supported=True, document_keys=("doc_1_s0",)),
        ),
    )


def test_texts_become_keys(sentences: KeyedTrace) -> None:
    """Step 1: each sentence of each document and of the response gets a key."""
    assert [sentence.key for sentence in sentences.documents] == [
        "doc_0_s0",
        "doc_1_s0",
        "doc_2_s0",
    ]
    assert [sentence.key for sentence in sentences.response] == ["resp_s0", "resp_s1"]
    second = sentences.response[1]
    assert second.text == "It spreads mainly through droplets and aerosols."
    assert TRACE.response[second.start : second.end] == second.text


def test_keys_become_scores(sentences: KeyedTrace, verdict: Verdict) -> None:
    """Steps 2 and 3: the verdict names keys, and the scores count them."""
    scores = score(sentences, verdict)
    assert scores.relevance == pytest.approx(2 / 3)
    assert scores.utilization == pytest.approx(2 / 3)
    assert scores.completeness == 1.0
    assert scores.adherence == 1.0


def test_labeling_formula(sentences: KeyedTrace, verdict: Verdict) -> None:
    """The `labeling` formula calls relevance full from 20 relevant sentences on."""
    scores = score(sentences, verdict, formula="labeling")
    assert scores.relevance == pytest.approx(0.10)
    assert scores.utilization == 1.0
    assert scores.completeness == 1.0
    assert scores.adherence == 1.0
    assert scores.mean == pytest.approx(0.775)


def test_evaluate_takes_all_steps(verdict: Verdict) -> None:
    """`evaluate` splits, asks the judge and counts; the judge agrees with the reader."""
    evaluation = evaluate(TRACE)
    assert evaluation.verdict.relevant == verdict.relevant
    assert evaluation.verdict.utilized == verdict.utilized
    assert [support.supported for support in evaluation.verdict.support] == [True, True]
    assert evaluation.scores == score(evaluation.sentences, verdict)
