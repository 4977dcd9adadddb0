"""A judge with the cache in front of it, for commands that judge many traces."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_trace.evaluation import ask_judge
from pytest_trace.judges import Judge
from pytest_trace.judges.base import is_free
from pytest_trace.judges.stored import AskJudge, VerdictStore
from pytest_trace.judges.voting import vote
from pytest_trace.sentences import KeyedTrace
from pytest_trace.store.cache import VerdictCache
from pytest_trace.verdict import Verdict


class Asker:
    """Asks a judge; a judge that is free needs no cache.

    `call` calls the judge itself. Of what was asked without a cache, or twice in a row, the last
    `most_remembered` verdicts are known (None: all). `say` is told once of a cache that cannot be
    used.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        cache: Path | None,
        say: Callable[[str], None],
        call: AskJudge = ask_judge,
        votes: int = 1,
        most_remembered: int | None = None,
    ) -> None:
        self.judge = judge
        self.is_stored = not is_free(judge)
        self._sources = Counter[str]()
        self.store = VerdictStore(
            cache=VerdictCache(cache, say=say) if cache else None, most_remembered=most_remembered
        )
        self._call = call
        self._votes = votes
        self._lock = threading.Lock()

    def ask(self, judge: Judge, sentences: KeyedTrace) -> Verdict:
        """The verdict, as the third argument of `evaluate_with`."""
        if not self.is_stored:
            return self._call(judge, sentences)
        return vote(lambda number: self._answer(judge, sentences, number), self._votes)

    def take_sources(self) -> Counter[str]:
        """Where verdicts came from since this was asked last; empty for a judge that is free."""
        with self._lock:
            taken, self._sources = self._sources, Counter()
        return taken

    def close(self) -> None:
        """Close the cache."""
        self.store.close()

    def _answer(self, judge: Judge, sentences: KeyedTrace, number: int) -> Verdict:
        answer = self.store.ask(judge, sentences, self._call, vote=number)
        with self._lock:
            self._sources[answer.source.value] += 1
        return answer.verdict


@contextmanager
def modules_from_here() -> Iterator[None]:
    """A judge `package.module:factory` may stand in the working directory."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)
