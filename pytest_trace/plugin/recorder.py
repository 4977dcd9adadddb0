"""What `--rag-record` knows of a run: which test used which verdicts, passed, and was collected."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_trace.errors import InvalidRecording
from pytest_trace.store.entry import StoredVerdict
from pytest_trace.store.recording import RunUse, write_recording

_COLLECTED, _IS_WHOLE = "rag_collected", "rag_is_whole"  # what a worker of xdist tells

_SELECTING = (
    "keyword",
    "markexpr",
    "lf",
    "deselect",
    "ignore",
    "ignore_glob",
    "stepwise",
)


class Recorder:
    """Gathers in the controller what a run used, and writes it when the run is over."""

    def __init__(self, path: Path, lock: Path) -> None:
        self._path = path
        self._lock = lock
        self._used: dict[str, dict[str, StoredVerdict]] = {}
        self._passed: dict[str, bool] = {}
        self._collected: set[str] = set()
        self._is_whole = True

    def take(self, report: pytest.TestReport, lines: Iterable[str]) -> None:
        """Take note of a report and of the verdicts that its test used; the last attempt counts."""
        if report.when == "setup":
            self._passed[report.nodeid] = True
        is_pass = report.passed and not hasattr(report, "wasxfail")
        self._passed[report.nodeid] = self._passed.get(report.nodeid, True) and is_pass
        if report.when == "teardown":
            entries = (StoredVerdict.from_json(json.loads(line)) for line in lines)
            self._used[report.nodeid] = {entry.key: entry for entry in entries}

    def add_collected(self, nodeids: Iterable[str], *, is_whole: bool) -> None:
        """Take note of what a process collected, and whether that was the whole suite."""
        self._collected.update(nodeids)
        self._is_whole = self._is_whole and is_whole

    def write(self) -> str:
        """Write the recording; what was done, or why it was not, in a line."""
        use = RunUse(
            used={test: entries.values() for test, entries in self._used.items()},
            passed=frozenset(test for test, is_pass in self._passed.items() if is_pass),
            collected=frozenset(self._collected) if self._is_whole and self._collected else None,
        )
        try:
            count = write_recording(self._path, use, lock=self._lock)
        except (InvalidRecording, OSError) as error:
            return f"nothing was recorded: {error}"
        if not count:
            return "nothing was recorded: no test used a judge whose verdicts are stored"
        return f"{self._path.name} holds {count:,} verdicts; commit it, and CI needs no key"


def tell_collected(
    config: pytest.Config,
    recorder: Callable[[], Recorder],
    before: Sequence[str],
    after: Sequence[str],
) -> None:
    """Tell the recorder what this process collected; a worker of xdist sends it at its end."""
    is_whole = _is_whole_suite(config, before, after)
    output: dict[str, object] | None = getattr(config, "workeroutput", None)
    if output is None:
        recorder().add_collected(after, is_whole=is_whole)
    else:
        output |= {_COLLECTED: list(after), _IS_WHOLE: is_whole}


def take_collected(recorder: Recorder, output: Mapping[str, Any]) -> None:
    """Take what a worker told; one that died has told nothing, and nothing is known to be gone."""
    recorder.add_collected(output.get(_COLLECTED, ()), is_whole=output.get(_IS_WHOLE, False))


def _is_whole_suite(config: pytest.Config, before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a run collects every test: no selection by option, path or any plugin."""
    if any(getattr(config.option, name, None) for name in _SELECTING):
        return False
    if config.args_source is pytest.Config.ArgsSource.ARGS and not _names_root(config):
        return False
    return set(before) == set(after)


def _names_root(config: pytest.Config) -> bool:
    return any(Path(argument).resolve() == config.rootpath for argument in config.args)
