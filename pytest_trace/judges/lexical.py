"""The embedded judge: whether the words, figures and names of a response stand in its documents.

It needs no key and no network and decides the same again. It sees what is copied, paraphrased
lightly or invented; it cannot see what follows from a sentence in other words, nor relations that
are turned around.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pytest_trace.errors import hide_own_frames
from pytest_trace.judges.lexical_features import (
    UtilizationFeatures,
    support_features,
    utilization_features,
)
from pytest_trace.judges.lexical_guards import first_reason, is_mostly_new, require_common_script
from pytest_trace.judges.lexical_matching import Match, match
from pytest_trace.judges.lexical_relevance import Relevance, relevance, trust_in
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence, stem
from pytest_trace.judges.lexical_weights import lexical_weights
from pytest_trace.language.names import names
from pytest_trace.language.refusals import declined, is_refusal
from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Mark, SentenceSupport, Verdict

__tracebackhide__ = hide_own_frames

KNOWN_RECALL: Final = 0.26
"""The share of hallucinated responses that it finds.

False alarms are 5 % of all supported responses then, and 8 % as the mean of these sets.
It is the mean over seven RAGBench sets and the development rows of RAGTruth QA of what weights find
that were fitted without the set ('left-out set' of `python benchmarks/fit_lexical.py`): .54 where
people labelled (RAGTruth QA), .22 on RAGBench, whose labels are a model's.
"""

_GUARDED: Final = 0.4
"""What a guard leaves of a probability: never enough for support, and the order stays."""
_WITHOUT_CLAIM: Final = 0.97
_CONTRADICTED: Final = 0.1
_FEWEST_DECLINED: Final = 3
_SHOWN_WORDS: Final = 5
_LONGEST_LEAD_IN: Final = 3

_Role = Literal["claim", "general", "refusal"]


@dataclass(frozen=True, slots=True)
class LexicalJudge:
    """Judges by overlap of words, with guards for figures, names and negations.

    Without `needs_common_script` it judges where response and documents are in different scripts
    too, for those who know what its support is worth there.
    """

    kind: str = "lexical"
    version: str = "3"
    is_free: bool = True
    needs_common_script: bool = True

    def judge(self, sentences: KeyedTrace) -> Verdict:
        """One verdict; raises `JudgeError` where response and documents share no script."""
        asked = ReadSentence(sentences.trace.question)
        known = ReadSentence(
            "\n".join([asked.text, *(turn.text for turn in sentences.trace.history)])
        )
        response = [ReadSentence.of(sentence) for sentence in sentences.response]
        roles = [_role(sentence, known) for sentence in response]
        claims = [item for item, role in zip(response, roles, strict=True) if role == "claim"]
        if self.needs_common_script:
            require_common_script(claims, sentences.documents)
        evidence = Evidence(sentences.documents)
        readings = _read_claims(claims, evidence, asked)
        support = [
            _supported(role, sentence, evidence, known, readings.get(sentence.key))
            for sentence, role in zip(response, roles, strict=True)
        ]
        taken = utilization_features(claims, evidence)
        utilized = _utilized_probability(taken, evidence)
        of_claims = [item for item in support if item.key in readings]
        relevant = relevance(asked, evidence, taken, trust_in(claims, of_claims, asked, evidence))
        return Verdict(
            relevant=relevant.keys,
            utilized=_above(utilized, lexical_weights().utilization.threshold)
            | _supporting_keys(support),
            support=tuple(support),
            relevant_probability=relevant.probability if asked.terms else None,
            utilized_probability=utilized,
            probability=_weakest(support),
            relevance_explanation=_explain_relevance(asked, relevant),
            support_explanation=_explain_support(support, roles),
        )


def _role(sentence: ReadSentence, known: ReadSentence) -> _Role:
    """A greeting, a question back and a lead-in ("To return it, do this:") claim nothing."""
    if is_refusal(sentence.text):
        return "refusal"
    text = sentence.said.rstrip(" *_")
    added = sentence.terms.keys() - known.terms.keys()
    is_lead_in = text.endswith((":", "：")) and len(added) <= _LONGEST_LEAD_IN and not names(text)
    is_empty = is_lead_in or text.endswith(("?", "？", "؟"))
    return "general" if not sentence.terms or (is_empty and not sentence.quantities) else "claim"


@dataclass(frozen=True, slots=True)
class _Reading:
    """A claim's match and what the fitted model makes of its features, before the guards."""

    found: Match
    probability: float


