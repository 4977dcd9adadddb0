"""How the relevant passages of one question moved between two configurations of a retriever."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

Ranks = Mapping[str, int]
"""The rank of each relevant passage that was retrieved, from 1."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One relevant passage and its ranks; None where it was not retrieved."""

    id: str
    rank: int | None
    baseline_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """Each relevant passage that was retrieved by either, in one of five lists, by rank.

    `entered`: it is shown to the generator now and was not before; `left`: the other way round.
    Of the rest, whether shown by both or by neither, `rose`: its rank is nearer to 1 now, or it was
    not retrieved before; `fell`: the other way round; `stayed`: its rank is the same.
    """

    entered: tuple[Moved, ...] = ()
    left: tuple[Moved, ...] = ()
    rose: tuple[Moved, ...] = ()
    fell: tuple[Moved, ...] = ()
    stayed: tuple[Moved, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The five lists as JSON values."""
        return {
            each.name: [
                {"id": moved.id, "rank": moved.rank, "baseline_rank": moved.baseline_rank}
                for moved in getattr(self, each.name)
            ]
            for each in fields(self)
        }


def relevant_ranks(ids: Sequence[str | None], relevant: Collection[str]) -> dict[str, int]:
    """The ranks of the relevant among `ids`; of a passage that is listed twice, the first."""
    ranks: dict[str, int] = {}
    for rank, identifier in enumerate(ids, 1):
        if identifier is not None and identifier in relevant:
            ranks.setdefault(identifier, rank)
    return ranks


def movement(ranks: Ranks, baseline: Ranks, *, shown: int | None) -> Movement:
    """From `baseline` to `ranks`; the first `shown` passages are shown, all of them for None."""
    lists: dict[str, list[Moved]] = {each.name: [] for each in fields(Movement)}
    found = [Moved(each, ranks.get(each), baseline.get(each)) for each in ranks.keys() | baseline]
    for moved in sorted(found, key=_order):
        lists[_way(moved, shown)].append(moved)
    return Movement(**{name: tuple(moves) for name, moves in lists.items()})


def _way(moved: Moved, shown: int | None) -> str:
    is_shown, was_shown = (_is_shown(rank, shown) for rank in (moved.rank, moved.baseline_rank))
    if is_shown != was_shown:
        return "entered" if is_shown else "left"
    if moved.rank == moved.baseline_rank:
        return "stayed"
    if moved.rank is None:
        return "fell"
    return "rose" if moved.baseline_rank is None or moved.rank < moved.baseline_rank else "fell"


def _is_shown(rank: int | None, shown: int | None) -> bool:
    return rank is not None and (shown is None or rank <= shown)


def _order(moved: Moved) -> tuple[float, float, str]:
    last = float("inf")
    return (moved.rank or last, moved.baseline_rank or last, moved.id)
