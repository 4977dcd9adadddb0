"""Assertions on what was retrieved, where it is known which documents are relevant: no judge."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_trace.assertions.bounds import is_met, require_minimum
from pytest_trace.errors import hide_own_frames
from pytest_trace.explain import WIDTH, field_line, format_missed, trace_lines, wrapped_lines
from pytest_trace.measures.rankings import Relevance, ranking_of, relevance_of
from pytest_trace.measures.retrieval import RetrievalScores, retrieval_scores
from pytest_trace.quoting import fold, quote
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace

__tracebackhide__ = hide_own_frames

_MOST_IDS = 10
_ID_WIDTH = 40


def assert_recall_at(
    trace: Trace | KeyedTrace,
    k: int,
    minimum: float,
    *,
    relevant_ids: Relevance | None = None,
    id_key: str | None = None,
) -> RetrievalScores:
    """At least the share `minimum` of the relevant documents is among the first `k` retrieved.

    `relevant_ids` are compared with `Document.id`, or with the metadata called `id_key`; without
    them the trace's metadata `relevant_ids` holds them. Several chunks of one document count once,
    and `k` counts documents. `minimum` is inclusive, in [0, 1], with a tolerance of 1e-9. Where no
    document is relevant, recall is undefined and the assertion fails. Raises `ValueError` for a
    document without an id or where nothing says which are relevant, and `MissingExtra` without
    the extra `retrieval`.
    """
    bound = require_minimum(minimum, "recall")
    trace = trace.trace if isinstance(trace, KeyedTrace) else trace
    ranking = ranking_of(trace, id_key=id_key)
    scores = retrieval_scores(ranking, relevance_of(trace, relevant_ids), k=k)
    if scores.recall is not None and is_met(scores.recall, bound):
        return scores
    lines = [*fold(_headline(scores, bound), WIDTH, indent="  "), "", *_ids(scores), ""]
    raise AssertionError("\n".join([*lines, *trace_lines(trace)]))


def _headline(scores: RetrievalScores, bound: float) -> str:
    name, total = f"recall@{scores.k}", len(scores.relevant)
    if scores.recall is None:
        return f"{name} is undefined: no document is relevant"
    found = round(scores.recall * total)
    which = f"{found} of {total} relevant documents" if total > 1 else "the relevant document"
    verb = "is" if found == 1 or total == 1 else "are"
    negation = " not" if total == 1 else ""
    return (
        f"{name} {format_missed(scores.recall, bound)} is below {bound:.10g}: "
        f"{which} {verb}{negation} among the first {scores.k}"
    )


def _ids(scores: RetrievalScores) -> Iterator[str]:
    rank_of = {name: rank for rank, name in enumerate(scores.ranking, 1)}
    missing = [quote(name, _ID_WIDTH) for name in scores.relevant if name not in rank_of]
    ranked = sorted((rank_of[name], name) for name in scores.relevant if name in rank_of)
    found = [f"{quote(name, _ID_WIDTH)} at rank {rank}" for rank, name in ranked]
    retrieved = [quote(name, _ID_WIDTH) for name in scores.ranking]
    groups = {"not found": missing, "found": found, "retrieved": retrieved}
    for label, shown in groups.items():
        more = [f"and {len(shown) - _MOST_IDS} more"] if len(shown) > _MOST_IDS else []
        if shown:
            yield from wrapped_lines(label, ", ".join(shown[:_MOST_IDS] + more))
    if not retrieved:
        yield field_line("retrieved", "nothing")