def _read_claims(
    claims: Sequence[ReadSentence],
    evidence: Evidence,
    asked: ReadSentence,
) -> Mapping[str, _Reading]:
    """By key; empty where no document sentence is real, and nothing can be matched."""
    if not any(evidence.is_real):
        return {}
    matches = [match(claim, evidence) for claim in claims]
    features = support_features(claims, matches, evidence, asked)
    probabilities = lexical_weights().support.probabilities(features)
    readings = map(_Reading, matches, probabilities)
    return {claim.key: reading for claim, reading in zip(claims, readings, strict=True)}


def _supported(
    role: _Role,
    sentence: ReadSentence,
    evidence: Evidence,
    known: ReadSentence,
    reading: _Reading | None,
) -> SentenceSupport:
    if reading:
        return _judge_claim(sentence, evidence, known, reading)
    if role == "claim":
        reason = "no document sentence has words" if evidence.sentences else "there is no document"
        return SentenceSupport(sentence.key, supported=False, reason=reason, probability=0.0)
    if role == "refusal":
        return _judge_refusal(sentence, evidence)
    return _without_sentence(sentence.key, "general", "it claims nothing")


def _without_sentence(key: str, mark: Mark, reason: str) -> SentenceSupport:
    return SentenceSupport(
        key, supported=True, mark=mark, reason=reason, probability=_WITHOUT_CLAIM
    )


def _judge_refusal(sentence: ReadSentence, evidence: Evidence) -> SentenceSupport:
    """A refusal needs no document sentence, unless one holds all that it says is not known."""
    declines = {stem(word): word for word in declined(sentence.text) if stem(word)}
    holder = next(
        (item for item in evidence.sentences if declines.keys() <= item.terms.keys()), None
    )
    if holder is None or len(declines) < _FEWEST_DECLINED:
        mark: Mark = "supported_without_sentence"
        return _without_sentence(sentence.key, mark, "it declines to answer")
    return SentenceSupport(
        sentence.key,
        supported=False,
        document_keys=(holder.key,),
        reason=f"it declines to answer, but {holder.key} has {', '.join(declines.values())}",
        probability=_CONTRADICTED,
    )


def _judge_claim(
    sentence: ReadSentence, evidence: Evidence, known: ReadSentence, reading: _Reading
) -> SentenceSupport:
    found, probability = reading.found, reading.probability
    guarded = first_reason(sentence, found, evidence, known)
    if guarded or is_mostly_new(found):
        probability *= _GUARDED
    is_supported = probability >= lexical_weights().support.threshold
    keys = [evidence.sentences[index].key for index in found.best]
    return SentenceSupport(
        sentence.key,
        supported=is_supported,
        document_keys=tuple(keys if is_supported else keys[:1]),
        reason=guarded or _reason(found, keys, is_supported=is_supported),
        probability=probability,
    )


def _reason(found: Match, keys: Sequence[str], *, is_supported: bool) -> str:
    missing, total = len(found.missing), found.compared
    if is_supported:
        held = f"{total - missing} of its {total}" if missing else "all of its"
        return f"{held} content words stand in {' and '.join(keys)}"
    shown = ", ".join(found.missing[:_SHOWN_WORDS]) + (", …" if missing > _SHOWN_WORDS else "")
    return f"{missing} of its {total} content words stand in no supporting sentence: {shown}"


def _utilized_probability(
    taken: Sequence[UtilizationFeatures], evidence: Evidence
) -> dict[str, float]:
    probabilities = lexical_weights().utilization.probabilities(taken)
    keys = (sentence.key for sentence in evidence.sentences)
    return dict(zip(keys, probabilities, strict=True))


def _above(probability: Mapping[str, float], least: float) -> frozenset[str]:
    return frozenset(key for key, value in probability.items() if value >= least)


def _supporting_keys(support: Sequence[SentenceSupport]) -> frozenset[str]:
    return frozenset(key for item in support if item.supported for key in item.document_keys)


def _weakest(support: Sequence[SentenceSupport]) -> float:
    """The response is as well supported as its weakest claim."""
    of_claims = [item.probability or 0.0 for item in support if item.mark is None]
    return min(of_claims, default=lexical_weights().without_claim)


def _explain_relevance(asked: ReadSentence, relevant: Relevance) -> str:
    if not asked.terms:
        return "the question has no word to compare"
    count, total = len(relevant.keys), len(relevant.probability)
    return (
        f"{count} of {total} document sentences share enough with the question or an answer to it"
    )


def _explain_support(support: Sequence[SentenceSupport], roles: Sequence[_Role]) -> str:
    lacking = [item.key for item in support if not item.supported]
    if lacking:
        return f"the documents lack support for {', '.join(lacking)}"
    if "claim" not in roles:
        return "the response claims nothing"
    return "what each claim says stands in the documents"
