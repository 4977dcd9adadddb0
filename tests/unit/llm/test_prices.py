"""What a call costs."""

from __future__ import annotations

import datetime as dt

import pytest

from pytest_trace.llm.client import Usage
from pytest_trace.llm.prices import PRICES, PRICES_DATE, batch_cost, cost

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "prompt", "cached", "completion"),
    [("openai/gpt-oss-20b", 0.075, 0.0375, 0.30), ("openai/gpt-oss-120b", 0.15, 0.075, 0.60)],
)
def test_prices_of_groq(model, prompt, cached, completion):
    """Each kind of token has its price; cached ones are among those of the prompt."""
    assert cost(model, Usage(prompt_tokens=MILLION)) == pytest.approx(prompt)
    all_cached = Usage(prompt_tokens=MILLION, cached_tokens=MILLION)
    assert cost(model, all_cached) == pytest.approx(cached)
    half_cached = Usage(prompt_tokens=MILLION, cached_tokens=MILLION // 2)
    assert cost(model, half_cached) == pytest.approx((prompt + cached) / 2)
    assert cost(model, Usage(completion_tokens=MILLION)) == pytest.approx(completion)


def test_reasoning_is_part_of_the_completion():
    """Reasoning tokens are counted in the completion and paid once."""
    usage = Usage(completion_tokens=1000, reasoning_tokens=900)
    assert cost("openai/gpt-oss-20b", usage) == pytest.approx(0.0003)


def test_more_cached_tokens_than_prompt_tokens_never_pay_back():
    """A server that counts wrongly does not make a call cheaper than all cached."""
    usage = Usage(prompt_tokens=1000, cached_tokens=5000)
    assert cost("openai/gpt-oss-20b", usage) == pytest.approx(1000 * 0.0375 / MILLION)


def test_unknown_model_has_no_price():
    """An unknown price is None, not zero."""
    assert cost("gpt-oss:20b", Usage(prompt_tokens=1)) is None


def test_table_has_its_date():
    """The table says when it was read, and a cached token never costs more."""
    assert dt.date.fromisoformat(PRICES_DATE) >= dt.date(2026, 1, 1)
    assert all(price.cached <= price.prompt for price in PRICES.values())


def test_batch_is_half_the_price():
    """A cache makes it no cheaper still; an unknown price stays unknown."""
    usage = Usage(prompt_tokens=1000, completion_tokens=500)
    half = cost("openai/gpt-oss-20b", usage) / 2
    assert batch_cost("openai/gpt-oss-20b", usage) == pytest.approx(half)
    cached = Usage(prompt_tokens=1000, cached_tokens=900, completion_tokens=500)
    assert batch_cost("openai/gpt-oss-20b", cached) == pytest.approx(half)
    assert batch_cost("another", usage) is None
