"""How a language model is asked; one value for every kind of server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Settings of the LLM judge.

    `key_variable` and `base_url` are the server's own where None. `timeout_seconds` is the total
    for one trace, retries and waiting included; `max_wait_seconds` is the longest `retry-after`
    that is waited for. `context_tokens` is the model's window where it is not a known model.
    """

    key_variable: str | None = None
    base_url: str | None = None
    temperature: float = 0.0
    seed: int = 7
    reasoning_effort: str | None = None
    timeout_seconds: float = 120.0
    max_wait_seconds: float = 90.0
    context_tokens: int | None = None
