"""The batches of one round: sent, made, looked at until they end, and their answers fetched."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from pytest_trace.cli.scoring.batch_files import BatchFile, BatchFolder
from pytest_trace.cli.scoring.order import BatchOrder
from pytest_trace.cli.scoring.progress import Meter, meter
from pytest_trace.cli.scoring.run import StoppedError
from pytest_trace.errors import JudgeTimeout, JudgeUnavailable
from pytest_trace.llm.batches import Batches, BatchState
from pytest_trace.report.screen import plural

_MOST_LOOKS_IN_VAIN: Final = 10


class BatchSender:
    """Brings files of requests to the server and answers back; each step is kept on the disk."""

    def __init__(
        self, batches: Batches, folder: BatchFolder, order: BatchOrder, say: Callable[[str], None]
    ) -> None:
        self._batches = batches
        self._folder = folder
        self._order = order
        self._say = say

    def carry_out(self, files: Sequence[BatchFile]) -> None:
        """Raises `StoppedError` where a batch fails as a whole, or the server is not reached."""
        try:
            self._submit(files)
            self._wait(files)
        except (JudgeTimeout, JudgeUnavailable) as error:
            raise StoppedError("; ".join([str(error.args[0]), *error.details])) from error

    def _submit(self, files: Sequence[BatchFile]) -> None:
        """Send what is not sent yet, and make the batches that are not there."""
        for file in files:
            if file.batch is not None:
                continue
            if file.file is not None:  # a run was killed between the two
                file.batch = self._batches.made_of(file.file)
            else:
                file.file = self._batches.upload(self._folder.requests(file))
                self._folder.save()
            if file.batch is None:
                file.batch = self._batches.make(file.file, self._order.window)
                self._say(f"batch {file.batch}: {plural(file.requests, 'request')} submitted")
            self._folder.save()

    def _wait(self, files: Sequence[BatchFile]) -> None:
        """Look at the batches until all have ended, and fetch what each has brought."""
        total = sum(file.requests for file in files)
        done = dict.fromkeys((file.name for file in files), 0)
        with meter("waiting for batches", total=total, done=0, say=self._say) as shown:
            while waiting := [file for file in files if not file.status]:
                for file in waiting:
                    state = self._look(file, shown)
                    shown.advance(max(0, state.done - done[file.name]))
                    done[file.name] = max(done[file.name], state.done)
                    if state.is_ended:
                        self._fetch(file, state)
                if not all(file.status for file in files):
                    time.sleep(self._order.poll_seconds)

    def _look(self, file: BatchFile, shown: Meter) -> BatchState:
        """How far a batch is; who waits a day need not mind some minutes without a network."""
        for looks in range(1, _MOST_LOOKS_IN_VAIN + 1):
            try:
                return self._batches.look(str(file.batch))
            except (JudgeTimeout, JudgeUnavailable) as error:
                if looks == _MOST_LOOKS_IN_VAIN:
                    raise
                shown.say(f"batch {file.batch} cannot be looked at: {error.args[0]}")
                time.sleep(self._order.poll_seconds)
        raise AssertionError("the last look returns or raises")

    def _fetch(self, file: BatchFile, state: BatchState) -> None:
        if state.status == "failed":
            file.file = file.batch = None  # the next run makes another
            self._folder.save()
            raise StoppedError(f"batch {state.id} failed: {'; '.join(state.faults) or 'no reason'}")
        for id_, path in (
            (state.output_file, self._folder.answers(file)),
            (state.error_file, self._folder.errors(file)),
        ):
            if id_ is not None:
                self._batches.fetch(id_, path)
        file.status = state.status
        self._folder.save()
