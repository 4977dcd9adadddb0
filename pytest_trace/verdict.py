"""What a judge decided about one trace, in keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from pytest_trace.errors import InvalidVerdict

Mark = Literal["general", "numerical_reasoning", "supported_without_sentence", "well_known_fact"]
"""How a response sentence can be supported without a document sentence (RAGBench, appendix 7.4)."""

MARKS: tuple[Mark, ...] = get_args(Mark)


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """What the judge said of one response sentence.

    `document_keys` are the sentences that support it or, where it is not supported, the closest
    ones. `mark` says how it is supported without any. `probability` is that of being supported.
    """

    key: str
    supported: bool
    document_keys: tuple[str, ...] = ()
    mark: Mark | None = None
    reason: str | None = None
    probability: float | None = None

    def __post_init__(self) -> None:
        if self.mark is not None and self.mark not in MARKS:
            raise InvalidVerdict(
                f"{self.key} has the mark {self.mark!r}; known: {', '.join(MARKS)}"
            )
        _require_probability(self.probability, self.key)
        object.__setattr__(self, "document_keys", tuple(dict.fromkeys(self.document_keys)))

    def to_json(self) -> dict[str, Any]:
        """This support as JSON values; what is unknown is left out."""
        data: dict[str, Any] = {"key": self.key, "supported": self.supported}
        if self.document_keys:
            data["document_keys"] = list(self.document_keys)
        for name in ("mark", "reason", "probability"):
            if (value := getattr(self, name)) is not None:
                data[name] = value
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SentenceSupport:
        """The inverse of `to_json`."""
        return cls(
            data["key"],
            data["supported"],
            tuple(data.get("document_keys", ())),
            data.get("mark"),
            data.get("reason"),
            data.get("probability"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's decision on one trace.

    `relevant` and `utilized` are sets of document keys; the probabilities, where a judge has
    them, map a key to [0, 1]. `support` has every response sentence exactly once. `probability`
    is that of the whole response being supported. `notes` tell what was odd in the judge's reply.
    """

    relevant: frozenset[str]
    utilized: frozenset[str]
    support: tuple[SentenceSupport, ...]
    relevant_probability: Mapping[str, float] | None = field(default=None, hash=False)
    utilized_probability: Mapping[str, float] | None = field(default=None, hash=False)
    probability: float | None = None
    relevance_explanation: str | None = None
    support_explanation: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("relevant", "utilized"):
            object.__setattr__(self, name, frozenset(getattr(self, name)))
        for name in ("support", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        counts = Counter(support.key for support in self.support)
        if doubles := sorted(key for key, count in counts.items() if count > 1):
            raise InvalidVerdict(f"support has {', '.join(doubles)} more than once")
        _require_probability(self.probability, "the verdict")
        for probabilities in (self.relevant_probability, self.utilized_probability):
            for key, probability in (probabilities or {}).items():
                _require_probability(probability, key)

    def require_keys(self, response_keys: Iterable[str]) -> None:
        """Raise `InvalidVerdict` unless `support` has exactly these response sentences."""
        expected = tuple(response_keys)
        given = {support.key for support in self.support}
        missing = [key for key in expected if key not in given]
        unknown = sorted(given.difference(expected))
        if missing or unknown:
            wrong = [f"lacks {', '.join(missing)}"] if missing else []
            wrong += [f"has the unknown {', '.join(unknown)}"] if unknown else []
            raise InvalidVerdict(
                f"support {' and '.join(wrong)}; it must have each of the "
                f"{len(expected)} response sentences once"
            )

    def to_json(self) -> dict[str, Any]:
        """This verdict as JSON values, sets sorted; what is unknown is left out."""
        data: dict[str, Any] = {
            "relevant": sorted(self.relevant),
            "utilized": sorted(self.utilized),
            "support": [support.to_json() for support in self.support],
        }
        for name in ("relevant_probability", "utilized_probability"):
            if (values := getattr(self, name)) is not None:
                data[name] = dict(values)
        for name in ("probability", "relevance_explanation", "support_explanation"):
            if (value := getattr(self, name)) is not None:
                data[name] = value
        if self.notes:
            data["notes"] = list(self.notes)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The inverse of `to_json`; raises `InvalidVerdict` naming a missing field."""
        missing = [name for name in ("relevant", "utilized", "support") if name not in data]
        if missing:
            raise InvalidVerdict(f"a verdict needs {', '.join(missing)}; got only {sorted(data)}")
        return cls(
            relevant=frozenset(data["relevant"]),
            utilized=frozenset(data["utilized"]),
            support=tuple(SentenceSupport.from_json(item) for item in data["support"]),
            relevant_probability=data.get("relevant_probability"),
            utilized_probability=data.get("utilized_probability"),
            probability=data.get("probability"),
            relevance_explanation=data.get("relevance_explanation"),
            support_explanation=data.get("support_explanation"),
            notes=tuple(data.get("notes", ())),
        )


def _require_probability(value: float | None, of: str) -> None:
    if value is not None and not 0.0 <= value <= 1.0:
        raise InvalidVerdict(f"the probability of {of} is {value!r}; expected a number in [0, 1]")
