"""Relevance judgements in TREC's form: which passage people judged relevant to which query.

A line is `query_id 0 passage_id relevance`, parted by tabs or spaces; the second column is not
read, and a relevance above 0 is relevant. BEIR's form is read too: a first line
`query-id corpus-id score`, then three columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pytest_trace.datasets.files import text_lines
from pytest_trace.errors import InvalidCase

Qrels = Mapping[str, Mapping[str, int]]
"""Query id, passage id, relevance."""

_BEIR: Final = ["query-id", "corpus-id", "score"]
_COLUMNS: Final = {4: "query_id 0 passage_id relevance", 3: "query_id passage_id relevance"}


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Every judgement of a file; blank lines are skipped.

    Raises `InvalidCase` naming the first line that is none, or that judges a pair otherwise than a
    line before, or the file that cannot be read or has no judgement.
    """
    qrels: dict[str, dict[str, int]] = {}
    for where, query, passage, relevance in _judgements(path):
        judged = qrels.setdefault(query, {})
        if (before := judged.setdefault(passage, relevance)) != relevance:
            raise InvalidCase(
                f"{where} judges {query} {passage} as {relevance}, a line before as {before}"
            )
    if not qrels:
        raise InvalidCase(f"{path} holds no judgement; expected lines of {_COLUMNS[4]!r}")
    return qrels


def relevant_to(query_id: str, qrels: Qrels) -> frozenset[str] | None:
    """The passages judged relevant to a query; None where nobody judged it."""
    judged = qrels.get(query_id)
    if judged is None:
        return None
    return frozenset(passage for passage, relevance in judged.items() if relevance > 0)


def _judgements(path: Path) -> Iterator[tuple[str, str, str, int]]:
    """Where it stands, query, passage and relevance of each line."""
    width = 4
    for number, line in text_lines(path, "judgements"):
        columns = line.split()
        if number == 1 and [column.lower() for column in columns] == _BEIR:
            width = 3
            continue
        where = f"{path.name}:{number}"
        if len(columns) != width:
            came = f"{len(columns)} column{'s' * (len(columns) != 1)}"
            raise InvalidCase(f"{where} has {came}; expected {_COLUMNS[width]!r}")
        try:
            relevance = int(columns[-1])
        except ValueError:
            raise InvalidCase(
                f"{where} has the relevance {columns[-1]!r}; expected a whole number"
            ) from None
        yield where, columns[0], columns[-2], relevance
