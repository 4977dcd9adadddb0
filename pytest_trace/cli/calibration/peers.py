"""What other tools gave the same rows, as RAGBench published it, beside the judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pytest_trace.cli.calibration.judging import Judged
from pytest_trace.cli.calibration.measuring import (
    Measure,
    Measured,
    hallucination_ranking,
    labelled_score,
)
from pytest_trace.measures.agreement import Weights, rmse


class Peer(NamedTuple):
    """A column of another tool and what it stands beside."""

    column: str
    tool: str
    score: str

    @property
    def names(self) -> tuple[str, str, str]:
        """The names of its figures: theirs, ours on the same rows, and ours less theirs."""
        return f"{self.column}_theirs", f"{self.column}_ours", f"{self.column}_difference"


PEERS: Final = (
    Peer("ragas_faithfulness", "RAGAS", "adherence"),
    Peer("trulens_groundedness", "TruLens", "adherence"),
    Peer("gpt3_adherence", "GPT-3.5", "adherence"),
    Peer("ragas_context_relevance", "RAGAS", "relevance"),
    Peer("trulens_context_relevance", "TruLens", "relevance"),
    Peer("gpt3_context_relevance", "GPT-3.5", "relevance"),
    Peer("gpt35_utilization", "GPT-3.5", "utilization"),
)


def peer_rows(judged: Sequence[Judged], peer: Peer) -> int:
    """How many rows have the peer's value and the label it stands for."""
    return len(_rows(judged, peer))


def peer_measure(judged: Sequence[Judged], peer: Peer) -> Measure:
    """AUROC of hallucination or RMSE of a score: the peer's, ours on the same rows, and ours less.

    The difference is drawn as a pair: its interval says whether one is ahead.
    """
    rows = _rows(judged, peer)
    theirs = [item.labels.peers[peer.column] or 0.0 for _, item in rows]
    if peer.score == "adherence":
        rank_theirs = hallucination_ranking(rows, [-value for value in theirs])
        rank_ours = hallucination_ranking(rows, [-item.score for _, item in rows])
        return lambda weights: _measured(peer, rank_theirs.auroc(weights), rank_ours.auroc(weights))
    labels = [labelled_score(item.labels, peer.score) or 0.0 for _, item in rows]
    ours = [getattr(item.evaluation.scores, peer.score) for _, item in rows]

    def measure(weights: Weights | None) -> Measured:
        own = weights and [weights[number] for number, _ in rows]
        return _measured(peer, rmse(theirs, labels, own), rmse(ours, labels, own))

    return measure


def _measured(peer: Peer, theirs: float | None, ours: float | None) -> Measured:
    difference = None if theirs is None or ours is None else ours - theirs
    return dict(zip(peer.names, (theirs, ours, difference), strict=True))


def _rows(judged: Sequence[Judged], peer: Peer) -> list[tuple[int, Judged]]:
    return [
        (number, item)
        for number, item in enumerate(judged)
        if item.labels.peers.get(peer.column) is not None and _has_both(item, peer.score)
    ]


def _has_both(item: Judged, score: str) -> bool:
    """Whether the label is there and the judge's score is defined."""
    if score == "adherence":
        return item.labels.is_supported is not None
    ours = getattr(item.evaluation.scores, score)
    return ours is not None and labelled_score(item.labels, score) is not None
