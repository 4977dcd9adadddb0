"""One line of a predictions file: read, scored and written as JSON. Any process may do it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from pytest_trace.assertions.bounds import is_met
from pytest_trace.datasets.prediction_fields import Fields
from pytest_trace.datasets.predictions import Prediction, RawLine, parse_prediction
from pytest_trace.errors import InvalidCase
from pytest_trace.measures.movement import relevant_ranks
from pytest_trace.measures.normalisation import Normalisation
from pytest_trace.measures.triad import PARTS, Judgements, TriadScores, triad_scores

SCORES: Final = (*PARTS, "triad")
_DIGEST_BYTES: Final = 8

Relevant = Mapping[str, frozenset[str]]
"""The passages judged relevant to each query that was judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How rows are read and scored. `relevant` is None where no judgements are given."""

    fields: Fields = field(default_factory=Fields)
    relevant: Relevant | None = None
    top_k: int | None = None
    normalisation: Normalisation = "squad"
    low: float = 0.5


class ScoredRow(NamedTuple):
    """A row after scoring; `body` is its JSON object but for the brace that closes it."""

    where: str
    query_id: str
    has_id: bool
    query_digest: bytes
    scores: tuple[float | None, ...]
    undefined: dict[str, str]
    flags: tuple[str, ...]
    low: tuple[str, ...]
    ranks: dict[str, int] | None
    body: str


class BadRow(NamedTuple):
    """A line that cannot be scored, and why."""

    message: str


def score_line(line: RawLine, configuration: str, scoring: Scoring) -> ScoredRow | BadRow:
    """A line, scored, or what is wrong with it."""
    try:
        row = parse_prediction(line, scoring.fields)
    except InvalidCase as error:
        return BadRow(str(error))
    relevant = None if scoring.relevant is None else scoring.relevant.get(row.id)
    scores = _scores(row, relevant, scoring)
    values = tuple(getattr(scores, name) for name in SCORES)
    low = tuple(
        name
        for name, value in zip(SCORES, values, strict=True)
        if value is not None and not is_met(value, scoring.low)
    )
    found = {
        "scores": scores.to_json(),
        "undefined": scores.undefined,
        "flags": scores.flags,
        "low": low,
    }
    given = {"configuration": configuration} | _row_json(row, relevant, scoring.top_k)
    ids = [passage.id for passage in row.passages]
    return ScoredRow(
        line.where,
        row.id,
        row.has_id,
        blake2b(row.query.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest(),
        values,
        dict(scores.undefined),
        scores.flags,
        low,
        None if relevant is None else relevant_ranks(ids, relevant),
        dumps(given | found)[:-1],
    )


def dumps(value: Any) -> str:
    """`value` as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def _scores(row: Prediction, relevant: frozenset[str] | None, scoring: Scoring) -> TriadScores:
    shown = row.passages[: scoring.top_k]
    judgements = None
    if scoring.relevant is not None:
        judgements = Judgements([passage.id for passage in shown], relevant)
    return triad_scores(
        row.query,
        [passage.content for passage in shown],
        row.generation,
        row.references,
        judgements=judgements,
        normalisation=scoring.normalisation,
    )


def _row_json(
    row: Prediction, relevant: frozenset[str] | None, top_k: int | None
) -> dict[str, Any]:
    return {
        "query_id": row.id,
        "query": row.query,
        "metadata": row.metadata,
        "candidates": [
            {
                "rank": rank,
                "id": passage.id,
                "score": passage.score,
                "is_shown": top_k is None or rank <= top_k,
                "is_relevant": None if relevant is None else passage.id in relevant,
            }
            | ({"title": passage.title} if passage.title else {})
            | {"text": passage.text}
            for rank, passage in enumerate(row.passages, 1)
        ],
        "generation": row.generation,
        "references": row.references,
    }
