"""The RAG triad without a judge: three questions that counting words can answer a little.

    context relevance  is a relevant passage among those that the generator was shown?
                       with judgements: 1 if one of the relevant passages is, else 0;
                       without: the share of the question's content words that the passages have
    groundedness       the share of the response's content words that the passages have,
                       each as often as the response says it
    answer relevance   the token F1 of the response with its best reference (`measures.answers`)
    triad              the mean of those of the three that are defined

The three questions are the "RAG triad" of TruLens; what answers them here is deterministic and
knows nothing of meaning. Content words are those of `language.words` without stop words, as they
are written but for case: "return" is not "returned". Each score is in [0, 1], or undefined: None.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_trace.language.words import content_words, words
from pytest_trace.measures.answers import References, known_references, token_f1
from pytest_trace.measures.normalisation import Normalisation

PARTS: Final = ("context_relevance", "groundedness", "answer_relevance")

NOT_JUDGED: Final = "no_qrels"
NONE_RELEVANT: Final = "no_relevant_passage"
NO_IDS: Final = "passages_without_id"
NO_QUESTION_WORDS: Final = "no_content_word_in_query"
NO_RESPONSE_WORDS: Final = "no_content_word_in_generation"
NO_REFERENCE: Final = "no_reference"
EMPTY_GENERATION: Final = "empty_generation"
NO_PASSAGES: Final = "no_passages"


@dataclass(frozen=True, slots=True)
class Judgements:
    """What people judged of one question's passages.

    `ids` are those of the passages that were shown, in order, None for one without; `relevant`
    those that were judged relevant, or None where nobody judged this question.
    """

    ids: Sequence[str | None]
    relevant: Collection[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TriadScores:
    """The three and their mean. `undefined` gives the reason for each that is None.

    `flags` has `empty_generation` (then groundedness and answer relevance are 0, whatever else
    holds, unless there is no reference) and `no_passages`.
    """

    context_relevance: float | None
    groundedness: float | None
    answer_relevance: float | None
    undefined: Mapping[str, str] = field(default_factory=dict, hash=False)
    flags: tuple[str, ...] = ()

    @property
    def triad(self) -> float | None:
        """The mean of the three, of those that are defined; None where none is."""
        three = (self.context_relevance, self.groundedness, self.answer_relevance)
        defined = [value for value in three if value is not None]
        return math.fsum(defined) / len(defined) if defined else None

    @property
    def is_complete(self) -> bool:
        """Whether all three are defined."""
        return not self.undefined

    def to_json(self) -> dict[str, Any]:
        """The four scores as JSON values."""
        return {name: getattr(self, name) for name in (*PARTS, "triad")}


def context_relevance(
    question: str, passages: Iterable[str], *, judgements: Judgements | None = None
) -> float | None:
    """1.0 or 0.0 by judgements; without, the share of the question's content words in `passages`.

    None where nobody judged the question, no passage is relevant to it, or passages have no id and
    none of the others is relevant; without judgements, where the question has no content word.
    """
    return _context_relevance(question, vocabulary(passages), judgements)[0]


def groundedness(response: str, passages: Iterable[str]) -> float | None:
    """The share of the response's content words that `passages` have.

    0.0 for a blank response, None for any other without a content word ("It is.").
    """
    return _groundedness(response, vocabulary(passages))[0]


def answer_relevance(
    response: str, references: References, *, normalisation: Normalisation = "squad"
) -> float | None:
    """The token F1 with the best reference; 0.0 for a blank response, None without a reference."""
    known = known_references(references)
    if known and not response.strip():
        return 0.0
    return token_f1(response, known, normalisation=normalisation)


def triad_scores(
    question: str,
    passages: Iterable[str],
    response: str,
    references: References = (),
    *,
    judgements: Judgements | None = None,
    normalisation: Normalisation = "squad",
) -> TriadScores:
    """The three scores of one response; `passages` are the texts that the generator was shown."""
    passages = list(passages)
    known = vocabulary(passages)
    relevance, no_relevance = _context_relevance(question, known, judgements)
    grounded, not_grounded = _groundedness(response, known)
    answered = answer_relevance(response, references, normalisation=normalisation)
    reasons = (no_relevance, not_grounded, NO_REFERENCE if answered is None else None)
    found = ((EMPTY_GENERATION, not response.strip()), (NO_PASSAGES, not passages))
    return TriadScores(
        context_relevance=relevance,
        groundedness=grounded,
        answer_relevance=answered,
        undefined={name: reason for name, reason in zip(PARTS, reasons, strict=True) if reason},
        flags=tuple(flag for flag, holds in found if holds),
    )


def vocabulary(passages: Iterable[str]) -> frozenset[str]:
    """All words that `passages` have."""
    return frozenset(words("\n".join(passages)))


def unknown_words(text: str, known: Collection[str]) -> list[str]:
    """The content words of `text` that are not among `known`, each as often as it stands."""
    return [word for word in content_words(words(text)) if word not in known]


Scored = tuple[float | None, str | None]
"""A score, or why there is none."""


def _context_relevance(
    question: str, known: frozenset[str], judgements: Judgements | None
) -> Scored:
    if judgements is not None:
        return _judged_relevance(judgements)
    asked = set(content_words(words(question)))
    if not asked:
        return None, NO_QUESTION_WORDS
    return len(asked & known) / len(asked), None


def _judged_relevance(judgements: Judgements) -> Scored:
    if judgements.relevant is None:
        return None, NOT_JUDGED
    if not judgements.relevant:
        return None, NONE_RELEVANT
    if any(identifier in judgements.relevant for identifier in judgements.ids):
        return 1.0, None
    if None in judgements.ids:
        return None, NO_IDS
    return 0.0, None


def _groundedness(response: str, known: frozenset[str]) -> Scored:
    if not response.strip():
        return 0.0, None
    said = content_words(words(response))
    if not said:
        return None, NO_RESPONSE_WORDS
    return sum(word in known for word in said) / len(said), None
