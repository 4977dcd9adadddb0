"""From a model's probabilities to the support of one response sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pytest_trace.judges.nli.options import NliOptions
from pytest_trace.judges.nli.windows import Premise, Premises
from pytest_trace.verdict import SentenceSupport

_MOST_EVIDENCE: Final = 3
"""As many sentences are named, or put together, at most."""
_ROUNDING: Final = 1e-6
"""So that .29, which is a little less in binary, is not shown as .28."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model makes of a claim beside one premise: probabilities in [0, 1].

    `contradiction` is 0 for a model that does not tell it from what is merely not entailed.
    """

    premise: Premise
    entailment: float
    contradiction: float


def closer_premises(
    readings: Sequence[Reading], premises: Premises, threshold: float
) -> list[Premise]:
    """What is worth a second look at a claim that no single sentence entails.

    Where several sentences together entail it, fewer of them may; where none do, the sentences
    that come closest may do so together, although they are no neighbours.
    """
    read = {reading.premise.keys for reading in readings}
    entailing = [reading for reading in readings if reading.entailment >= threshold]
    if _of_one(entailing):
        return []
    if entailing:
        keys = max(entailing, key=_entailment).premise.keys
        parts = [*pairwise(keys), *zip(keys, keys[1:], keys[2:], strict=False)]
        found = [premises.together(part) for part in parts if len(part) < len(keys)]
    else:
        closest = sorted(_of_one(readings), key=_entailment, reverse=True)
        found = [premises.together(_keys(closest)[:_MOST_EVIDENCE])]
    return [premise for premise in found if premise.keys not in read]


def decide(key: str, readings: Sequence[Reading], options: NliOptions) -> SentenceSupport:
    """The support of the claim `key` under the policy; `readings` must not be empty.

    Its probability is the highest of entailment or, with policy `lenient`, of no contradiction if
    that is higher. Entailment by one sentence outweighs contradiction by another.
    """
    entailing = [item for item in readings if item.entailment >= options.threshold]
    against = [item for item in readings if item.contradiction >= options.threshold]
    probability = max(map(_entailment, readings))
    if options.policy == "lenient":
        probability = max(probability, 1 - max(map(_contradiction, readings)))
    if entailing:
        named, is_supported = _evidence(entailing), True
        reason = f"entailed {_at(named[0].entailment, named[0])}"
        if against:
            worst = _strongest(against, _contradiction)
            reason += f", though contradicted {_at(worst.contradiction, worst)}"
    elif against:
        named, is_supported = [_strongest(against, _contradiction)], False
        reason = f"contradicted {_at(named[0].contradiction, named[0])}"
    else:
        named, is_supported = [_closest(readings)], options.policy == "lenient"
        reason = f"no sentence entails it: best {_at(named[0].entailment, named[0])}"
        if is_supported:
            reason += "; none contradicts it (policy=lenient)"
    keys = tuple(_keys(named))
    return SentenceSupport(key, is_supported, keys, reason=reason, probability=probability)


def evidence_keys(readings: Sequence[Reading], threshold: float) -> list[str]:
    """The document sentences that entail a claim: alone, or the fewest that do so together."""
    entailing = [item for item in readings if item.entailment >= threshold]
    return _keys(_evidence(entailing)) if entailing else []


def _entailment(reading: Reading) -> float:
    return reading.entailment


def _contradiction(reading: Reading) -> float:
    return reading.contradiction


def _keys(readings: Iterable[Reading]) -> list[str]:
    return list(dict.fromkeys(key for reading in readings for key in reading.premise.keys))


def _evidence(entailing: Sequence[Reading]) -> list[Reading]:
    """The sentences that entail it alone, the surest first; else the shortest run that does."""
    alone = sorted(_of_one(entailing), key=_entailment, reverse=True)
    return alone[:_MOST_EVIDENCE] or [_strongest(entailing, _entailment)]


def _strongest(readings: Sequence[Reading], strength: Callable[[Reading], float]) -> Reading:
    """The strongest of those with the fewest sentences."""
    return min(readings, key=lambda item: (len(item.premise.keys), -strength(item)))


def _closest(readings: Sequence[Reading]) -> Reading:
    """The sentence that comes closest to entailing the claim."""
    return max(_of_one(readings), key=_entailment)


def _of_one(readings: Iterable[Reading]) -> list[Reading]:
    return [reading for reading in readings if len(reading.premise.keys) == 1]


def _at(probability: float, reading: Reading) -> str:
    """As in `.93 by doc_0_s1`; rounded down, so that what missed a threshold reads as below it."""
    shown = f"{math.floor(probability * 100 + _ROUNDING) / 100:.2f}".removeprefix("0")
    *before, last = reading.premise.keys
    return f"{shown} by {', '.join(before)} and {last}" if before else f"{shown} by {last}"
