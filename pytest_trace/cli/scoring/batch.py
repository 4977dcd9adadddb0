"""Asking Groq by batches: rounds of them, until every row is answered or has no use to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Final

from pytest_trace.cli.scoring.batch_files import Answers, BatchFolder, Packer
from pytest_trace.cli.scoring.batch_sending import BatchSender
from pytest_trace.cli.scoring.order import BatchOrder, Order
from pytest_trace.cli.scoring.paths import batch_path
from pytest_trace.cli.scoring.progress import meter
from pytest_trace.cli.scoring.run import StoppedError
from pytest_trace.cli.scoring.scorer import Scorer
from pytest_trace.datasets.cases import Case
from pytest_trace.errors import InvalidCase, JudgeError
from pytest_trace.judges.asking import ask_judge
from pytest_trace.llm.batched import BatchRequest, Unanswered
from pytest_trace.llm.client import Usage
from pytest_trace.llm.making import make_batched_judge
from pytest_trace.report.screen import plural
from pytest_trace.sentences import KeyedTrace

_MOST_ROUNDS: Final = 3
"""A row may need a second: its answer was an error that may pass, or could not be read."""


class BatchRun:
    """Fills the cache with verdicts that batches bring; what is left is answered from them.

    Its `scorer` has the judge of the order with the same identity: what that decides is stored
    under the same keys. `cases` gives the cases that have no row yet, anew each time.
    """

    def __init__(
        self,
        order: Order,
        batch: BatchOrder,
        cases: Callable[[], Iterable[Case]],
        say: Callable[[str], None],
    ) -> None:
        self._cases = cases
        self._say = say
        self._limits = order.setup.limits
        self._folder = BatchFolder.opened(batch_path(order.out))
        self._answers = Answers(self._folder)
        self._taken: list[Usage] = []
        self._most_cost: float | None = 0.0
        self._made = make_batched_judge(
            order.setup.judge.partition(":")[2],
            order.setup.llm,
            find=self._answers.find,
            took=self._taken.append,
            secret=bytes.fromhex(self._folder.secret),
        )
        self._sender = BatchSender(self._made.batches, self._folder, batch, say)
        self.scorer = Scorer(order.setup, judge=self._made.judge)
        self.brought = 0
        """Verdicts that batches have brought in this run."""

    def carry_out(self) -> None:
        """All rounds. Raises `StoppedError` where there is no use in going on."""
        for number in range(_MOST_ROUNDS):
            if number == len(self._folder.rounds) and not self._prepare(number):
                return
            files = self._folder.rounds[number]
            self._sender.carry_out(files)
            if any(file.status == "cancelled" for file in files):
                return  # somebody did not want it

    def at_hand(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases as they are; while one is worked on, the answers on it are at hand."""
        for case in cases:
            self._answers.look_at(case.line)
            yield case
            self._count_taken()

    def finish(self) -> None:
        """Every row is written: nothing of the batches is needed any more."""
        self._folder.remove()

    def _prepare(self, number: int) -> bool:
        """Keep the verdicts that have come, and write what is to be asked next; whether any is."""
        packer, self._most_cost = Packer(self._folder, number), 0.0
        with (
            closing(packer),
            meter("preparing a batch", total=None, done=0, say=self._say) as shown,
        ):
            for case in self._cases():
                packer.add(case.line, self._left(case))
                shown.advance(1)
        if packer.files:
            self._require_allowed(sum(file.requests for file in packer.files))
            self._folder.rounds.append(packer.files)
            self._folder.save()
        return bool(packer.files)

    def _left(self, case: Case) -> list[BatchRequest]:
        """What is to be asked about a case; where nothing is, its verdict is stored."""
        try:
            trace = case.trace()
        except InvalidCase:
            return []
        settings, store = self.scorer.settings, self.scorer.asker.store
        sentences = KeyedTrace.from_trace(
            trace, settings.sentencizer, metadata_keys=settings.metadata_keys
        )
        if store.is_immediate(self._made.judge, sentences):
            return []
        self._answers.look_at(case.line)
        self._taken.clear()
        try:
            verdict = ask_judge(self._made.judge, sentences)
        except Unanswered as missing:
            return self._unanswered(sentences, missing.request)
        except JudgeError:
            return []  # its row will say why
        store.ask(self._made.judge, sentences, lambda *_: verdict)
        self.brought += 1
        self._count_taken()
        return []

    def _unanswered(self, sentences: KeyedTrace, missing: BatchRequest) -> list[BatchRequest]:
        client = self._made.client
        first = map(client.request, self._made.judge.first_requests(sentences))
        asked = {each.id: each for each in (missing, *first) if not client.is_answered(each)}
        for each in asked.values():
            self._add_most_cost(each)
        return list(asked.values())

    def _add_most_cost(self, request: BatchRequest) -> None:
        """Hardly a token is shorter than a character."""
        characters = sum(len(message["content"]) for message in request.body["messages"])
        limit = request.body["max_completion_tokens"]
        most = self._made.price(Usage(prompt_tokens=characters, completion_tokens=limit))
        unknown = most is None or self._most_cost is None
        self._most_cost = None if unknown else (self._most_cost or 0.0) + (most or 0.0)

    def _count_taken(self) -> None:
        """Add what answers took to the accounts of this run."""
        state = self.scorer.state
        for usage in self._taken:
            state.begin_call(is_continuing=True)
            state.end_call(usage, self._made.price(usage) if usage.prompt_tokens else None)
        self._taken.clear()

    def _require_allowed(self, requests: int) -> None:
        """A batch cannot be stopped when it has cost enough: it is not begun."""
        totals, limits = self.scorer.state.totals(), self._limits
        if limits.max_calls is not None and totals.calls + requests > limits.max_calls:
            raise StoppedError(
                f"--max-calls is {limits.max_calls:,}, and the next batch has "
                f"{plural(requests, 'request')}; it was not sent"
            )
        if limits.max_cost is None:
            return
        if self._most_cost is None:
            raise StoppedError(
                "--max-cost: the price of this model is unknown, so the limit cannot be kept; use "
                "--max-calls"
            )
        if (totals.cost or 0.0) + self._most_cost > limits.max_cost:
            raise StoppedError(
                f"--max-cost is ${limits.max_cost:.2f}, and the next batch may cost up to "
                f"${self._most_cost:.4f}; it was not sent"
            )
