"""What a run of `rag-trace score` is to do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_trace.cli.scoring.predictions import Predictions, Survey
from pytest_trace.cli.scoring.scorer import Scorer, Setup
from pytest_trace.errors import InvalidCase, UnknownName
from pytest_trace.judges.voting import require_odd
from pytest_trace.metrics import require_known


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOrder:
    """How Groq's Batch API is used: the time it may take, and how often it is asked."""

    window: str
    poll_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is wanted. `processes` and `concurrency` are chosen by the judge where they are None."""

    predictions: Predictions
    setup: Setup
    out: Path
    processes: int | None = None
    concurrency: int | None = None
    executor: str | None = None
    batch: BatchOrder | None = None
    retry_errors: bool = False
    summary: Path | None = None

    def require_possible(self) -> None:
        """Raise `UnknownName` or `InvalidCase` for what cannot be done, before anything is."""
        require_known(self.setup.formula, self.setup.length)
        self._require_one_kind_of_workers()
        self._require_votes()
        for path in (self.out, self.summary):
            if path is not None and (path.is_dir() or not path.parent.is_dir()):
                what = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
                raise InvalidCase(f"{path} cannot be written: {what}")
        if self.summary == self.out:
            raise InvalidCase(f"--summary and --out are both {self.out}; name two files")
        if self.out.exists() and self.out.samefile(self.predictions.path):
            raise InvalidCase(f"{self.out} holds the predictions; name another file with --out")

    def _require_one_kind_of_workers(self) -> None:
        given = {
            "--processes": self.processes is not None and self.processes > 1,
            "--concurrency": self.concurrency is not None and self.concurrency > 1,
            "--executor": self.executor is not None,
            "--batch": self.batch is not None,
        }
        named = [option for option, is_given in given.items() if is_given]
        if len(named) > 1:
            raise UnknownName(f"{' and '.join(named)} exclude each other; give one of them")
        limits = self.setup.limits
        if self.executor is not None and (limits.max_calls, limits.max_cost) != (None, None):
            raise UnknownName(
                "--max-calls and --max-cost are kept by one machine; leave out --executor"
            )
        if self.batch is not None:
            self._require_batches()

    def _require_batches(self) -> None:
        if not self.setup.judge.startswith("groq:"):
            raise UnknownName(f"--batch is for groq:MODEL; the judge is {self.setup.judge!r}")
        if self.setup.cache is None:
            raise UnknownName("--batch keeps what it paid for in the cache; leave out --no-cache")
        if self.setup.votes > 1:
            raise UnknownName("--batch asks once for each row; leave out --votes")

    def _require_votes(self) -> None:
        try:
            require_odd(self.setup.votes)
        except ValueError as error:
            raise UnknownName(f"--{error}") from None
        if self.setup.votes > 1 and self.setup.llm.temperature == 0.0:
            raise UnknownName(
                f"--votes is {self.setup.votes}, but --temperature is 0: a judge would only "
                "repeat itself; set --temperature, such as 0.7"
            )


def run_of(order: Order, scorer: Scorer, survey: Survey) -> dict[str, Any]:
    """Everything that makes the bytes of the rows, for the file beside them."""
    setup = order.setup
    return {
        "judge": json.loads(scorer.identity),
        "settings": {
            "marks": setup.marks,
            "formula": setup.formula,
            "length": setup.length,
            "metadata_keys": list(setup.metadata_keys),
            "votes": setup.votes,
            "config": None if setup.config is None else setup.config.to_json(),
            "sentencizer": scorer.settings.sentencizer.version,
            "shape": order.predictions.shape,
            "fields": dict(order.predictions.fields),
            "on_bad_row": order.predictions.on_bad_row,
        },
        "input": {"rows": survey.count, "sha256": survey.fingerprint},
    }
