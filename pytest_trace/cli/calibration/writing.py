"""The files that a calibration was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_trace.cli.calibration.files import disagreements, threshold_json, write_jsonl
from pytest_trace.cli.calibration.outcome import Outcome
from pytest_trace.cli.calibration.plot import plot_of
from pytest_trace.errors import InvalidCase
from pytest_trace.report.screen import plural


class Files(NamedTuple):
    """Where to write what; None where it is not wanted."""

    disagreements: Path | None
    plot: Path | None
    threshold: Path | None

    def require_writable(self) -> None:
        """Judging may take long and cost: raises `InvalidCase` before, for what no file can be."""
        for path in self:
            if path is not None and (path.is_dir() or not path.parent.is_dir()):
                what = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
                raise InvalidCase(f"{path} cannot be written: {what}")

    def write(self, outcome: Outcome) -> Iterator[str]:
        """Write each; what was written, or why it was not, as lines."""
        if self.disagreements is not None:
            cases = disagreements(outcome.judged)
            write_jsonl(self.disagreements, cases)
            yield f"wrote {plural(len(cases), 'disagreement')} to {self.disagreements}"
        if self.plot is not None:
            self.plot.write_text(plot_of(outcome.judge, outcome.judged), encoding="utf-8")
            yield f"wrote a reliability plot to {self.plot}"
        if self.threshold is not None:
            yield _write_threshold(self.threshold, outcome)


def _write_threshold(path: Path, outcome: Outcome) -> str:
    report = outcome.report
    if report.is_interrupted or report.limit.value is None:
        reason = "it was stopped before the end" if report.is_interrupted else "no row is supported"
        return f"no threshold was written to {path}: {reason}"
    data = threshold_json(report, outcome.judge)
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return f"wrote the threshold {report.limit.value:.4f} to {path}"
