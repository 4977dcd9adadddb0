"""RAG tests beside unit tests: TRACe scores, the evidence for every sentence, failing builds.

The names below are all there is to import; each module loads when one of its names is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from pytest_trace.evaluation import Evaluation, evaluate, evaluate_many
    from pytest_trace.evaluation_config import EvaluationConfig
    from pytest_trace.explain import explanation
    from pytest_trace.judges import Judge, make_judge
    from pytest_trace.judges.nli import NliJudge
    from pytest_trace.metrics import DocumentScores, TraceScores, diagnose
    from pytest_trace.report.means import MeanScores, mean_scores
    from pytest_trace.sentences import KeyedTrace, Sentence, Sentencizer, Span, make_sentencizer
    from pytest_trace.trace import Document, Trace, Turn
    from pytest_trace.verdict import SentenceSupport, Verdict

_MODULES = {
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
    "evaluation": ("Evaluation", "evaluate", "evaluate_many"),
    "evaluation_config": ("EvaluationConfig",),
    "explain": ("explanation",),
    "judges": ("Judge", "make_judge"),
    "judges.nli": ("NliJudge",),
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


def __dir__() -> list[str]:
    return sorted(__all__)
