"""What is kept of the baseline's rows, and how another configuration's row differs from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from pytest_trace.cli.triads.rows import SCORES, ScoredRow
from pytest_trace.errors import InvalidCase
from pytest_trace.measures.movement import Movement, movement

Scores = tuple[float | None, ...]


class _Kept(NamedTuple):
    where: str
    query_digest: bytes
    scores: Scores
    ranks: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A row beside the baseline's of the same query id.

    `movement` is None where nobody judged the query.
    """

    deltas: Scores
    movement: Movement | None
    is_same_query: bool

    def to_json(self) -> dict[str, Any]:
        """The differences of the scores, and the movement, as JSON values."""
        return {
            "delta": dict(zip(SCORES, self.deltas, strict=True)),
            "movement": None if self.movement is None else self.movement.to_json(),
        }


class Baseline:
    """The rows of the baseline by query id, as little of each as a comparison needs."""

    def __init__(self, name: str, shown: int | None) -> None:
        self.name = name
        self._shown = shown
        self._kept: dict[str, _Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, row: ScoredRow) -> None:
        """Remember a row of the baseline."""
        self._kept[row.query_id] = _Kept(row.where, row.query_digest, row.scores, row.ranks)

    def difference(self, row: ScoredRow) -> Difference | None:
        """From the baseline to `row`; None where the baseline has no such query id.

        Raises `InvalidCase` where rows without an id, which go by their line, ask different things.
        """
        kept = self._kept.get(row.query_id)
        if kept is None:
            return None
        is_same = kept.query_digest == row.query_digest
        if not (is_same or row.has_id):
            raise InvalidCase(
                f"{row.where} has no query_id, so it is compared with {kept.where} of the "
                f"baseline, which asks another query; give the rows ids, or --field query_id=…"
            )
        moved = None
        if row.ranks is not None and kept.ranks is not None:
            moved = movement(row.ranks, kept.ranks, shown=self._shown)
        return Difference(_deltas(row.scores, kept.scores), moved, is_same)


def _deltas(values: Scores, before: Scores) -> Scores:
    """Of each score; that of the triad only where both are means of the same of the three."""
    *parts, triad = map(_delta, values, before)
    is_same_mean = [part is None for part in values] == [part is None for part in before]
    return (*parts, triad if is_same_mean else None)


def _delta(value: float | None, before: float | None) -> float | None:
    return None if value is None or before is None else value - before
