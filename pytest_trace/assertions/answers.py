"""Assertions on the RAG triad and on answers against references; no judge but where one is asked.

"Above" is inclusive, with a tolerance of 1e-9. A minimum is a real number in [0, 1]; there is no
default. An undefined score never passes, and the failure says why it is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

from pytest_trace.assertions.answer_failures import (
    below,
    equivalence_lines,
    failure,
    id_lines,
    lacking,
    overlap_lines,
    unknown_lines,
    word_lines,
)
from pytest_trace.assertions.bounds import is_met, require_minimum
from pytest_trace.errors import UnknownName, hide_own_frames
from pytest_trace.judges import Judge
from pytest_trace.measures.answers import (
    AnswerScores,
    References,
    answer_scores,
    best_overlap,
    known_references,
)
from pytest_trace.measures.equivalence import equivalence
from pytest_trace.measures.normalisation import Normalisation
from pytest_trace.measures.outcomes import Criterion
from pytest_trace.measures.triad import (
    Judgements,
    context_relevance,
    groundedness,
    unknown_words,
    vocabulary,
)
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace

__tracebackhide__ = hide_own_frames

RelevantIds = Iterable[str] | Mapping[str, float]
"""Ids of relevant documents, or the grade of each: above 0 is relevant."""

_SHOWN_NAMES = {
    "exact_match": "exact match",
    "token_f1": "token F1",
    "rouge_l": "ROUGE-L",
    "contained": "contained answer",
}
_NO_REFERENCE = "there is no reference; give references=…, or Trace(…, reference=…)"


def assert_context_relevant(
    trace: Trace | KeyedTrace, minimum: float, *, relevant_ids: RelevantIds | None = None
) -> float:
    """The retrieved documents are relevant to the question; returns the score.

    With `relevant_ids`, or metadata of that name, it is 1 if the id of a retrieved document is
    among them, else 0. Without, it is the share of the question's content words that the retrieved
    documents have. `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    bound = require_minimum(minimum, "context relevance")
    trace = _plain(trace)
    relevant = _relevant(trace, relevant_ids)
    retrieved = [each for each in trace.documents if each.kind == "retrieved"]
    if relevant is not None:
        return _found_relevant(trace, bound, relevant, [each.id for each in retrieved])
    texts = [_content(each) for each in retrieved]
    score = context_relevance(trace.question, texts)
    if score is None:
        what = "context relevance is undefined: the question has no content word"
        raise failure(what, [], trace)
    if not is_met(score, bound):
        missing = list(dict.fromkeys(unknown_words(trace.question, vocabulary(texts))))
        why = lacking(trace.question, texts, "question", is_repeated=False)
        headline = below("context relevance", score, bound, why)
        raise failure(headline, list(word_lines("missing", missing)), trace)
    return score


def assert_grounded_above(trace: Trace | KeyedTrace, minimum: float) -> float:
    """At least the share `minimum` of the response's content words stands in the documents.

    Returns the share. Documents of all kinds and their titles count. Words are compared as they
    are written, but for case; what that does not see, `assert_adherent` asks a judge. `minimum` is
    inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    bound = require_minimum(minimum, "groundedness")
    sentences = _keyed(trace)
    response = sentences.trace.response
    texts = [_content(each) for each in sentences.trace.documents]
    score = groundedness(response, texts)
    if score is None:
        what = "groundedness is undefined: the response has no content word"
        raise failure(what, [], sentences.trace)
    if not is_met(score, bound):
        why = lacking(response, texts, "response", is_repeated=True)
        headline = below("groundedness", score, bound, why)
        raise failure(headline, list(unknown_lines(sentences, texts)), sentences.trace)
    return score


def assert_answer_matches(
    trace: Trace | KeyedTrace,
    minimum: float,
    *,
    references: References | None = None,
    measure: Criterion = "token_f1",
    normalisation: Normalisation = "squad",
    judge: Judge | str | None = None,
) -> AnswerScores:
    """The response says what a reference says; returns its scores by every measure of tokens.

    The references are those given, or `trace.reference`; the best one counts. `measure` is
    `token_f1`, `exact_match`, `rouge_l`, `contained` or `equivalence`; only the last asks a judge,
    whether response and reference support each other, and is 1 or 0, as are exact match and
    contained. `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9.
    """
    bound = require_minimum(minimum, str(measure))
    if measure not in get_args(Criterion):
        raise UnknownName(f"unknown measure {measure!r}; known: {', '.join(get_args(Criterion))}")
    trace = _plain(trace)
    known = known_references(references if references is not None else trace.reference or ())
    scores = answer_scores(trace.response, known, normalisation=normalisation)
    if measure == "equivalence":
        _require_equivalent(trace, known, bound, judge)
        return scores
    name, score = _SHOWN_NAMES[measure], scores.value(measure)
    if score is None:
        why = _NO_REFERENCE if not known else "no reference has a token to look for"
        raise failure(f"{name} is undefined: {why}", [], trace)
    if not is_met(score, bound):
        overlap = best_overlap(trace.response, known, normalisation=normalisation)
        lines = [] if overlap is None else overlap_lines(overlap, count=len(known))
        of = "the reference" if len(known) == 1 else f"the best of {len(known)} references"
        raise failure(below(name, score, bound, f"compared with {of}"), list(lines), trace)
    return scores


def _found_relevant(
    trace: Trace, bound: float, relevant: frozenset[str], ids: list[str | None]
) -> float:
    score = context_relevance(trace.question, [], judgements=Judgements(ids, relevant))
    if score is not None and is_met(score, bound):
        return score
    if score is not None:
        headline = below("context relevance", score, bound, "no relevant document is retrieved")
    elif relevant:
        headline = "context relevance is undefined: a document has no id, and no other is relevant"
    else:
        headline = "context relevance is undefined: no document is relevant"
    raise failure(headline, list(id_lines(relevant, ids)), trace)


def _require_equivalent(
    trace: Trace, known: list[str], bound: float, judge: Judge | str | None
) -> None:
    found = equivalence(trace.response, known, judge=judge, question=trace.question)
    if found is None:
        raise failure(f"equivalence is undefined: {_NO_REFERENCE}", [], trace)
    if not is_met(float(found.is_equivalent), bound):
        headline = "the response is not equivalent to the reference"
        if len(known) > 1:
            headline = f"the response is equivalent to none of {len(known)} references"
        raise failure(headline, list(equivalence_lines(found, count=len(known))), trace)


def _relevant(trace: Trace, given: RelevantIds | None) -> frozenset[str] | None:
    found = trace.metadata.get("relevant_ids") if given is None else given
    if found is None:
        return None
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise TypeError(f"relevant_ids is {found!r}; expected several ids, or a grade for each")
    if isinstance(found, Mapping):
        return frozenset(str(name) for name, grade in found.items() if grade > 0)
    return frozenset(map(str, found))


def _plain(trace: Trace | KeyedTrace) -> Trace:
    return trace.trace if isinstance(trace, KeyedTrace) else trace


def _keyed(trace: Trace | KeyedTrace) -> KeyedTrace:
    if isinstance(trace, KeyedTrace):
        return trace
    return KeyedTrace.from_trace(trace, make_sentencizer())


def _content(document: Document) -> str:
    return f"{document.title}\n{document.text}" if document.title else document.text
