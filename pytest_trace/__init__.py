"""RAG tests beside unit tests: TRACe scores, the evidence for every sentence, failing builds.

The names below are all there is to import; each module loads when one of its names is used.
PYTEST_DONT_REWRITE: there is no assert statement here, and it may be imported before pytest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_trace.assertions.answers import (
        assert_answer_matches,
        assert_context_relevant,
        assert_grounded_above,
    )
    from pytest_trace.assertions.context_use import (
        assert_citations_correct,
        assert_entity_recall_above,
        assert_no_unsupported_claims,
    )
    from pytest_trace.assertions.retrieval import assert_recall_at
    from pytest_trace.assertions.trace import (
        assert_adherent,
        assert_answers,
        assert_completeness_above,
        assert_refuses,
        assert_relevance_above,
        assert_support_above,
        assert_trace,
        assert_utilization_above,
    )
    from pytest_trace.context_report import ContextUse, context_use
    from pytest_trace.datasets.cases import Case
    from pytest_trace.datasets.reading import iter_cases, read_cases
    from pytest_trace.errors import (
        BudgetExceeded,
        InvalidCase,
        InvalidConfig,
        InvalidTrace,
        InvalidVerdict,
        JudgeError,
        JudgeReplyError,
        JudgeTimeout,
        JudgeUnavailable,
        MissingExtra,
        MixedResults,
        NotRecorded,
        RagTraceError,
        RagTraceWarning,
        SkippedRows,
        UnknownName,
    )
    from pytest_trace.evaluation import (
        Evaluation,
        aevaluate,
        aevaluate_many,
        evaluate,
        evaluate_many,
    )
    from pytest_trace.evaluation_config import EvaluationConfig
    from pytest_trace.explain import explanation
    from pytest_trace.judges import AsyncJudge, Judge, make_judge
    from pytest_trace.judges.nli import NliJudge
    from pytest_trace.measures.accuracy import rag_accuracy
    from pytest_trace.measures.answers import (
        AnswerScores,
        answer_scores,
        exact_match,
        rouge_l,
        token_f1,
    )
    from pytest_trace.measures.equivalence import Equivalence, equivalence
    from pytest_trace.measures.outcomes import QuestionResult, RagAccuracy
    from pytest_trace.measures.retrieval import (
        RetrievalReport,
        RetrievalScores,
        retrieval_report,
        retrieval_scores,
    )
    from pytest_trace.measures.sufficiency import context_sufficiency
    from pytest_trace.measures.triad import (
        TriadScores,
        answer_relevance,
        context_relevance,
        groundedness,
        triad_scores,
    )
    from pytest_trace.metrics import DocumentScores, TraceScores, diagnose
    from pytest_trace.report.means import MeanScores, mean_scores
    from pytest_trace.sentences import KeyedTrace, Sentence, Sentencizer, Span, make_sentencizer
    from pytest_trace.trace import Document, Trace, Turn
    from pytest_trace.verdict import SentenceSupport, Verdict

_MODULES = {
    "assertions.answers": (
        "assert_answer_matches",
        "assert_context_relevant",
        "assert_grounded_above",
    ),
    "assertions.context_use": (
        "assert_citations_correct",
        "assert_entity_recall_above",
        "assert_no_unsupported_claims",
    ),
    "assertions.retrieval": ("assert_recall_at",),
    "assertions.trace": (
        "assert_adherent",
        "assert_answers",
        "assert_completeness_above",
        "assert_refuses",
        "assert_relevance_above",
        "assert_support_above",
        "assert_trace",
        "assert_utilization_above",
    ),
    "context_report": ("ContextUse", "context_use"),
    "datasets.cases": ("Case",),
    "datasets.reading": ("iter_cases", "read_cases"),
    "errors": (
        "BudgetExceeded",
        "InvalidCase",
        "InvalidConfig",
        "InvalidTrace",
        "InvalidVerdict",
        "JudgeError",
        "JudgeReplyError",
        "JudgeTimeout",
        "JudgeUnavailable",
        "MissingExtra",
        "MixedResults",
        "NotRecorded",
        "RagTraceError",
        "RagTraceWarning",
        "SkippedRows",
        "UnknownName",
    ),
    "evaluation": ("Evaluation", "aevaluate", "aevaluate_many", "evaluate", "evaluate_many"),
    "evaluation_config": ("EvaluationConfig",),
    "explain": ("explanation",),
    "judges": ("AsyncJudge", "Judge", "make_judge"),
    "judges.nli": ("NliJudge",),
    "measures.accuracy": ("rag_accuracy",),
    "measures.answers": (
        "AnswerScores",
        "answer_scores",
        "exact_match",
        "rouge_l",
        "token_f1",
    ),
    "measures.equivalence": ("Equivalence", "equivalence"),
    "measures.outcomes": ("QuestionResult", "RagAccuracy"),
    "measures.retrieval": (
        "RetrievalReport",
        "RetrievalScores",
        "retrieval_report",
        "retrieval_scores",
    ),
    "measures.sufficiency": ("context_sufficiency",),
    "measures.triad": (
        "TriadScores",
        "answer_relevance",
        "context_relevance",
        "groundedness",
        "triad_scores",
    ),
    "metrics": ("DocumentScores", "TraceScores", "diagnose"),
    "report.means": ("MeanScores", "mean_scores"),
    "sentences": ("KeyedTrace", "Sentence", "Sentencizer", "Span", "make_sentencizer"),
    "trace": ("Document", "Trace", "Turn"),
    "verdict": ("SentenceSupport", "Verdict"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [  # noqa: PLE0604 - names, sorted; the test of this module compares them one by one
    *sorted(_MODULE_OF)
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        module = importlib.import_module(f"{__name__}.{_MODULE_OF[name]}")
        value = globals()[name] = getattr(module, name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def home_of(name: str) -> str:
    """The module that a public name stands in, without loading it; "" for any other name."""
    return f"{__name__}.{_MODULE_OF[name]}" if name in _MODULE_OF else ""


def __dir__() -> list[str]:
    return sorted(__all__)
