"""One trace, judged by an NLI model and, for what such a model knows nothing of, by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_trace.errors import JudgeError, JudgeUnavailable, hide_own_frames
from pytest_trace.judges.lexical import LexicalJudge
from pytest_trace.judges.nli.claims import Reading, closer_premises, decide, evidence_keys
from pytest_trace.judges.nli.classifier import Classifier, Pair
from pytest_trace.judges.nli.labels import Label
from pytest_trace.judges.nli.options import NliOptions
from pytest_trace.judges.nli.windows import Premise, Premises, has_words, readable
from pytest_trace.language.refusals import is_refusal
from pytest_trace.sentences import KeyedTrace, Sentence
from pytest_trace.verdict import SentenceSupport, Verdict

__tracebackhide__ = hide_own_frames

_DIGITS: Final = 4
"""Of a probability: what another batch or device changes lies behind them."""
_TWO_SCRIPTS: Final = (
    "relevance and utilization compare words, and response and documents are in different scripts"
)


def judge_words(sentences: KeyedTrace) -> Verdict:
    """The lexical verdict: relevance, utilization, refusals, and what claims nothing."""
    try:
        return LexicalJudge().judge(sentences)
    except JudgeError:
        verdict = LexicalJudge(needs_common_script=False).judge(sentences)
        return replace(verdict, notes=(*verdict.notes, _TWO_SCRIPTS))


def claims_of(sentences: KeyedTrace, by_words: Verdict) -> list[Sentence]:
    """The response sentences that a document sentence can entail; none without any document."""
    if not any(has_words(readable(sentence)) for sentence in sentences.documents):
        return []
    marked = {item.key for item in by_words.support if item.mark is not None}
    return [
        sentence
        for sentence in sentences.response
        if sentence.key not in marked and not is_refusal(sentence.text)
    ]


@dataclass(frozen=True, slots=True)
class Judged:
    """The support of each claim, and the document sentences that entail one."""

    support: tuple[SentenceSupport, ...] = ()
    evidence: frozenset[str] = frozenset()


def judge_claims(
    claims: Sequence[Sentence],
    documents: Sequence[Sentence],
    classifier: Classifier,
    options: NliOptions,
) -> Judged:
    """What a model makes of the claims, by one or two calls of it.

    Raises `JudgeUnavailable` for a model that does not tell what the policy asks for, and
    `JudgeError` for a claim that leaves no room for a premise.
    """
    _require_policy(classifier, options)
    hypotheses = {claim.key: readable(claim) for claim in claims}
    premises = Premises(documents, _room(hypotheses, classifier), classifier.count_tokens)
    first = [*premises.single(), *premises.runs(options.window)]
    read = _read(dict.fromkeys(hypotheses, first), hypotheses, classifier, options)
    closer = {
        key: closer_premises(readings, premises, options.threshold)
        for key, readings in read.items()
    }
    for key, readings in _read(closer, hypotheses, classifier, options).items():
        read[key] += readings
    return Judged(
        tuple(decide(key, readings, options) for key, readings in read.items()),
        frozenset(
            evidence
            for readings in read.values()
            for evidence in evidence_keys(readings, options.threshold)
        ),
    )


def combined(by_words: Verdict, judged: Judged) -> Verdict:
    """The lexical verdict with the model's on the claims; what entails one is utilized too.

    The response is as well supported as its weakest claim.
    """
    by_key = {item.key: item for item in judged.support}
    support = tuple(by_key.get(item.key, item) for item in by_words.support)
    of_claims = [item.probability or 0.0 for item in support if item.mark is None]
    return replace(
        by_words,
        support=support,
        utilized=by_words.utilized | judged.evidence,
        probability=min(of_claims, default=by_words.probability),
        relevance_explanation=f"by words alone: {by_words.relevance_explanation}",
        support_explanation=_explain_support(support),
    )


def _require_policy(classifier: Classifier, options: NliOptions) -> None:
    if options.policy == "lenient" and "contradiction" not in classifier.labels:
        raise JudgeUnavailable(
            "policy=lenient needs a model that tells contradiction, and this one tells only "
            f"{' and '.join(classifier.labels)}; use policy=strict"
        )


def _room(hypotheses: Mapping[str, str], classifier: Classifier) -> int:
    """The tokens that are left to a premise: at least half of what the model reads."""
    tokens = classifier.count_tokens(list(hypotheses.values()))
    key, longest = max(zip(hypotheses, tokens, strict=True), key=lambda pair: pair[1])
    if 2 * longest > classifier.room:
        raise JudgeError(
            f"not judged: {key} has {longest} tokens, and the NLI model reads {classifier.room}, "
            "half of them of a premise; use a model that reads more"
        )
    return classifier.room - longest


def _read(
    asked: Mapping[str, Sequence[Premise]],
    hypotheses: Mapping[str, str],
    classifier: Classifier,
    options: NliOptions,
) -> dict[str, list[Reading]]:
    """For each claim what the model makes of it beside each premise; no pair is asked twice."""
    pairs: dict[Pair, None] = {
        (premise.text, hypotheses[key]): None for key, each in asked.items() for premise in each
    }
    found = classifier.classify(list(pairs), options.batch_size) if pairs else []
    by_pair = dict(zip(pairs, found, strict=True))
    return {
        key: [_reading(premise, by_pair[premise.text, hypotheses[key]]) for premise in each]
        for key, each in asked.items()
    }


def _reading(premise: Premise, probability: Mapping[Label, float]) -> Reading:
    return Reading(
        premise,
        entailment=round(probability["entailment"], _DIGITS),
        contradiction=round(probability.get("contradiction", 0.0), _DIGITS),
    )


def _explain_support(support: Sequence[SentenceSupport]) -> str:
    if lacking := [item.key for item in support if not item.supported]:
        return f"the documents lack support for {', '.join(lacking)}"
    return "the documents support what each claim says"
