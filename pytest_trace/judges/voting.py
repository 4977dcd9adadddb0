"""Several verdicts on one trace, and the one that most of them agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pytest_trace.errors import hide_own_frames
from pytest_trace.llm.notes import summed
from pytest_trace.verdict import SentenceSupport, Verdict

__tracebackhide__ = hide_own_frames


def vote(ask: Callable[[int], Verdict], votes: int) -> Verdict:
    """The majority of up to `votes` verdicts, asked for by their numbers from 0 on.

    It stops where no sentence and no key can change any more; one vote is returned as it is.
    Raises `ValueError` for anything but an odd number of votes.
    """
    require_odd(votes)
    majority = votes // 2 + 1
    verdicts = [ask(0)]
    while len(verdicts) < votes and not _is_settled(verdicts, majority):
        verdicts.append(ask(len(verdicts)))
    return combine(verdicts)


def require_odd(votes: int) -> None:
    """Raise `ValueError` unless `votes` is an odd number: an even one can end in a tie."""
    if isinstance(votes, bool) or not isinstance(votes, int) or votes < 1 or votes % 2 == 0:
        raise ValueError(f"votes is {votes!r}; expected an odd number: 1, 3, 5, …")


def combine(verdicts: Sequence[Verdict]) -> Verdict:
    """What more than half of `verdicts` say of each response sentence and of each key.

    The probability of a sentence is the share of verdicts that support it, that of the response
    the least of them. Explanations are those of the verdict that agrees most with the result.
    Raises `InvalidVerdict` where they are not about the same response.
    """
    if len(verdicts) == 1:
        return verdicts[0]
    support = tuple(_majority_of(ballots) for ballots in _ballots(verdicts))
    relevant = _majority_keys([verdict.relevant for verdict in verdicts])
    utilized = _majority_keys([verdict.utilized for verdict in verdicts])
    closest = max(verdicts, key=lambda verdict: _agreement(verdict, support))
    return Verdict(
        relevant=relevant,
        utilized=utilized,
        support=support,
        probability=min((item.probability or 0.0 for item in support), default=None),
        relevance_explanation=closest.relevance_explanation,
        support_explanation=closest.support_explanation,
        votes=len(verdicts),
        notes=(
            *_disagreements(verdicts),
            *summed(note for verdict in verdicts for note in verdict.notes),
        ),
    )


def _ballots(verdicts: Sequence[Verdict]) -> Iterator[tuple[SentenceSupport, ...]]:
    """For each response sentence what every verdict says of it."""
    keys = [item.key for item in verdicts[0].support]
    by_key = [{item.key: item for item in verdict.support} for verdict in verdicts]
    for verdict in verdicts:
        verdict.require_keys(keys)
    return (tuple(items[key] for items in by_key) for key in keys)


def _majority_of(ballots: Sequence[SentenceSupport]) -> SentenceSupport:
    """The first ballot of the majority, one that names its evidence before others."""
    yes = sum(item.supported for item in ballots)
    is_supported = 2 * yes > len(ballots)
    agreeing = [item for item in ballots if item.supported == is_supported]
    first = max(agreeing, key=lambda item: (bool(item.document_keys), item.mark is not None))
    return replace(first, probability=yes / len(ballots))


def _majority_keys(named: Sequence[frozenset[str]]) -> frozenset[str]:
    counts = Counter(key for keys in named for key in keys)
    return frozenset(key for key, count in counts.items() if 2 * count > len(named))


def _agreement(verdict: Verdict, support: Sequence[SentenceSupport]) -> int:
    decided = {item.key: item.supported for item in support}
    return sum(item.supported == decided[item.key] for item in verdict.support)


def _is_settled(verdicts: Sequence[Verdict], majority: int) -> bool:
    """Whether one side has the majority of all votes already, on each sentence and key."""
    return all(max(yes, len(verdicts) - yes) >= majority for yes in _counts(verdicts))


def _disagreements(verdicts: Sequence[Verdict]) -> Iterator[str]:
    sentences = sum(len({item.supported for item in ballots}) > 1 for ballots in _ballots(verdicts))
    keys = sum(0 < count < len(verdicts) for count in _key_counts(verdicts).values())
    yield f"sentences the votes differ on: {sentences}"
    yield f"keys the votes differ on: {keys}"


def _counts(verdicts: Sequence[Verdict]) -> Iterator[int]:
    """For each sentence and key how many say yes."""
    for ballots in _ballots(verdicts):
        yield sum(item.supported for item in ballots)
    yield from _key_counts(verdicts).values()


def _key_counts(verdicts: Sequence[Verdict]) -> Counter[tuple[str, str]]:
    relevant = (("relevant", key) for verdict in verdicts for key in verdict.relevant)
    utilized = (("utilized", key) for verdict in verdicts for key in verdict.utilized)
    return Counter([*relevant, *utilized])
