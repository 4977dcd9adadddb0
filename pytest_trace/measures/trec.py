"""The measures of trec_eval for rankings of documents, by ir_measures; no other module knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_trace.errors import MissingExtra, hide_own_frames

__tracebackhide__ = hide_own_frames

NAMES: Final = ("hit", "recall", "precision", "reciprocal_rank", "ndcg", "average_precision")


def trec_measures(
    pairs: Sequence[tuple[Sequence[str], Mapping[str, int]]], k: int
) -> list[dict[str, float]]:
    """The `NAMES` of each pair: a ranking of distinct ids, and grades from 0 on by id.

    Hit, recall, precision and nDCG look at the first `k`. Raises `MissingExtra` where ir_measures
    is not installed.
    """
    try:
        import ir_measures
        import pytrec_eval  # noqa: F401 - without it ir_measures only says that it knows no measure
    except ImportError as error:
        raise MissingExtra(
            f"measures of retrieval need ir_measures and pytrec_eval ({error}): "
            "pip install 'pytest-rag-trace[retrieval]'"
        ) from error
    at_k = (ir_measures.Success @ k, ir_measures.R @ k, ir_measures.P @ k)
    measures = (*at_k, ir_measures.RR, ir_measures.nDCG @ k, ir_measures.AP)
    named = dict(zip(measures, NAMES, strict=True))
    numbered = [_numbered(*pair) for pair in pairs]
    found: list[dict[str, float]] = [{} for _ in pairs]
    values = ir_measures.iter_calc(
        measures,
        {str(number): judged for number, (_, judged) in enumerate(numbered)},
        {str(number): run for number, (run, _) in enumerate(numbered)},
    )
    for value in values:
        found[int(value.query_id)][named[value.measure]] = float(value.value)
    return found


def _numbered(
    ranking: Sequence[str], grades: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, int]]:
    """The run and the judgements with numbers for ids: trec_eval's strings cannot hold all texts.

    Falling scores keep the order; equal ones would be ordered by id.
    """
    number_of = {
        name: str(number) for number, name in enumerate(dict.fromkeys([*ranking, *grades]))
    }
    run = {number_of[name]: float(len(ranking) - rank) for rank, name in enumerate(ranking)}
    return run, {number_of[name]: grade for name, grade in grades.items()}
