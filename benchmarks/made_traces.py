"""Traces of one size for the benchmarks: 3 documents of 120 words, a response of 3 sentences."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pytest_trace import Trace

_WORDS = """
    battery charger laptop parcel refund delivery warranty screen order invoice return customer
    shipping address payment voucher repair support account password cable monitor keyboard
    stock discount price week month year courier depot signature receipt exchange policy
""".split()
_VERBS = ["needs", "gets", "shows", "covers", "changes", "keeps", "takes", "brings", "holds"]


def traces(count: int) -> Iterator[Trace]:
    """`count` distinct traces."""
    return map(trace, range(count))


def trace(number: int) -> Trace:
    """The trace of this number; always the same one."""
    rng = random.Random(number)
    documents = [" ".join(sentence(rng, 12) for _ in range(10)) for _ in range(3)]
    supported = documents[0].split(". ")[0] + "."
    response = " ".join([supported, sentence(rng, 12), sentence(rng, 12)])
    question = f"What about the {rng.choice(_WORDS)} {rng.randint(1, 999)}?"
    return Trace(question, documents, response)


def sentence(rng: random.Random, words: int) -> str:
    """One sentence of so many words."""
    chosen = [rng.choice(_WORDS) for _ in range(words - 3)]
    middle = len(chosen) // 2
    chosen[middle:middle] = [rng.choice(_VERBS), "the", str(rng.randint(2, 999))]
    return " ".join(chosen).capitalize() + "."
