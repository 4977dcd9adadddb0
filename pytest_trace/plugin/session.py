"""What one run knows beyond its options: its judges, its sentencizer and its ledger."""

from __future__ import annotations

import threading

import pytest

from pytest_trace.errors import UnknownName
from pytest_trace.judges import Judge, judge_name, make_judge, require_judge
from pytest_trace.judges.registry import require_known
from pytest_trace.plugin.options import Options
from pytest_trace.report.ledger import Ledger
from pytest_trace.sentences import Sentencizer, make_sentencizer


class RagSession:
    """The parts of a run that are made once and shared by its tests."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self._config = config
        self.options = options
        self.ledger = Ledger()
        self._lock = threading.RLock()
        self._judges: dict[str, Judge] = {}
        self._sentencizer: Sentencizer | None = None

    def judge(self, spec: str | None = None) -> Judge:
        """The judge of a spec, made once; without one, the judge of this run."""
        spec = self.options.judge if spec is None else spec
        with self._lock:
            if spec not in self._judges:
                self._judges[spec] = self._make_judge(spec)
            return self._judges[spec]

    def sentencizer(self) -> Sentencizer:
        """The sentencizer of this run."""
        with self._lock:
            if self._sentencizer is None:
                self._sentencizer = self._make_sentencizer(self.options.sentencizer)
            return self._sentencizer

    def known_recall(self) -> dict[str, float]:
        """By judge, the share of unsupported responses it is known to find; where it is known."""
        return {
            judge_name(judge): judge.known_recall
            for judge in self._judges.values()
            if hasattr(judge, "known_recall")
        }

    def require_known_names(self) -> None:
        """Raise `pytest.UsageError` for a judge or sentencizer of the run that nobody knows."""
        sources = self.options.sources
        if "judge" in sources:
            self.require_known_judge(self.options.judge, sources["judge"])
        if "sentencizer" in sources:
            try:
                self.sentencizer()
            except UnknownName as error:
                raise pytest.UsageError(f"{sources['sentencizer']}: {error}") from error

    def require_known_judge(self, spec: str, where: str) -> None:
        """Raise `pytest.UsageError` for a judge that nobody knows; `where` is where it was named.

        Where a plugin makes judges of its own, asking it is the only way to know.
        """
        try:
            if self._config.hook.pytest_rag_make_judge.get_hookimpls():
                self.judge(spec)
            else:
                require_known(spec)
        except UnknownName as error:
            raise pytest.UsageError(f"{where}: {error}") from error

    def _make_judge(self, spec: str) -> Judge:
        made = self._config.hook.pytest_rag_make_judge(spec=spec, config=self._config)
        if made is not None:
            return require_judge(made, f"pytest_rag_make_judge made for {spec!r}")
        return make_judge(spec)

    def _make_sentencizer(self, name: str) -> Sentencizer:
        made: Sentencizer | None = self._config.hook.pytest_rag_make_sentencizer(
            spec=name, config=self._config
        )
        return make_sentencizer(name) if made is None else made
