"""Assertions on how a response uses its context: its claims, its citations, its entities.

Those that need a judge ask the one of the running test, as all assertions do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_trace.assertions.bounds import is_met, require_minimum
from pytest_trace.context_report import judge_citations, judge_claims
from pytest_trace.errors import hide_own_frames
from pytest_trace.explain import (
    WIDTH,
    field_line,
    format_missed,
    format_score,
    quoted_sentence,
    support_lines,
    trace_lines,
    wrapped_lines,
)
from pytest_trace.judges import Judge
from pytest_trace.measures.citations import Citation, Citations
from pytest_trace.measures.claims import Hallucinations
from pytest_trace.measures.entities import EntityRecall, entity_recall
from pytest_trace.measures.extractor_specs import make_extractor
from pytest_trace.measures.extractors import EntityExtractor
from pytest_trace.quoting import fold, quote, shorten, visible
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Trace

__tracebackhide__ = hide_own_frames

_MOST_SHOWN = 10
_SHOWN_TARGET = 30


def assert_no_unsupported_claims(
    trace: Trace | KeyedTrace, *, judge: Judge | str | None = None
) -> Hallucinations:
    """Every claim of the response has support in the documents.

    A sentence is cut into its claims where its words leave no doubt, so that the failure shows
    which part of it is invented. A response that claims nothing has no such claim, and passes.
    """
    evaluation, found = judge_claims(trace, judge=judge)
    if not found.unsupported:
        return found
    count, total = found.hallucinated_claims, found.total_claims
    verb = "lacks" if count == 1 else "lack"
    raise AssertionError(
        _failure(
            f"{count} of {total} claims {verb} support (judge: {evaluation.judge})",
            support_lines(evaluation),
            evaluation.trace,
        )
    )


def assert_citations_correct(
    trace: Trace | KeyedTrace,
    *,
    judge: Judge | str | None = None,
    numbering_from: int = 1,
    allow_missing: bool = False,
) -> Citations:
    """Every citation supports the sentence it stands on, and every claim has one.

    It reads the verdict that `assert_adherent` reads; only a citation that this verdict does not
    name costs a call more, one for each such document. `numbering_from` is the number of the
    first document, 1 or 0. `allow_missing=True` lets claims without a citation pass. Without any
    citation of a claim the accuracy is undefined, and the assertion fails.
    """
    evaluation, found = judge_citations(trace, judge=judge, numbering_from=numbering_from)
    is_complete = allow_missing or not found.missing
    if found.value is not None and not found.wrong and is_complete:
        return found
    headline = f"{_citation_headline(found, is_complete=is_complete)} (judge: {evaluation.judge})"
    lines = _citation_lines(evaluation.sentences, found, is_complete=is_complete)
    raise AssertionError(_failure(headline, lines, evaluation.trace))


def assert_entity_recall_above(
    trace: Trace | KeyedTrace, minimum: float, *, entities: EntityExtractor | str = "default"
) -> EntityRecall:
    """The response says at least the share `minimum` of the entities that the context names.

    `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9. No judge is asked. `entities`
    finds them: `default` (names, numbers, dates, amounts) or `spacy:MODEL`. Where the context
    names none, recall is undefined and the assertion fails.
    """
    bound = require_minimum(minimum, "entity recall")
    extractor = make_extractor(entities) if isinstance(entities, str) else entities
    if isinstance(trace, Trace):
        trace = KeyedTrace.from_trace(trace, make_sentencizer())
    found = entity_recall(trace, extractor=extractor)
    if found.value is not None and is_met(found.value, bound):
        return found
    raise AssertionError(
        _failure(_entity_headline(found, bound), list(_entity_lines(found)), trace.trace)
    )


def _failure(headline: str, lines: Sequence[str], trace: Trace) -> str:
    parts = ["", *lines] if lines else []
    return "\n".join([*fold(headline, WIDTH, indent="  "), *parts, "", *trace_lines(trace)])


def _entity_headline(found: EntityRecall, bound: float) -> str:
    if found.value is None:
        return "entity recall is undefined: the retrieved documents name no entity"
    total, said = len(found.entities), len(found.entities) - len(found.left_out)
    return (
        f"entity recall {format_missed(found.value, bound)} is below {bound:.10g}: "
        f"the response says {said} of {total} entities of the documents"
    )


def _entity_lines(found: EntityRecall) -> Iterator[str]:
    left_out = found.left_out
    if not left_out:
        return
    yield f"left out: {len(left_out)} of {len(found.entities)}"
    for entity in left_out[:_MOST_SHOWN]:
        kind = shorten(visible(entity.kind), 10)
        yield f"  {kind:<10} {quote(entity.text, WIDTH - 40)} in {shorten(entity.key, 20)}"
    if len(left_out) > _MOST_SHOWN:
        yield f"  and {len(left_out) - _MOST_SHOWN} more"


def _citation_headline(found: Citations, *, is_complete: bool) -> str:
    if found.value is None and not found.claims:
        return "citation accuracy is undefined: the response claims nothing that could be cited"
    if found.value is None and not found.wrong:
        return "citation accuracy is undefined: no claim of the response has a citation"
    faults = []
    if found.wrong:
        counted = [item for item in found.citations if item.status != "no_claim"]
        verb = "is" if len(found.wrong) == 1 else "are"
        faults.append(f"{len(found.wrong)} of {len(counted)} citations {verb} not correct")
    if not is_complete:
        verb = "has" if len(found.missing) == 1 else "have"
        faults.append(f"{len(found.missing)} of {found.claims} claims {verb} no citation")
    return ", ".join(faults)


def _citation_lines(sentences: KeyedTrace, found: Citations, *, is_complete: bool) -> list[str]:
    faults: dict[str, list[str]] = {}
    for citation in found.wrong:
        reason = _reason(citation, found, len(sentences.trace.documents))
        lines = wrapped_lines("  cited", f"{_shown(citation, found)} {reason}")
        faults[citation.key] = [*faults.get(citation.key, ()), *lines]
    if not is_complete:
        faults |= {key: [field_line("  missing", "a citation")] for key in found.missing}
    faulty = [sentence for sentence in sentences.response if sentence.key in faults]
    lines = []
    for sentence in faulty[:_MOST_SHOWN]:
        lines += [quoted_sentence(sentence, WIDTH), *dict.fromkeys(faults[sentence.key])]
    if len(faulty) > _MOST_SHOWN:
        lines.append(f"and {len(faulty) - _MOST_SHOWN} more")
    shares = (
        f"citation accuracy {format_score(found.value)}, coverage {format_score(found.coverage)}"
    )
    return [*lines, field_line("citations", shares)]


def _shown(citation: Citation, found: Citations) -> str:
    """The citation as it stands in the response; of one with several targets also which."""
    text = shorten(visible(citation.text), _SHOWN_TARGET)
    targets = [other.target for other in found.citations if other.start == citation.start]
    return text if len(targets) == 1 else f"{shorten(citation.target, _SHOWN_TARGET)} of {text}"


def _reason(citation: Citation, found: Citations, documents: int) -> str:
    supporting = ", ".join(f"[{found.number(index)}]" for index in citation.supporting)
    if citation.status == "unsupported":
        return "stands on a sentence that no document supports"
    if citation.status == "wrong_passage":
        verb = "do" if len(citation.supporting) > 1 else "does"
        return "does not support it; " + (
            f"{supporting} {verb}" if supporting else "the judge names no document that does"
        )
    last = found.number(documents - 1)
    known = f"there are [{found.number(0)}] to [{last}]" if documents > 1 else f"there is [{last}]"
    return f"stands for no document: {known if documents else 'there is none'}"
