"""Evaluations: one trace, judged and scored."""

from pytest_trace.evaluation.asking import (
    Check,
    RunningTest,
    Settings,
    Subject,
    current_settings,
    evaluate_with,
    keyed,
)
from pytest_trace.evaluation.awaiting import aevaluate, aevaluate_many
from pytest_trace.evaluation.evaluating import evaluate, evaluate_checked, evaluate_many
from pytest_trace.evaluation.value import Evaluation

__all__ = [
    "Check",
    "Evaluation",
    "RunningTest",
    "Settings",
    "Subject",
    "aevaluate",
    "aevaluate_many",
    "current_settings",
    "evaluate",
    "evaluate_checked",
    "evaluate_many",
    "evaluate_with",
    "keyed",
]
