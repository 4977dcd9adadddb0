"""How well retrieval did, where it is known which documents are relevant.

With n relevant documents (grade 1 or more), r_i = 1 if the document at rank i is relevant and g_i
its grade:

    hit@k        1 if one of the first k is relevant, else 0     hit rate is its mean
    recall@k     Σ r_i, i ≤ k, / n
    precision@k  Σ r_i, i ≤ k, / k
    reciprocal rank    1 / rank of the first relevant one, 0 if there is none; MRR is its mean
    nDCG@k       Σ g_i / log2(i + 1), i ≤ k, / the same of the best ranking (Järvelin and
                 Kekäläinen, TOIS 2002, with the gains of trec_eval)
    average precision  Σ r_i · precision@i / n; MAP is its mean

The values are those of trec_eval, through ir_measures. Ranks are of documents: several chunks of
one count once, at the best of their ranks, so that none exceeds 1. Where nothing is relevant all
of them are undefined (None), where trec_eval has 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from pytest_trace.errors import hide_own_frames
from pytest_trace.measures.rankings import Relevance, distinct, read_relevance, require_k
from pytest_trace.measures.trec import NAMES, trec_measures

__tracebackhide__ = hide_own_frames


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalScores:
    """The measures of one ranking, each in [0, 1]; None where no document is relevant.

    `ranking` has each retrieved document once, `relevant` the relevant ones, sorted.
    """

    k: int
    hit: float | None
    recall: float | None
    precision: float | None
    reciprocal_rank: float | None
    ndcg: float | None
    average_precision: float | None
    ranking: tuple[str, ...]
    relevant: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """These scores as JSON values."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return data | {"ranking": list(self.ranking), "relevant": list(self.relevant)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RetrievalScores:
        """The inverse of `to_json`."""
        ids = {name: tuple(data[name]) for name in ("ranking", "relevant")}
        return cls(**{**data, **ids})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalReport:
    """The measures of many questions: of each one, and their means over those that are defined.

    `scored` is how many that are. A mean is None if there is none.
    """

    k: int
    by_query: Mapping[str, RetrievalScores]
    hit_rate: float | None
    recall: float | None
    precision: float | None
    mrr: float | None
    ndcg: float | None
    map: float | None
    scored: int

    @property
    def undefined(self) -> tuple[str, ...]:
        """The questions without a relevant document."""
        return tuple(name for name, scores in self.by_query.items() if scores.hit is None)

    def to_json(self) -> dict[str, Any]:
        """The means, the questions that are not in them, and the scores of each."""
        means = ("k", "hit_rate", "recall", "precision", "mrr", "ndcg", "map", "scored")
        return {name: getattr(self, name) for name in means} | {
            "undefined": list(self.undefined),
            "by_query": {name: scores.to_json() for name, scores in self.by_query.items()},
        }


def retrieval_scores(
    retrieved: Iterable[str], relevant: Relevance, *, k: int = 10
) -> RetrievalScores:
    """The measures of one ranking of ids, the best first; an empty one found nothing and scores 0.

    `relevant` are the relevant ids, or grades by id (0 is not relevant). Raises `ValueError` for
    what is no id, no grade or no `k`, and `MissingExtra` without the extra `retrieval`.
    """
    return retrieval_report({"": retrieved}, {"": relevant}, k=k).by_query[""]


def retrieval_report(
    rankings: Mapping[str, Iterable[str]], qrels: Mapping[str, Relevance], *, k: int = 10
) -> RetrievalReport:
    """The measures of a ranking for each question, and their means.

    A question that `qrels` does not have is undefined, and counts in no mean. Raises as
    `retrieval_scores` does.
    """
    k = require_k(k)
    ranked = {name: distinct(ids) for name, ids in rankings.items()}
    grades = {name: read_relevance(qrels.get(name, ())) for name in ranked}
    defined = [name for name in ranked if any(grades[name].values())]
    values = trec_measures([(ranked[name], grades[name]) for name in defined], k)
    values_of = dict(zip(defined, values, strict=True))
    undefined = dict.fromkeys(NAMES)
    by_query = {
        name: RetrievalScores(
            k=k,
            **(values_of.get(name) or undefined),
            ranking=ranking,
            relevant=tuple(sorted(item for item, grade in grades[name].items() if grade)),
        )
        for name, ranking in ranked.items()
    }
    means = [_mean([scores[name] for scores in values]) for name in NAMES]
    return RetrievalReport(
        k=k,
        by_query=by_query,
        **dict(zip(("hit_rate", "recall", "precision", "mrr", "ndcg", "map"), means, strict=True)),
        scored=len(values),
    )


def _mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
