"""Entity recall: which names, numbers, dates and amounts of the context reach the answer.

    entity recall = |E(context) that the response says| / |E(context)|

E(context) are the distinct entities of the retrieved sentences. The measure after which RAGAS
calls its own compares the context with a reference answer; here it is the response itself.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pytest_trace.language.quantities import Quantity, quantities
from pytest_trace.language.units import UNIT_SCALES
from pytest_trace.language.words import words
from pytest_trace.measures.extractors import DefaultExtractor, Entity, EntityExtractor, as_run
from pytest_trace.sentences import KeyedTrace


@dataclass(frozen=True, slots=True)
class ContextEntity:
    """An entity of the context as it is spelled there first, in the sentence `key`."""

    text: str
    kind: str
    key: str
    is_said: bool
    """Whether the response says it: a name word for word, a number or date as a value."""


@dataclass(frozen=True, slots=True)
class EntityRecall:
    """The entities of the context, in its order, and the share of them that the response says."""

    entities: tuple[ContextEntity, ...]
    extractor: str

    @property
    def value(self) -> float | None:
        """In [0, 1]; None where the context holds no entity."""
        said = [entity.is_said for entity in self.entities]
        return sum(said) / len(said) if said else None

    @property
    def left_out(self) -> tuple[ContextEntity, ...]:
        """The entities that the response does not say."""
        return tuple(entity for entity in self.entities if not entity.is_said)

    def to_json(self) -> dict[str, Any]:
        """The value and every entity as JSON values."""
        return {
            "value": self.value,
            "extractor": self.extractor,
            "entities": [asdict(entity) for entity in self.entities],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EntityRecall:
        """The inverse of `to_json`."""
        return cls(tuple(ContextEntity(**item) for item in data["entities"]), data["extractor"])


def entity_recall(
    sentences: KeyedTrace,
    *,
    extractor: EntityExtractor | None = None,
    keys: Collection[str] | None = None,
) -> EntityRecall:
    """Which entities of the retrieved sentences the response says.

    `extractor` finds them, by default names, numbers, dates and amounts without a model. `keys`
    leaves only these document sentences, such as `verdict.relevant`.
    """
    extractor = extractor or DefaultExtractor()
    said = _Said(sentences.trace.response)
    found: dict[Hashable, ContextEntity] = {}
    for sentence in sentences.counted:
        if keys is not None and sentence.key not in keys:
            continue
        for entity in extractor.extract(sentence.text):
            identity = _identity(entity)
            if identity and identity not in found:
                is_said = said.holds(entity)
                found[identity] = ContextEntity(entity.text, entity.kind, sentence.key, is_said)
    return EntityRecall(tuple(found.values()), extractor.version)


class _Said:
    """A response, read once for all the entities that may stand in it."""

    def __init__(self, response: str) -> None:
        self._quantities = quantities(response)
        self._words = as_run(response)

    def holds(self, entity: Entity) -> bool:
        if entity.quantity is not None:
            return entity.quantity.is_among(self._quantities)
        return as_run(entity.text) in self._words


def _identity(entity: Entity) -> Hashable:
    """What two spellings of one entity share: "7 days" is "1 week", "ACME" is "Acme"."""
    return tuple(words(entity.text)) if entity.quantity is None else _size(entity.quantity)


def _size(quantity: Quantity) -> Hashable:
    measured, size = UNIT_SCALES.get(quantity.unit or "", (quantity.unit, 1))
    return (
        measured,
        quantity.value if isinstance(quantity.value, tuple) else quantity.value * size,
    )
