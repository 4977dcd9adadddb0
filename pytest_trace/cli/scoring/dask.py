"""Workers of a Dask cluster: the only module that imports `distributed`."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

from pytest_trace.cli.scoring.scorer import Part, Setup, score_part, scorer_of, to_send
from pytest_trace.cli.scoring.workers import WorkersLostError
from pytest_trace.datasets.cases import Case
from pytest_trace.errors import MissingExtra, RagTraceError, UnknownName
from pytest_trace.judges import Judge
from pytest_trace.judges.asking import ask_judge
from pytest_trace.judges.metering import call_counted
from pytest_trace.sentences import KeyedTrace
from pytest_trace.store.run_state import RunTotals
from pytest_trace.verdict import Verdict

T = TypeVar("T")

_SCHEME: Final = "dask://"
_CONNECT_SECONDS: Final = 10.0
_WORKER_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 0.5
_QUEUED_FOR_EACH: Final = 3  # tasks for each thread of a worker
_FEWEST_QUEUED, _MOST_QUEUED = 32, 256  # tasks; an adaptive cluster grows by what is queued


class Cluster:
    """The Dask cluster behind `dask://HOST:PORT`; calls functions of this package on it.

    Raises `UnknownName` for another address, `MissingExtra` without distributed, and
    `WorkersLostError` where nobody answers.
    """

    def __init__(self, executor: str) -> None:
        if not executor.startswith(_SCHEME):
            raise UnknownName(f"unknown executor {executor!r}; known: {_SCHEME}HOST:PORT")
        try:
            from distributed import Client
        except ImportError as error:
            raise MissingExtra(
                f"{executor} needs Dask: pip install 'pytest-rag-trace[dask]'"
            ) from error
        for name in ("distributed", "distributed.client"):  # what matters is raised
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._address = f"tcp://{executor.removeprefix(_SCHEME)}"
        try:
            self._client = Client(self._address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise WorkersLostError(
                f"no Dask scheduler answers at {self._address} ({error}); start one: dask scheduler"
            ) from None
        self.width = self._counted_threads()

    def call(self, function: Callable[..., T], *args: Any) -> T:
        """What `function` returns on some worker.

        Dask calls it again where a worker dies. Raises `WorkersLostError` where that has no use.
        """
        try:
            result: T = self._client.submit(function, *args, pure=False).result()
        except RagTraceError:
            raise
        except CancelledError:
            raise WorkersLostError(f"the Dask scheduler at {self._address} is gone") from None
        except ImportError as error:
            raise WorkersLostError(
                f"the Dask workers at {self._address} cannot import {error.name}: install it "
                "there, and on the scheduler, in the same version"
            ) from None
        except Exception as error:
            raise WorkersLostError(
                f"the Dask workers at {self._address} failed: {type(error).__name__}: {error}"
            ) from error
        return result

    def close(self) -> None:
        """Leave; the scheduler drops what is still to do."""
        with suppress(OSError, TimeoutError):
            self._client.close(timeout=_CLOSE_SECONDS)

    def _counted_threads(self) -> int:
        try:
            self._client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except TimeoutError:
            self.close()
            raise WorkersLostError(
                f"the Dask scheduler at {self._address} has no worker; start one: "
                f"dask worker {self._address}"
            ) from None
        threads: int = sum(self._client.nthreads().values())
        return min(_MOST_QUEUED, max(_FEWEST_QUEUED, _QUEUED_FOR_EACH * threads))


class DaskWorkers:
    """Works on parts of cases, for a judge that is free: nothing needs to be stored."""

    def __init__(self, cluster: Cluster, setup: Setup, *, part_cases: int) -> None:
        self.part_cases = part_cases
        self.width = cluster.width
        self.window = 2 * self.width
        self._cluster = cluster
        self._setup = setup

    def score(self, cases: Sequence[Case]) -> Part:
        return self._cluster.call(score_part, self._setup, to_send(cases))

    def close(self, *, is_stopped: bool) -> None:
        """The cluster is closed by who made it."""


@dataclass(frozen=True, slots=True)
class RemoteVerdict:
    """A verdict as JSON values, and what the process that gave it has taken so far."""

    verdict: dict[str, Any]
    process: str
    totals: RunTotals


class RemoteJudge:
    """Calls a judge on the cluster, one trace at a time.

    Verdicts are looked up and stored on this side: what has arrived here is never asked again,
    whatever becomes of a worker.
    """

    def __init__(self, cluster: Cluster, setup: Setup) -> None:
        self._cluster = cluster
        self._setup = setup
        self._lock = threading.Lock()
        self._totals: dict[str, RunTotals] = {}

    def call(self, judge: Judge, sentences: KeyedTrace) -> Verdict:  # noqa: ARG002 - that of the setup
        """The verdict, as the `call` of a scorer."""
        given = self._cluster.call(judge_remotely, self._setup, sentences.to_json())
        with self._lock:
            known = self._totals.get(given.process)
            if known is None or known.calls < given.totals.calls:
                self._totals[given.process] = given.totals
        return Verdict.from_json(given.verdict)

    def totals(self) -> RunTotals:
        """What the calls took on all workers, as far as they told."""
        with self._lock:
            return _summed(list(self._totals.values()))


def judge_remotely(setup: Setup, sentences: dict[str, Any]) -> RemoteVerdict:
    """A verdict by the judge of this process."""
    scorer = scorer_of(setup)
    verdict = call_counted(
        scorer.judge, KeyedTrace.from_json(sentences), ask_judge, lambda: scorer.state
    )
    return RemoteVerdict(verdict.to_json(), _process_name(), scorer.state.totals())


@lru_cache(maxsize=1)
def _process_name() -> str:
    """One that no process of another machine has."""
    return uuid.uuid4().hex


def _summed(totals: Sequence[RunTotals]) -> RunTotals:
    def total(name: str) -> Any:
        return sum(getattr(each, name) for each in totals)

    costs = [each.cost for each in totals]
    return RunTotals(
        calls=total("calls"),
        prompt_tokens=total("prompt_tokens"),
        cached_tokens=total("cached_tokens"),
        completion_tokens=total("completion_tokens"),
        reasoning_tokens=total("reasoning_tokens"),
        seconds=total("seconds"),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        notes=tuple(_distinct(note for each in totals for note in each.notes)),
    )


def _distinct(notes: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(notes)
