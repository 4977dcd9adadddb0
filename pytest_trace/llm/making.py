"""From a kind of server and a model to the judge that asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pytest_trace.llm.chat import SdkClient
from pytest_trace.llm.groq import GroqClient
from pytest_trace.llm.judge import LlmJudge
from pytest_trace.llm.openai import OpenAiClient
from pytest_trace.llm.settings import LlmSettings
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
