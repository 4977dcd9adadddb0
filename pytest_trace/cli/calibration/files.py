"""What `rag-trace calibrate` writes: the report as JSON, disagreements, and a threshold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pytest_trace.cli.calibration.judging import Judged
from pytest_trace.cli.calibration.report import Figure, Report, SetReport
from pytest_trace.judges import Judge, judge_name
from pytest_trace.marks import CheckedSupport


def report_json(report: Report) -> dict[str, Any]:
    """The figures of a report as JSON values."""
    return {
        "sets": {each.name: _set_json(each) for each in report.sets},
        "mean": {name: asdict(figure) for name, figure in report.mean.items()},
        "threshold": report.limit.value,
        "max_false_alarms": report.limit.max_false_alarms,
        "is_interrupted": report.is_interrupted,
    }


def _set_json(each: SetReport) -> dict[str, Any]:
    return {
        "rows": each.rows,
        "labelled": each.labelled,
        "hallucinated": each.hallucinated,
        "clusters": each.clusters,
        "seconds": each.seconds,
        "rows_per_second": each.rows_per_second,
        "not_judged": [{"id": item.labels.id, "reason": item.message} for item in each.faults],
        "peer_rows": {name: count for name, count in each.peer_rows.items() if count},
        "figures": {name: asdict(figure) for name, figure in each.figures.items()},
    }


def threshold_json(report: Report, judge: Judge) -> dict[str, Any]:
    """A threshold with the judge it holds for and what it did on rows it was not chosen on."""
    tested = {
        name: {part: _tested(figures, name, part) for part in ("recall", "false_alarms")}
        for name in report.limit.flags
        for figures in [report.mean or report.sets[0].figures]
    }
    return {
        "judge": judge_name(judge),
        "version": judge.version,
        "threshold": report.limit.value,
        "max_false_alarms": report.limit.max_false_alarms,
        "rows": sum(each.labelled for each in report.sets),
        "sets": [each.name for each in report.sets if each.labelled],
        "tested": tested,
    }


def _tested(figures: Mapping[str, Figure], name: str, part: str) -> dict[str, Any] | None:
    figure = figures.get(f"{name}_{part}")
    return None if figure is None else asdict(figure)


def disagreements(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """What a person should read: the judge's decision is not the label. The surest come first."""
    wrong = [
        item
        for item in judged
        if item.labels.is_supported is not None and item.is_flagged == item.labels.is_supported
    ]
    wrong.sort(key=lambda item: (-_sureness(item), item.labels.set, item.labels.id))
    return [_disagreement(item) for item in wrong]


def _sureness(item: Judged) -> float:
    """The probability of what was decided."""
    return 1 - item.score if item.is_flagged else item.score


def _disagreement(item: Judged) -> dict[str, Any]:
    labels, trace = item.labels, item.labels.sentences.trace
    return {
        "set": labels.set,
        "id": labels.id,
        "question": trace.question,
        "response": trace.response,
        "label": _said(is_supported=bool(labels.is_supported)),
        "decision": _said(is_supported=not item.is_flagged),
        "probability": item.probability,
        "sentences": [_sentence(item, support) for support in item.evaluation.support],
        "documents": [document.text for document in trace.documents],
    }


def _said(*, is_supported: bool) -> str:
    return "supported" if is_supported else "hallucinated"


def _sentence(item: Judged, support: CheckedSupport) -> dict[str, Any]:
    by_key = item.labels.sentences.by_key
    return {
        "text": by_key[support.key].text,
        "decision": _said(is_supported=support.is_supported),
        "probability": support.probability,
        "reason": support.reason,
        "evidence": [by_key[key].text for key in support.document_keys],
    }


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """One object a line; lone surrogates stay as escapes."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
