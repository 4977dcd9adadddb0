"""The port to an NLI model: pairs of texts in, probabilities out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pytest_trace.judges.nli.labels import Label

Pair = tuple[str, str]
"""A premise and a hypothesis."""


class Classifier(Protocol):
    """An NLI model; safe to use from several threads."""

    @property
    def labels(self) -> Sequence[Label]:
        """What it tells apart."""
        ...

    @property
    def room(self) -> int:
        """How many tokens premise and hypothesis may have together."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, without those that mark its start and end."""
        ...

    def classify(self, pairs: Sequence[Pair], batch_size: int) -> list[Mapping[Label, float]]:
        """For each pair the probability of each label; raises `JudgeError` where it cannot."""
        ...
