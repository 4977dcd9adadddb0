"""What a model's outputs mean, from the names in its configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Label = Literal["entailment", "neutral", "contradiction", "not_entailment"]

_KNOWN: Final[Mapping[str, Label]] = {
    "entail": "entailment",
    "entails": "entailment",
    "entailed": "entailment",
    "entailment": "entailment",
    "neutral": "neutral",
    "contradict": "contradiction",
    "contradicts": "contradiction",
    "contradicted": "contradiction",
    "contradiction": "contradiction",
    "notentail": "not_entailment",
    "notentailed": "not_entailment",
    "notentailment": "not_entailment",
    "nonentailment": "not_entailment",
    "noentailment": "not_entailment",
}
_SETS: Final[tuple[frozenset[Label], ...]] = (
    frozenset({"entailment", "neutral", "contradiction"}),
    frozenset({"entailment", "not_entailment"}),
    frozenset({"entailment", "contradiction"}),
)


def read_labels(names: Mapping[int, str]) -> tuple[Label, ...] | None:
    """The labels in the order of a model's outputs; None where the names are not those of NLI.

    `names` is a configuration's `id2label`. Case, hyphens and the like do not matter.
    """
    labels = [
        _KNOWN.get(re.sub(r"[\W_]+", "", names[number]).casefold()) for number in sorted(names)
    ]
    known = tuple(label for label in labels if label is not None)
    return known if len(known) == len(names) and _is_one_of_each(known) else None


def _is_one_of_each(labels: tuple[Label, ...]) -> bool:
    return len(set(labels)) == len(labels) and frozenset(labels) in _SETS
