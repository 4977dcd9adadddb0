"""The longest common subsequence of two lists of tokens; the only module that knows rapidfuzz."""

from __future__ import annotations

from collections.abc import Sequence


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest subsequence, not necessarily of neighbours, that both have."""
    from rapidfuzz.distance import LCSseq

    # Numbers in place of words: it compares words by their hash, which differs in each process.
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(token, len(numbers)) for token in first]
    right = [numbers.setdefault(token, len(numbers)) for token in second]
    return LCSseq.similarity(left, right)
