"""What tokens cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from pytest_trace.llm.client import Usage

PRICES_DATE: Final = "2026-11-29"
"""The day on which the prices were read on Groq's price list."""

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens: of the prompt, of the prompt from a cache, of the reply."""

    prompt: float
    cached: float
    completion: float


PRICES: Final = {
    "openai/gpt-oss-20b": Price(0.075, 0.0375, 0.30),
    "openai/gpt-oss-120b": Price(0.15, 0.075, 0.60),
}
"""By model, on Groq: the same weights cost something else elsewhere."""


def cost(model: str, usage: Usage) -> float | None:
    """US dollars for a call on Groq; None where the model's price is unknown.

    Reasoning tokens are among those of the completion.
    """
    if (price := PRICES.get(model)) is None:
        return None
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    dollars = (
        (usage.prompt_tokens - cached) * price.prompt
        + cached * price.cached
        + usage.completion_tokens * price.completion
    )
    return dollars / _MILLION


def batch_cost(model: str, usage: Usage) -> float | None:
    """US dollars for a request in a batch on Groq: half, and nothing more off for a cache."""
    whole = cost(model, replace(usage, cached_tokens=0))
    return None if whole is None else whole / 2
