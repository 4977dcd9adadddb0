"""The rows that are written: one JSON object a line, the same bytes for the same evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pytest_trace.datasets.cases import Case
from pytest_trace.errors import (
    BudgetExceeded,
    InvalidCase,
    JudgeError,
    JudgeUnavailable,
    MissingKey,
)
from pytest_trace.evaluation import Evaluation
from pytest_trace.evaluation_config import METADATA_KEY, EvaluationConfig
from pytest_trace.judges import Judge, judge_name
from pytest_trace.marks import CheckedSupport

Reach = Literal["none", "row", "judge", "run"]
"""What a fault concerns: no fault, this row, perhaps every row of this judge, the whole run."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it is written, without its line end; `is_kept` where an earlier run wrote it."""

    text: str
    reach: Reach = "none"
    is_kept: bool = False


def row_of(case: Case, evaluation: Evaluation) -> Row:
    """The row of a case that was judged."""
    verdict = evaluation.verdict
    data = _begin(case, evaluation.judge, evaluation.judge_version) | {
        "scores": evaluation.scores.to_json(),
        "refused": evaluation.refused,
        "probability": verdict.probability,
        "support": [_support(item) for item in evaluation.support],
        "relevant": sorted(verdict.relevant),
        "utilized": sorted(verdict.utilized),
        "notes": list(evaluation.notes),
    }
    return Row(_dumped(data | _declared(evaluation.evaluation_config)))


def fault_row(case: Case, judge: Judge, error: JudgeError, config: EvaluationConfig | None) -> Row:
    """The row of a case on which the judge could not decide; `config` is how it was retrieved."""
    said = {
        "type": type(error).__name__,
        "message": str(error.args[0]),
        "details": list(error.details),
    }
    data = _begin(case, judge_name(judge), judge.version) | {"error": said} | _declared(config)
    return Row(_dumped(data), _reach(error))


def read_row(line: str, where: str) -> dict[str, Any]:
    """The inverse; raises `InvalidCase` that says where anything else stands."""
    try:
        data = json.loads(line)
        if type(data["line"]) is int and ("error" in data or data["scores"].keys()):
            row: dict[str, Any] = data
            return row
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        pass
    raise InvalidCase(
        f"{where} is no row of rag-trace score; name another file with --out, or remove this one"
    )


def _reach(error: JudgeError) -> Reach:
    if isinstance(error, BudgetExceeded | MissingKey):
        return "run"
    return "judge" if isinstance(error, JudgeUnavailable) else "row"


def _begin(case: Case, judge: str, version: str) -> dict[str, Any]:
    return {"id": case.id, "line": case.line, "judge": judge, "judge_version": version}


def _support(item: CheckedSupport) -> dict[str, Any]:
    return {
        "key": item.key,
        "supported": item.is_supported,
        "role": item.role,
        "document_keys": list(item.document_keys),
        "probability": item.probability,
        "reason": item.reason,
    }


def _declared(config: EvaluationConfig | None) -> dict[str, Any]:
    return {} if config is None else {METADATA_KEY: config.to_json()}


def _dumped(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"))
