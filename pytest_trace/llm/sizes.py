"""How large prompts and replies are in tokens, estimated without a vocabulary, and what fits."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping
from typing import Final

from pytest_trace.errors import hide_own_frames
from pytest_trace.llm.prompt import Prompt
from pytest_trace.llm.settings import LlmSettings
from pytest_trace.sentences import KeyedTrace

__tracebackhide__ = hide_own_frames

_KNOWN_WINDOWS: Final[Mapping[str, int]] = {"gpt-oss-20b": 131_072, "gpt-oss-120b": 131_072}
# Windows of unknown models may be smaller, but a server says so. A smaller default would split
# most traces of twenty documents for models that hold them.
_DEFAULT_WINDOW: Final = 16_384
_MARGIN: Final = 256  # tokens of a server's chat template

_REASONING: Final = 3_072
_HARD_REASONING: Final = 8_192
_PER_RESPONSE_SENTENCE: Final = 160  # its reasoning, its explanation, its keys
_PER_DOCUMENT_SENTENCE: Final = 8  # in the lists of keys
_MOST_COMPLETION: Final = 32_768

_WORDS: Final = (string.ascii_letters + " ").encode()
# Tokens for the first bytes of characters in UTF-8. Digits, punctuation and line ends are often
# tokens of their own; bytes that only go on a character are in none of the classes.
_TOKENS_BY_BYTE: Final = (
    (_WORDS, 0.3),
    (bytes(byte for byte in range(0x80) if byte not in _WORDS), 1.0),
    (bytes(range(0xC2, 0xE0)), 1.0),  # Latin with accents, Greek, Cyrillic, Hebrew, Arabic
    (bytes(range(0xE0, 0xF0)), 1.5),  # Chinese, Japanese, Korean, the scripts of India
    (bytes(range(0xF0, 0xF5)), 4.0),  # emoji, rare scripts
)


def estimate_tokens(text: str) -> int:
    """More tokens than `text` has in common vocabularies; long strings of random letters aside."""
    data = text.encode("utf-8", "surrogatepass")
    counts = (
        (len(data) - len(data.translate(None, first_bytes)), tokens)
        for first_bytes, tokens in _TOKENS_BY_BYTE
    )
    return math.ceil(sum(count * tokens for count, tokens in counts))


def prompt_tokens(prompt: Prompt) -> int:
    """What `prompt` takes of a window, at most."""
    return estimate_tokens(prompt.system) + estimate_tokens(prompt.user) + _MARGIN


def window_tokens(model: str, settings: LlmSettings) -> int:
    """The window of `model`: as the settings have it, as known by its name, or a careful one."""
    known = _KNOWN_WINDOWS.get(model.rpartition("/")[2], _DEFAULT_WINDOW)
    return settings.context_tokens or known


def completion_tokens(sentences: KeyedTrace, settings: LlmSettings, window: int) -> int:
    """What a reply on `sentences` may take, reasoning included; at most half of the window."""
    reasoning = _HARD_REASONING if settings.reasoning_effort == "high" else _REASONING
    wanted = (
        reasoning
        + _PER_RESPONSE_SENTENCE * len(sentences.response)
        + _PER_DOCUMENT_SENTENCE * len(sentences.documents)
    )
    return min(wanted, _MOST_COMPLETION, window // 2)


def raised_completion_tokens(tokens: int, prompt: Prompt, window: int) -> int:
    """A larger limit than `tokens`, for a reply that was cut off: as far as the window goes."""
    return max(tokens, min(3 * tokens, _MOST_COMPLETION, window - prompt_tokens(prompt)))
