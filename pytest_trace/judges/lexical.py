"""The embedded judge: whether the words, figures and names of a response stand in its documents.

It needs no key and no network and decides the same again. It sees what is copied, paraphrased
lightly or invented; it cannot see what follows from a sentence in other words, nor relations that
are turned around.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final, Literal

from pytest_trace.errors import hide_own_frames
from pytest_trace.judges.lexical_features import (
    Match,
    match,
    relevance_features,
    utilization_features,
)
from pytest_trace.judges.lexical_guards import first_reason, require_common_script
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence, stem
from pytest_trace.language.names import names
from pytest_trace.language.refusals import declined, is_refusal
from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Mark, SentenceSupport, Verdict

__tracebackhide__ = hide_own_frames

KNOWN_RECALL: Final = 0.23
"""The share of hallucinated responses that it finds, at 7 % false alarms.

Both are means over the validation splits of seven RAGBench sets and the development rows of
RAGTruth QA, as `rag-trace calibrate` gives them: .51 where people labelled (RAGTruth QA), .19 on
RAGBench, whose labels are a model's.
"""

# The ratios come from a logistic regression on the sentences of these sets, rounded; scale and bias
# put the threshold at 0.5 and few false alarms, so these are no calibrated probabilities.
_SUPPORT_WEIGHTS: Final = (4.5, 4.5, -1.5)
_SUPPORT_BIAS: Final = 2.0
# Fitted to the sentence labels of RAGBench and rounded; thresholds near the best F1.
_RELEVANCE_WEIGHTS: Final = (1.8, 0.35, 0.35, -0.25)
_RELEVANCE_BIAS: Final = -2.35
_UTILIZATION_WEIGHTS: Final = (1.2, 1.9, 4.2)
_UTILIZATION_BIAS: Final = -3.9
_SUPPORTED_FROM: Final = 0.5
_RELEVANT_FROM: Final = 0.25
_UTILIZED_FROM: Final = 0.35
_GUARDED: Final = 0.4
"""What a guard leaves of a probability: never enough for support, and the order stays."""
_UNASKED: Final = 0.5
_WITHOUT_CLAIM: Final = 0.97
_CONTRADICTED: Final = 0.1
_FEWEST_DECLINED: Final = 3
_SHOWN_WORDS: Final = 5
_LONGEST_LEAD_IN: Final = 3

_Role = Literal["claim", "general", "refusal"]


@dataclass(frozen=True, slots=True)
class LexicalJudge:
    """Judges by overlap of words, with guards for figures, names and negations."""

    kind: str = "lexical"
    version: str = "1"
    is_free: bool = True

    def judge(self, sentences: KeyedTrace) -> Verdict:
        """One verdict; raises `JudgeError` where response and documents share no script."""
        asked = ReadSentence(sentences.trace.question)
        known = ReadSentence(
            "\n".join([asked.text, *(turn.text for turn in sentences.trace.history)])
        )
        response = [ReadSentence.of(sentence) for sentence in sentences.response]
        roles = [_role(sentence, known) for sentence in response]
        claims = [item for item, role in zip(response, roles, strict=True) if role == "claim"]
        require_common_script(claims, sentences.documents)
        evidence = Evidence(sentences.documents)
        support = [
            _supported(role, sentence, evidence, known)
            for sentence, role in zip(response, roles, strict=True)
        ]
        relevant = _relevant_probability(asked, evidence)
        utilized = _utilized_probability(claims, evidence)
        return Verdict(
            relevant=_above(relevant, _RELEVANT_FROM),
            utilized=_above(utilized, _UTILIZED_FROM) | _supporting_keys(support),
            support=tuple(support),
            relevant_probability=relevant if asked.terms else None,
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


def _supported(
    role: _Role, sentence: ReadSentence, evidence: Evidence, known: ReadSentence
) -> SentenceSupport:
    if role == "claim":
        return _judge_claim(sentence, evidence, known)
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
    sentence: ReadSentence, evidence: Evidence, known: ReadSentence
) -> SentenceSupport:
    if not any(evidence.is_real):
        reason = "no document sentence has words" if evidence.sentences else "there is no document"
        return SentenceSupport(sentence.key, supported=False, reason=reason, probability=0.0)
    found = match(sentence, evidence, known)
    probability = _probability(found.features, _SUPPORT_WEIGHTS, _SUPPORT_BIAS)
    guarded = first_reason(sentence, found, evidence, known)
    if guarded:
        probability *= _GUARDED
    is_supported = probability >= _SUPPORTED_FROM
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


def _relevant_probability(asked: ReadSentence, evidence: Evidence) -> dict[str, float]:
    """For each document key; a sentence without a word of the question stays irrelevant."""
    relevant: dict[str, float] = {}
    for sentence, features in zip(
        evidence.sentences, relevance_features(asked, evidence), strict=True
    ):
        probability = _probability(features, _RELEVANCE_WEIGHTS, _RELEVANCE_BIAS)
        relevant[sentence.key] = probability if features.covered else _UNASKED * probability
    return relevant


def _utilized_probability(claims: Sequence[ReadSentence], evidence: Evidence) -> dict[str, float]:
    features = utilization_features(claims, evidence)
    return {
        sentence.key: _probability(values, _UTILIZATION_WEIGHTS, _UTILIZATION_BIAS)
        for sentence, values in zip(evidence.sentences, features, strict=True)
    }


def _probability(features: Sequence[float], weights: Sequence[float], bias: float) -> float:
    score = bias + sum(map(mul, features, weights))
    return 1 / (1 + math.exp(-score))


def _above(probability: Mapping[str, float], least: float) -> frozenset[str]:
    return frozenset(key for key, value in probability.items() if value >= least)


def _supporting_keys(support: Sequence[SentenceSupport]) -> frozenset[str]:
    return frozenset(key for item in support if item.supported for key in item.document_keys)


def _weakest(support: Sequence[SentenceSupport]) -> float:
    """The response is as well supported as its weakest claim."""
    of_claims = [item.probability or 0.0 for item in support if item.mark is None]
    return min(of_claims, default=_WITHOUT_CLAIM)


def _explain_relevance(asked: ReadSentence, relevant: Mapping[str, float]) -> str:
    if not asked.terms:
        return "the question has no word to compare"
    count = len(_above(relevant, _RELEVANT_FROM))
    return f"{count} of {len(relevant)} document sentences share enough with the question"


def _explain_support(support: Sequence[SentenceSupport], roles: Sequence[_Role]) -> str:
    lacking = [item.key for item in support if not item.supported]
    if lacking:
        return f"the documents lack support for {', '.join(lacking)}"
    if "claim" not in roles:
        return "the response claims nothing"
    return "what each claim says stands in the documents"
