"""What one run knows beyond its options: judges, sentencizer, stored verdicts, ledger."""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_trace.errors import UnknownName, hide_own_frames
from pytest_trace.evaluation import ask_judge
from pytest_trace.judges import Judge, make_judge, require_judge
from pytest_trace.judges.metering import call_counted
from pytest_trace.judges.registry import known_recall, require_known
from pytest_trace.plugin.settings import Options
from pytest_trace.report.ledger import Ledger
from pytest_trace.sentences import KeyedTrace, Sentencizer, make_sentencizer
from pytest_trace.verdict import Verdict

if TYPE_CHECKING:
    from pytest_trace.judges.stored import VerdictStore
    from pytest_trace.llm.settings import LlmSettings
    from pytest_trace.plugin.recorder import Recorder
    from pytest_trace.store.run_state import RunState, RunTotals

__tracebackhide__ = hide_own_frames


class RagSession:
    """The parts of a run that are made once and shared by its tests."""

    def __init__(self, config: pytest.Config, options: Options, run_id: str) -> None:
        self.options = options
        self.ledger = Ledger()
        self.config = config
        self.run_id = run_id
        self._recorder: Recorder | None = None
        self._notices: list[str] = []
        self._lock = threading.RLock()
        self._judges: dict[str, Judge] = {}
        self._sentencizer: Sentencizer | None = None
        self._store: VerdictStore | None = None
        self._state: RunState | None = None

    @property
    def recording_path(self) -> Path:
        """The recording of this project."""
        from pytest_trace.store.recording import FILE_NAME

        return self.config.rootpath / FILE_NAME

    @property
    def cache_folder(self) -> Path:
        """The folder of the cache, below rootdir unless it is given whole."""
        return self.config.rootpath / self.options.cache_dir

    def judge(self, spec: str | None = None) -> Judge:
        """The judge of a spec, made once; without one, the judge of this run."""
        spec = self.options.judge if spec is None else spec
        with self._lock:
            if spec not in self._judges:
                self._judges[spec] = self._make_judge(spec)
            return self._judges[spec]

    def has_made(self, judge: Judge) -> bool:
        """Whether the run made this judge from a spec: what users bring may not bear threads."""
        with self._lock:
            return any(judge is made for made in self._judges.values())

    def sentencizer(self) -> Sentencizer:
        """The sentencizer of this run."""
        with self._lock:
            if self._sentencizer is None:
                self._sentencizer = self._make_sentencizer(self.options.sentencizer)
            return self._sentencizer

    def store(self) -> VerdictStore:
        """What stands in front of the judges of this run."""
        with self._lock:
            if self._store is None:
                self._store = self._make_store()
            return self._store

    def state(self) -> RunState:
        """What all processes of this run share: calls, budgets, rate limits."""
        with self._lock:
            if self._state is None:
                self._state = self._make_state()
            return self._state

    def recorder(self) -> Recorder:
        """What gathers for the recording what this run uses."""
        if self._recorder is None:
            from pytest_trace.plugin.recorder import Recorder

            self._recorder = Recorder(
                self.recording_path, self.cache_folder / "locks" / "recording.lock"
            )
        return self._recorder

    def call(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        """Call a judge; an LLM judge counts its own calls, any other that costs is counted here."""
        return call_counted(judge, sentences, ask_judge, self.state)

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
            if self.config.hook.pytest_rag_make_judge.get_hookimpls():
                self.judge(spec)
            else:
                require_known(spec)
        except UnknownName as error:
            raise pytest.UsageError(f"{where}: {error}") from error

    def add_notice(self, text: str) -> None:
        """Have something said once, in the summary."""
        self._notices.append(text)

    def take_notices(self) -> list[str]:
        """Hand over what has to be said once, and forget it."""
        taken, self._notices[:] = list(self._notices), []
        return taken

    def known_recall(self) -> dict[str, float]:
        """By judge, the share of unsupported responses it is known to find; where it is known."""
        names = {row.judge for row in self.ledger}
        return {name: recall for name in names if (recall := known_recall(name)) is not None}

    def totals(self) -> RunTotals | None:
        """What the calls of the run took, of all its processes; None where nothing was asked."""
        return self.state().totals() if self._state_folder.exists() else None

    def close(self) -> None:
        """The run is over: what its processes shared is removed by the one that outlives them."""
        if self._store is not None:
            self._store.close()
        if not hasattr(self.config, "workerinput"):
            shutil.rmtree(self._state_folder, ignore_errors=True)

    @property
    def _state_folder(self) -> Path:
        return Path(tempfile.gettempdir()) / f"pytest-rag-{self.run_id}"

    def _make_judge(self, spec: str) -> Judge:
        made = self.config.hook.pytest_rag_make_judge(spec=spec, config=self.config)
        if made is not None:
            return require_judge(made, f"pytest_rag_make_judge made for {spec!r}")
        return make_judge(spec, settings=_llm_settings(self.options), state=self.state)

    def _make_sentencizer(self, name: str) -> Sentencizer:
        made: Sentencizer | None = self.config.hook.pytest_rag_make_sentencizer(
            spec=name, config=self.config
        )
        return make_sentencizer(name) if made is None else made

    def _make_store(self) -> VerdictStore:
        from pytest_trace.judges.stored import VerdictStore
        from pytest_trace.store.cache import VerdictCache

        options = self.options
        cache = VerdictCache(self.cache_folder, run=self.run_id, say=self._notices.append)
        return VerdictStore(
            recording=self.recording_path,
            cache=None if options.no_cache else cache,
            is_offline=options.offline,
            is_refreshing=options.refresh,
        )

    def _make_state(self) -> RunState:
        from pytest_trace.store.run_state import RunLimits, RunState

        limits = RunLimits(max_calls=self.options.max_calls, max_cost=self.options.max_cost)
        return RunState(self._state_folder, limits, say=self._notices.append)


def _llm_settings(options: Options) -> LlmSettings:
    from pytest_trace.llm.settings import LlmSettings

    return LlmSettings(
        key_variable=options.key_variable,
        base_url=options.base_url,
        temperature=options.temperature,
        reasoning_effort=options.reasoning_effort,
        timeout_seconds=options.timeout_seconds,
        max_wait_seconds=options.max_wait_seconds,
        context_tokens=options.context_tokens,
    )
