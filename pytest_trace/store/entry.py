"""A stored verdict: what the recording and the cache keep under a key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Verdict

DAMAGED = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What `json.loads` and `StoredVerdict.from_json` raise for text that is no stored verdict."""

_DIGITS = 16
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVerdict:
    """A verdict with what tells a reader where it comes from.

    `judge` is what the judge said of itself, `documents` a digest of the document sentences.
    """

    key: str
    judge: Mapping[str, Any] = field(hash=False)
    question: str
    response: str
    documents: str
    verdict: Verdict
    vote: int = 0

    @classmethod
    def of(
        cls,
        key: str,
        identity: Mapping[str, Any],
        sentences: KeyedTrace,
        verdict: Verdict,
        *,
        vote: int = 0,
    ) -> StoredVerdict:
        """What is kept of a verdict on `sentences`."""
        return cls(
            key=key,
            judge=dict(identity),
            question=sentences.trace.question,
            response=sentences.trace.response,
            documents=documents_digest(sentences),
            verdict=verdict,
            vote=vote,
        )

    def to_json(self) -> dict[str, Any]:
        """This entry as JSON values, in the order a reader wants them."""
        data: dict[str, Any] = {
            "key": self.key,
            "question": self.question,
            "response": self.response,
            "documents": self.documents,
            "judge": dict(self.judge),
        }
        if self.vote:
            data["vote"] = self.vote
        return data | {"verdict": self.verdict.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StoredVerdict:
        """The inverse of `to_json`; raises one of `DAMAGED` for anything else."""
        return cls(
            key=typed(data, "key", str),
            judge=typed(data, "judge", dict),
            question=typed(data, "question", str),
            response=typed(data, "response", str),
            documents=typed(data, "documents", str),
            verdict=Verdict.from_json(typed(data, "verdict", dict)),
            vote=typed({"vote": 0, **data}, "vote", int),
        )


def typed(data: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    """The value of that name; raises KeyError or TypeError if it is not there, or no `kind`."""
    value = data[name]
    if type(value) is not kind:
        raise TypeError(f"{name} is a {type(value).__name__}, expected a {kind.__name__}")
    return value


def documents_digest(sentences: KeyedTrace) -> str:
    """Tells two sets of document sentences apart."""
    content = json.dumps([[s.key, s.text, s.context] for s in sentences.documents])
    return hashlib.sha256(content.encode("ascii")).hexdigest()[:_DIGITS]
