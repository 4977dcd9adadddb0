"""The judge `nli`: whether a document sentence entails what the response says."""

from pytest_trace.judges.nli.judge import NliJudge

__all__ = ["NliJudge"]
