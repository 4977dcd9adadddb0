"""Sizes in tokens: estimates on the safe side, and what a window leaves for a reply."""

from __future__ import annotations

import pytest
from building import keyed
from hypothesis import given
from strategies import texts

from pytest_trace.llm.prompt import render
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.llm.sizes import (
    completion_tokens,
    estimate_tokens,
    prompt_tokens,
    raised_completion_tokens,
    window_tokens,
)

# Texts, and how many tokens they have in cl100k_base, one of the wider-spread vocabularies.
COUNTED = {
    "English": ("The warranty lasts thirty-nine months from the day of delivery.", 12),
    "German": ("Für die Rückgabe des Laptops haben Sie dreißig Tage Zeit.", 15),
    "Russian": ("У вас есть тридцать дней, чтобы вернуть ноутбук.", 23),
    "Chinese": ("您有三十天的时间退回笔记本电脑。", 18),
    "Japanese": ("ノートパソコンの返品期間は30日です。", 19),
    "Hindi": ("धनवापसी के लिए आपके पास तीस दिन हैं।", 37),
    "figures": ("| 3.14159 | 2,718 | 99.5% |", 18),
    "emoji": ("😀🎉👩‍👩‍👧", 18),
}


@pytest.mark.parametrize(("text", "tokens"), COUNTED.values(), ids=COUNTED)
def test_estimate_is_on_the_safe_side(text, tokens):
    """No less than a vocabulary gives, and no more than twice that."""
    assert tokens <= estimate_tokens(text) <= 2 * tokens


@given(texts, texts)
def test_estimates_add_up(first, second):
    """A whole is not larger than its parts, so that parts which fit make a whole that does."""
    assert estimate_tokens(first + second) <= estimate_tokens(first) + estimate_tokens(second)


@pytest.mark.parametrize(
    ("model", "context_tokens", "window"),
    [
        ("openai/gpt-oss-120b", None, 131_072),
        ("gpt-oss-20b", None, 131_072),
        ("my-gpt-oss-20b", None, 16_384),
        ("llama3", None, 16_384),
        ("llama3", 4_096, 4_096),
        ("openai/gpt-oss-120b", 8_192, 8_192),
    ],
)
def test_window(model, context_tokens, window):
    """Settings come before what is known of a model, and that before a careful default."""
    assert window_tokens(model, LlmSettings(context_tokens=context_tokens)) == window


def test_replies_on_longer_responses_may_be_longer():
    """Each sentence adds to the limit, and hard reasoning does; half a window is never passed."""
    short, long = keyed(), keyed(["You have 30 days."] * 50)
    hard = LlmSettings(reasoning_effort="high")
    limits = [
        completion_tokens(short, LlmSettings(), 131_072),
        completion_tokens(long, LlmSettings(), 131_072),
        completion_tokens(long, hard, 131_072),
    ]
    assert limits == sorted(set(limits))
    assert completion_tokens(long, hard, 8_000) == 4_000
    assert completion_tokens(keyed(["Yes."] * 900), hard, 131_072) == 32_768


def test_raised_limit_stays_within_the_window():
    """A reply that was cut off gets three times as much, if the window has it."""
    prompt = render(keyed())
    taken = prompt_tokens(prompt)
    assert raised_completion_tokens(4_000, prompt, 131_072) == 12_000
    assert raised_completion_tokens(20_000, prompt, 131_072) == 32_768
    assert raised_completion_tokens(4_000, prompt, taken + 5_000) == 5_000
    assert raised_completion_tokens(4_000, prompt, taken + 3_000) == 4_000
