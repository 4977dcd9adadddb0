"""How far an answer is what a reference says: by its tokens alone, no judge is asked.

With A the tokens of the answer and G those of a reference, after `normalisation`:

    exact match  1 if A = G, else 0
    token F1     2PR/(P+R), P = |A∩G|/|A|, R = |A∩G|/|G|, intersections counting repeats
    contained    1 if G stands in A as a run of neighbours, else 0
    ROUGE-L      2PR/(P+R), P = L/|A|, R = L/|G|, L the longest common subsequence

Exact match and token F1 are SQuAD's (Rajpurkar et al., EMNLP 2016; where A or G is empty, F1 is 1
if both are, as in SQuAD 2.0). "Contained" is how open-domain answers are counted (Mallen et al.,
ACL 2023). ROUGE-L is that of Lin (2004) with equal weights and without stemming; its tokens are
runs of letters and digits, articles too. Of several references the best one counts. Blank
references are none; without any, a measure is undefined: None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from pytest_trace.errors import UnknownName
from pytest_trace.language.words import runs
from pytest_trace.measures.normalisation import Normalisation, normalise, tokens
from pytest_trace.measures.subsequence import common_length

Measure = Literal["exact_match", "token_f1", "rouge_l", "contained"]
"""The measures of this module, by name."""

MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
References = str | Iterable[str]
"""One reference or several."""


@dataclass(frozen=True, slots=True)
class TokenOverlap:
    """An answer beside one reference. `missing` and `extra` tokens stand in their order.

    `precision`, `recall` and `f1` are in [0, 1].
    """

    reference: str
    precision: float
    recall: float
    f1: float
    missing: tuple[str, ...]
    extra: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScores:
    """All measures of one answer, each in [0, 1]; None where undefined.

    `best_reference` is that of the highest token F1.
    """

    exact_match: float | None
    token_f1: float | None
    rouge_l: float | None
    contained: float | None
    best_reference: str | None

    def value(self, measure: Measure) -> float | None:
        """The score of that name; raises `UnknownName` that lists them."""
        if measure not in MEASURES:
            raise UnknownName(
                f"unknown measure of answers {measure!r}; known: {', '.join(MEASURES)}"
            )
        score: float | None = getattr(self, measure)
        return score

    def to_json(self) -> dict[str, Any]:
        """These scores as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AnswerScores:
        """The inverse of `to_json`."""
        return cls(**data)


def answer_scores(
    answer: str, references: References, *, normalisation: Normalisation = "squad"
) -> AnswerScores:
    """Every measure of `answer` against its best reference."""
    known = known_references(references)
    best = best_overlap(answer, known, normalisation=normalisation)
    return AnswerScores(
        exact_match=exact_match(answer, known, normalisation=normalisation),
        token_f1=None if best is None else best.f1,
        rouge_l=rouge_l(answer, known),
        contained=contained(answer, known, normalisation=normalisation),
        best_reference=None if best is None else best.reference,
    )


def exact_match(
    answer: str, references: References, *, normalisation: Normalisation = "squad"
) -> float | None:
    """1.0 if the normalised answer is a normalised reference, else 0.0."""
    said = normalise(answer, normalisation)
    return _best(
        float(said == normalise(reference, normalisation))
        for reference in known_references(references)
    )


def token_f1(
    answer: str, references: References, *, normalisation: Normalisation = "squad"
) -> float | None:
    """The harmonic mean of token precision and recall, for the reference that gives most."""
    said = tokens(answer, normalisation)
    return _best(
        _shares(said, tokens(reference, normalisation)).f1
        for reference in known_references(references)
    )


def rouge_l(answer: str, references: References) -> float | None:
    """The F measure of ROUGE-L; 0.0 where answer or reference has no letter and no digit."""
    said = runs(answer)
    return _best(_rouge_l(said, runs(reference)) for reference in known_references(references))


def contained(
    answer: str, references: References, *, normalisation: Normalisation = "squad"
) -> float | None:
    """1.0 if the tokens of a reference stand in the answer in a row, else 0.0.

    A reference without a token cannot be looked for, and is left out.
    """
    wanted = [
        given
        for reference in known_references(references)
        if (given := normalise(reference, normalisation))
    ]
    said = f" {normalise(answer, normalisation)} "
    return _best(float(f" {given} " in said) for given in wanted)


def best_overlap(
    answer: str, references: References, *, normalisation: Normalisation = "squad"
) -> TokenOverlap | None:
    """The answer beside the reference of the highest F1, the first of equals."""
    said = tokens(answer, normalisation)
    given = [(each, tokens(each, normalisation)) for each in known_references(references)]
    if not given:
        return None
    reference, best = max(given, key=lambda each: _shares(said, each[1]).f1)
    return TokenOverlap(
        reference, *_shares(said, best), missing=_without(best, said), extra=_without(said, best)
    )


def known_references(references: References) -> list[str]:
    """The references that say anything; raises `TypeError` for one that is no str."""
    listed = [references] if isinstance(references, str) else list(references)
    for reference in listed:
        if not isinstance(reference, str):
            raise TypeError(f"a reference is {reference!r}; expected a str")
    return [reference for reference in listed if reference.strip()]


def _best(values: Iterable[float]) -> float | None:
    return max(values, default=None)


class _Shares(NamedTuple):
    precision: float
    recall: float
    f1: float


def _shares(said: Sequence[str], given: Sequence[str]) -> _Shares:
    if not said or not given:
        return _Shares(*[float(said == given)] * 3)
    common = sum((Counter(said) & Counter(given)).values())
    return _harmonic(common, len(said), len(given))


def _harmonic(common: int, said: int, given: int) -> _Shares:
    """Precision, recall and their harmonic mean."""
    if not common:
        return _Shares(0.0, 0.0, 0.0)
    precision, recall = common / said, common / given
    return _Shares(precision, recall, 2 * precision * recall / (precision + recall))


def _without(these: Sequence[str], those: Sequence[str]) -> tuple[str, ...]:
    """`these`, each as often as it is not matched by one of `those`; the last ones stay."""
    left = Counter(those)
    kept = []
    for token in these:
        if left[token]:
            left[token] -= 1
        else:
            kept.append(token)
    return tuple(kept)


def _rouge_l(said: Sequence[str], given: Sequence[str]) -> float:
    common = common_length(said, given) if said and given else 0
    return _harmonic(common, len(said), len(given)).f1
