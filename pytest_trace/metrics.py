"""The TRACe scores of a verdict: pure arithmetic on keys.

The formulas are those of RAGBench (arXiv 2407.11005, section 4), with S the sentences of the
retrieved documents, R the relevant and U the utilized ones of them:

    relevance |R|/|S|    utilization |U|/|S|    completeness |R∩U|/|R|
    adherence 1 if every response sentence is supported, else 0
    support   supported claims / claims of the response

Keys that are not in S are dropped. A score whose denominator is empty is undefined: None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from pytest_trace.errors import UnknownName
from pytest_trace.language.words import words
from pytest_trace.marks import CheckedSupport, MarkPolicy, check_support
from pytest_trace.sentences import KeyedTrace, Sentence
from pytest_trace.verdict import Verdict

Formula = Literal["trace", "ragbench", "labeling"]
"""`trace`: as above. `ragbench`: completeness is 1.0 where R is empty, as in the released data.
`labeling`: key counts, R = min(1, |R|/20), T = min(1, |U|/|R|), C = |R∩U|/|R|."""

Length = Literal["sentence", "token", "character"]
"""What a sentence weighs: 1, its Unicode words, or its characters (the paper's Len)."""

_FULL_RELEVANCE = 20  # the number of relevant keys at which `labeling` calls relevance full
_LOW = 1 / 3
_HIGH = 1 / 2

_WEIGHTS: Mapping[str, Callable[[str], int]] = {
    "sentence": lambda _: 1,
    "token": lambda text: len(words(text)),
    "character": len,
}


@dataclass(frozen=True, slots=True)
class DocumentScores:
    """Relevance, utilization and completeness of one document, in [0, 1]; None is undefined."""

    relevance: float | None
    utilization: float | None
    completeness: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceScores:
    """The scores of one trace, each in [0, 1]; None where undefined.

    `adherence` is 1.0 or 0.0. `support` is the share of claiming sentences that are supported.
    `by_document` has an entry for each document of the trace, in order.
    """

    relevance: float | None
    utilization: float | None
    completeness: float | None
    adherence: float
    support: float | None
    by_document: tuple[DocumentScores, ...] = field(default=(), repr=False)

    @property
    def mean(self) -> float:
        """The mean of those of the four TRACe scores that are defined."""
        four = (self.relevance, self.utilization, self.completeness, self.adherence)
        defined = [value for value in four if value is not None]
        return math.fsum(defined) / len(defined)

    def to_json(self) -> dict[str, Any]:
        """These scores as JSON values."""
        return {
            "relevance": self.relevance,
            "utilization": self.utilization,
            "completeness": self.completeness,
            "adherence": self.adherence,
            "support": self.support,
            "by_document": [
                [item.relevance, item.utilization, item.completeness] for item in self.by_document
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TraceScores:
        """The inverse of `to_json`."""
        by_document = tuple(DocumentScores(*values) for values in data["by_document"])
        return cls(**{**data, "by_document": by_document})


def score(
    sentences: KeyedTrace,
    verdict: Verdict,
    *,
    formula: Formula = "trace",
    length: Length = "sentence",
    marks: MarkPolicy = "default",
) -> TraceScores:
    """The scores of `verdict` on `sentences`.

    Raises `UnknownName` (a ValueError) for an unknown formula, length or mark policy, and
    `InvalidVerdict` where the verdict does not have each response sentence once.
    """
    verdict.require_keys(sentence.key for sentence in sentences.response)
    return score_checked(
        sentences, verdict, check_support(sentences, verdict, marks), formula=formula, length=length
    )


def score_checked(
    sentences: KeyedTrace,
    verdict: Verdict,
    supports: Iterable[CheckedSupport],
    *,
    formula: Formula = "trace",
    length: Length = "sentence",
) -> TraceScores:
    """The same, for supports that the mark policy has already checked."""
    require_known(formula, length)
    supports = tuple(supports)
    is_decided = bool(
        sentences.trace.question.strip()
        or verdict.relevant & sentences.document_keys
        or formula == "ragbench"
    )
    measure = _Measure(verdict, formula, _WEIGHTS[length], is_relevance_decided=is_decided)
    whole = measure.of(sentences.counted)
    claims = [support.is_supported for support in supports if support.role == "claim"]
    return TraceScores(
        relevance=whole.relevance,
        utilization=whole.utilization,
        completeness=whole.completeness,
        adherence=float(all(support.is_supported for support in supports)),
        support=sum(claims) / len(claims) if claims else None,
        by_document=_by_document(sentences, measure),
    )


def require_known(formula: str, length: str) -> None:
    """Raise `UnknownName` for a formula or length that there is not, or that do not go together."""
    for name, value, known in (
        ("formula", formula, get_args(Formula)),
        ("length", length, get_args(Length)),
    ):
        if value not in known:
            raise UnknownName(f"unknown {name} {value!r}; known: {', '.join(known)}")
    if formula == "labeling" and length != "sentence":
        raise UnknownName(f"formula 'labeling' counts keys; it cannot weigh them by {length}")


@dataclass(frozen=True, slots=True)
class _Measure:
    """Relevance, utilization and completeness of any set of retrieved sentences."""

    verdict: Verdict
    formula: Formula
    weight: Callable[[str], int]
    is_relevance_decided: bool

    def of(self, counted: Iterable[Sentence]) -> DocumentScores:
        weights = {sentence.key: self.weight(sentence.text) for sentence in counted}
        total = sum(weights.values())
        relevant = self.verdict.relevant & weights.keys()
        utilized = self.verdict.utilized & weights.keys()
        r, u, both = (
            sum(weights[key] for key in keys) for keys in (relevant, utilized, relevant & utilized)
        )
        if not total:
            return DocumentScores(None, None, None)
        if self.formula == "labeling":
            scores = (min(1.0, r / _FULL_RELEVANCE), min(1.0, u / r) if r else None)
        else:
            scores = (r / total, u / total)
        empty = 1.0 if self.formula == "ragbench" else None
        completeness = both / r if r else empty
        if not self.is_relevance_decided:
            return DocumentScores(None, scores[1], None)
        return DocumentScores(*scores, completeness)


def _by_document(sentences: KeyedTrace, measure: _Measure) -> tuple[DocumentScores, ...]:
    groups: list[list[Sentence]] = [[] for _ in sentences.trace.documents]
    for sentence in sentences.counted:
        if sentence.document is not None:
            groups[sentence.document].append(sentence)
    return tuple(measure.of(group) for group in groups)


def diagnose(scores: TraceScores) -> tuple[str, ...]:
    """What the combination of scores means, in sentences; empty where nothing stands out.

    Below 1/3 is low and from 1/2 on is high here: reading aids, no thresholds of an assertion.
    """
    relevance, utilization = scores.relevance, scores.utilization
    found = []
    if utilization is not None and utilization < _LOW and relevance is not None:
        if relevance < _LOW:
            found.append(
                "low relevance and low utilization: a greedy retriever; "
                "it brings much that the question does not need"
            )
        else:
            found.append(
                "low utilization alone: the generator leaves good context unused; "
                "ask it for more detail or retrieve less"
            )
    completeness = scores.completeness
    if (
        utilization is not None
        and completeness is not None
        and utilization >= _HIGH
        and completeness < _HIGH
    ):
        found.append(
            "high utilization and low completeness: the response uses much of the documents "
            "and misses key facts"
        )
    return tuple(found)
