"""What a judge decided about one trace, in keys."""

from __future__ import annotations

import numbers
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
        if not isinstance(self.supported, bool):
            raise InvalidVerdict(
                f"{self.key} has supported={self.supported!r}; expected True or False"
            )
        keys = dict.fromkeys(_keys(self.document_keys, f"document_keys of {self.key}"))
        object.__setattr__(self, "document_keys", tuple(keys))
        object.__setattr__(self, "probability", _probability(self.probability, self.key))

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
        """The inverse of `to_json`; raises `InvalidVerdict` naming a missing field."""
        _require_fields(data, ("key", "supported"), "the support of a sentence")
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
    votes: int = 1
    """How many verdicts this one is the majority of."""

    @property
    def agreement(self) -> float | None:
        """The least share of the votes that agree on a response sentence; None for one vote."""
        if self.votes == 1:
            return None
        shares = (item.probability for item in self.support if item.probability is not None)
        return min((max(share, 1 - share) for share in shares), default=None)

    def __post_init__(self) -> None:
        for name in ("relevant", "utilized"):
            object.__setattr__(self, name, frozenset(_keys(getattr(self, name), name)))
        for name in ("support", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        counts = Counter(support.key for support in self.support)
        if doubles := sorted(key for key, count in counts.items() if count > 1):
            raise InvalidVerdict(f"support has {', '.join(doubles)} more than once")
        object.__setattr__(self, "probability", _probability(self.probability, "the verdict"))
        for name in ("relevant_probability", "utilized_probability"):
            if (values := getattr(self, name)) is not None:
                checked = {key: _probability(value, key) for key, value in values.items()}
                object.__setattr__(self, name, checked)

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
        if self.votes != 1:
            data["votes"] = self.votes
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The inverse of `to_json`; raises `InvalidVerdict` naming a missing field."""
        _require_fields(data, ("relevant", "utilized", "support"), "a verdict")
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
            votes=data.get("votes", 1),
        )


def _require_fields(data: Mapping[str, Any], names: Iterable[str], of: str) -> None:
    if missing := [name for name in names if name not in data]:
        raise InvalidVerdict(f"{of} needs {', '.join(missing)}; got only {sorted(data)}")


def _keys(value: Iterable[str], name: str) -> Iterable[str]:
    if isinstance(value, str):
        raise InvalidVerdict(f"{name} is the str {value!r}; expected several keys: [{value!r}]")
    return value


def _probability(value: object, of: str) -> float | None:
    if value is None or (type(value) is float and 0.0 <= value <= 1.0):
        return value  # the usual case, without the dear look-up of an abstract class
    if not isinstance(value, numbers.Real) or not 0.0 <= float(value) <= 1.0:
        raise InvalidVerdict(f"the probability of {of} is {value!r}; expected a number in [0, 1]")
    return float(value)
