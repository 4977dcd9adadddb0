"""From a kind of server and a model to the judge that asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pytest_trace.llm.batched import BatchedClient, secret_boundary
from pytest_trace.llm.batches import Batches
from pytest_trace.llm.chat import SdkClient
from pytest_trace.llm.client import Usage
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.judge import LlmJudge
from pytest_trace.llm.openai import OpenAiClient
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.llm.transport import Answer
from pytest_trace.store.run_state import RunState

_CLIENTS: Final[Mapping[str, type[SdkClient]]] = {"groq": GroqClient, "openai": OpenAiClient}


def make_llm_judge(
    kind: str, model: str, settings: LlmSettings | None, state: Callable[[], RunState] | None
) -> LlmJudge:
    """The judge that asks `model` at a server of this kind.

    Without `settings` the defaults hold, without `state` nothing is shared with other processes.
    """
    settings = settings or LlmSettings()
    shared = RunState(None) if state is None else state()
    return LlmJudge(kind, _CLIENTS[kind](model, settings, shared), settings)


@dataclass(frozen=True, slots=True)
class BatchedJudge:
    """A judge that is answered by batches, the batches, and what a request in one costs."""

    judge: LlmJudge
    client: BatchedClient
    batches: Batches
    price: Callable[[Usage], float | None]


def make_batched_judge(
    model: str,
    settings: LlmSettings,
    *,
    find: Callable[[str], Answer | None],
    took: Callable[[Usage], None],
    secret: bytes,
) -> BatchedJudge:
    """The judge `groq:model` as `make_llm_judge` makes it, but for who is asked.

    `find` gives the answer to a request by its id, `took` is told what one took. With the same
    `secret` the requests on a trace are the same each time.
    """
    groq = GroqClient(model, settings, RunState(None))
    client = BatchedClient(groq, find, took)
    judge = LlmJudge("groq", client, settings, boundary=secret_boundary(secret))
    return BatchedJudge(judge, client, Batches(groq), groq.batch_price)
