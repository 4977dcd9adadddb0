"""How a response uses its context: what needs a judge, asked as `evaluate` asks it, in one report.

The measures themselves stand in `measures` and ask nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_trace import running
from pytest_trace.errors import hide_own_frames
from pytest_trace.evaluation import (
    Evaluation,
    RunningTest,
    Settings,
    current_settings,
    evaluate,
    evaluate_with,
    keyed,
)
from pytest_trace.judges import Judge
from pytest_trace.measures.citations import Citations, check_citations
from pytest_trace.measures.claims import Hallucinations, hallucinations, with_claims
from pytest_trace.measures.entities import EntityRecall, entity_recall
from pytest_trace.measures.extractor_specs import make_extractor
from pytest_trace.measures.extractors import EntityExtractor
from pytest_trace.measures.numbers import NumericFidelity, numeric_fidelity
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace

__tracebackhide__ = hide_own_frames


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUse:
    """How a response uses its context. The scores are in [0, 1], or None where undefined.

    `entities`, `claims`, `citations` and `numbers` hold what each score is made of.
    """

    entities: EntityRecall
    claims: Hallucinations
    citations: Citations
    numbers: NumericFidelity
    judge: str

    @property
    def entity_recall(self) -> float | None:
        """The share of the entities of the context that the response says."""
        return self.entities.value

    @property
    def unsupported_claims(self) -> tuple[str, ...]:
        """The texts of the claims that no document supports."""
        return self.claims.hallucinated_claims_list

    @property
    def hallucination_rate(self) -> float | None:
        """The share of the claims that no document supports."""
        return self.claims.hallucination_rate

    @property
    def citation_accuracy(self) -> float | None:
        """The share of the citations that support the sentence they stand on."""
        return self.citations.value

    @property
    def numeric_fidelity(self) -> float | None:
        """The share of the response's numbers that stand in the documents."""
        return self.numbers.value

    def to_json(self) -> dict[str, Any]:
        """The scores, and what each is made of, as JSON values."""
        return {
            "entity_recall": self.entity_recall,
            "unsupported_claims": list(self.unsupported_claims),
            "hallucination_rate": self.hallucination_rate,
            "citation_accuracy": self.citation_accuracy,
            "numeric_fidelity": self.numeric_fidelity,
            "judge": self.judge,
            "entities": self.entities.to_json(),
            "claims": self.claims.to_json(),
            "citations": self.citations.to_json(),
            "numbers": self.numbers.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ContextUse:
        """The inverse of `to_json`."""
        return cls(
            entities=EntityRecall.from_json(data["entities"]),
            claims=Hallucinations.from_json(data["claims"]),
            citations=Citations.from_json(data["citations"]),
            numbers=NumericFidelity.from_json(data["numbers"]),
            judge=data["judge"],
        )


def context_use(
    trace: Trace | KeyedTrace,
    *,
    judge: Judge | str | None = None,
    entities: EntityExtractor | str = "default",
    numbering_from: int = 1,
) -> ContextUse:
    """Entity recall, unsupported claims, citation accuracy and numeric fidelity of one trace.

    The judge is asked twice: about the sentences, which `evaluate` and the assertions ask about
    too, and about their claims where a sentence has several. A citation of a document that the
    verdict does not name costs one more call for that document. `judge` is chosen as `evaluate`
    chooses it; `entities` finds the entities, `default` or `spacy:MODEL`; `numbering_from` is the
    number of the first document, 1 or 0. Raises what `evaluate` raises.
    """
    judge = current_settings(judge).judge  # made once: it may load a model
    extractor = make_extractor(entities) if isinstance(entities, str) else entities
    evaluation, citations = judge_citations(trace, judge=judge, numbering_from=numbering_from)
    return ContextUse(
        entities=entity_recall(evaluation.sentences, extractor=extractor),
        claims=judge_claims(evaluation.sentences, judge=judge)[1],
        citations=citations,
        numbers=numeric_fidelity(evaluation.sentences),
        judge=evaluation.judge,
    )


def judge_claims(
    trace: Trace | KeyedTrace, *, judge: Judge | str | None = None
) -> tuple[Evaluation, Hallucinations]:
    """The claims of a trace, and the evaluation that they were read from: one call."""
    settings = current_settings(judge)
    evaluation = _evaluate_aside(with_claims(keyed(trace, settings)), settings)
    return evaluation, hallucinations(evaluation.sentences, evaluation.support)


def judge_citations(
    trace: Trace | KeyedTrace, *, judge: Judge | str | None = None, numbering_from: int = 1
) -> tuple[Evaluation, Citations]:
    """The citations of a trace, and the evaluation that they were read from.

    That evaluation is the one that every assertion on the trace reads.
    """
    evaluation = evaluate(trace, judge=judge)
    sentences = evaluation.sentences

    def supports_alone(document: int) -> frozenset[str]:
        alone = _with_document_alone(sentences, document)
        if alone is None:
            return frozenset()
        supports = _evaluate_aside(alone, current_settings(judge)).support
        return frozenset(item.key for item in supports if item.is_supported)

    found = check_citations(
        sentences,
        evaluation.support,
        numbering_from=numbering_from,
        supports_alone=supports_alone,
    )
    return evaluation, found


def _evaluate_aside(trace: KeyedTrace, settings: Settings) -> Evaluation:
    """`evaluate` without a row of the running test's: of a trace cut finer, or of a part of one."""
    test: RunningTest | None = running.current_test()
    return evaluate_with(trace, settings, None if test is None else test.ask)


def _with_document_alone(sentences: KeyedTrace, document: int) -> KeyedTrace | None:
    """The trace as if this document were all that was retrieved; None if it has no text."""
    trace, own = sentences.trace, f"doc_{document}_"
    if not trace.documents[document].text.strip():
        return None
    documents = tuple(
        replace(sentence, key=f"doc_0_{sentence.key.removeprefix(own)}", document=0)
        for sentence in sentences.documents
        if sentence.document == document
    )
    alone = Trace(
        trace.question, [trace.documents[document]], trace.response, history=trace.history
    )
    return replace(sentences, trace=alone, documents=documents)
