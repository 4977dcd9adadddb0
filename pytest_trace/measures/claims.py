"""Hallucinated claims: the sentences of a response cut into claims, and those without support.

    hallucination rate = claims without support / claims

A sentence that lacks support may be right in all but one claim; judged claim by claim it shows
which. Whatever judge reads sentences reads claims: they take the places of the sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from pytest_trace.language.refusals import is_refusal
from pytest_trace.marks import CheckedSupport
from pytest_trace.measures.claim_spans import claim_spans
from pytest_trace.sentences import KeyedTrace, Sentence

VERSION: Final = "claims/1"
"""Changes with the rules of cutting; it is part of the key of a stored verdict."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the response, `trace.response[start:end]`, and what the judge said of it.

    Its key is that of its sentence, `resp_s0`, or `resp_s0_c1` where the sentence has several.
    """

    key: str
    text: str
    start: int
    end: int
    is_supported: bool
    document_keys: tuple[str, ...] = ()
    reason: str | None = None
    probability: float | None = None

    def to_json(self) -> dict[str, Any]:
        """This claim as JSON values."""
        return asdict(self) | {"document_keys": list(self.document_keys)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Claim:
        """The inverse of `to_json`."""
        return cls(**{**data, "document_keys": tuple(data["document_keys"])})


@dataclass(frozen=True, slots=True)
class Hallucinations:
    """Every claim of a response, in order. Greetings, transitions and refusals claim nothing."""

    claims: tuple[Claim, ...]

    @property
    def total_claims(self) -> int:
        """How many claims there are."""
        return len(self.claims)

    @property
    def unsupported(self) -> tuple[Claim, ...]:
        """The claims that no document supports."""
        return tuple(claim for claim in self.claims if not claim.is_supported)

    @property
    def hallucinated_claims(self) -> int:
        """How many claims lack support."""
        return len(self.unsupported)

    @property
    def hallucinated_claims_list(self) -> tuple[str, ...]:
        """Their texts."""
        return tuple(claim.text for claim in self.unsupported)

    @property
    def hallucination_rate(self) -> float | None:
        """The share of claims without support, in [0, 1]; None where nothing is claimed."""
        return self.hallucinated_claims / self.total_claims if self.claims else None

    def to_json(self) -> dict[str, Any]:
        """The counts, the rate and every claim as JSON values."""
        return {
            "total_claims": self.total_claims,
            "hallucinated_claims": self.hallucinated_claims,
            "hallucination_rate": self.hallucination_rate,
            "hallucinated_claims_list": list(self.hallucinated_claims_list),
            "claims": [claim.to_json() for claim in self.claims],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Hallucinations:
        """The inverse of `to_json`."""
        return cls(tuple(Claim.from_json(item) for item in data["claims"]))


def with_claims(sentences: KeyedTrace) -> KeyedTrace:
    """The trace with its claims in the place of the response's sentences, for any judge to read.

    Offsets stay those of the response. Where no sentence has several claims it is `sentences`
    itself, and so is its verdict.
    """
    claims = tuple(claim for sentence in sentences.response for claim in _cut(sentence))
    if len(claims) == len(sentences.response):
        return sentences
    sentencizer = f"{sentences.sentencizer}+{VERSION}"
    return replace(sentences, response=claims, sentencizer=sentencizer)


def _cut(sentence: Sentence) -> Iterator[Sentence]:
    spans = [] if is_refusal(sentence.text) else claim_spans(sentence.text)
    if len(spans) <= 1:
        yield sentence
        return
    for number, span in enumerate(spans):
        contexts = filter(None, (sentence.context, span.context))
        yield replace(
            sentence,
            key=f"{sentence.key}_c{number}",
            text=sentence.text[span.start : span.end],
            start=sentence.start + span.start,
            end=sentence.start + span.end,
            context=" ".join(contexts) or None,
        )


def hallucinations(claims: KeyedTrace, supports: Sequence[CheckedSupport]) -> Hallucinations:
    """The claims of a trace by what the mark policy left of a judge's verdict on them.

    A refusal that the documents contradict claims something, and counts as a claim without
    support.
    """
    by_key = claims.by_key
    return Hallucinations(
        tuple(
            _claim(by_key[support.key], support)
            for support in supports
            if support.role == "claim" or (support.role == "refusal" and not support.is_supported)
        )
    )


def _claim(sentence: Sentence, support: CheckedSupport) -> Claim:
    return Claim(
        sentence.key,
        sentence.text,
        sentence.start,
        sentence.end,
        support.is_supported,
        support.document_keys,
        support.reason,
        support.probability,
    )
