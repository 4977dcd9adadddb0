"""Judges: what decides which sentences matter and which have support."""

from pytest_trace.judges.base import AnyJudge, AsyncJudge, Judge, judge_name
from pytest_trace.judges.registry import make_judge, require_judge

__all__ = ["AnyJudge", "AsyncJudge", "Judge", "judge_name", "make_judge", "require_judge"]
