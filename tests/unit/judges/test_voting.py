"""Votes: how verdicts are combined, and how many are asked for."""

from __future__ import annotations

import pytest
from building import keyed, marked, supported, unsupported
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import verdicts

from pytest_trace.errors import InvalidVerdict
from pytest_trace.judges.voting import combine, vote
from pytest_trace.verdict import SentenceSupport, Verdict

SENTENCES = keyed(("You have 30 days.", "It is red."))


def verdict(*support, relevant="", utilized="", **fields):
    """A verdict; each letter is a document key."""
    return Verdict(
        relevant=frozenset(relevant), utilized=frozenset(utilized), support=support, **fields
    )


class Ballots:
    """Gives verdicts by their numbers, and keeps the numbers."""

    def __init__(self, *given):
        self.given = given
        self.asked = []

    def __call__(self, number):
        self.asked.append(number)
        return self.given[number]


YES, NO = verdict(supported()), verdict(unsupported())


@pytest.mark.parametrize("votes", [0, 2, 4, -1, -3, True, 3.0, "3", None])
def test_votes_are_an_odd_number(votes):
    """Anything else is an error before anything is asked."""
    ballots = Ballots(YES)
    with pytest.raises(ValueError, match=r"^votes is .*; expected an odd number: 1, 3, 5, …$"):
        vote(ballots, votes)
    assert ballots.asked == []


def test_one_vote_is_the_verdict():
    """Nothing is added to it."""
    assert vote(Ballots(YES), 1) is YES
    assert combine([NO]) is NO


# Verdicts on one sentence, the number of votes, how many are asked, and the outcome.
ASKED = {
    "two agree": ((YES, YES), 3, 2, True, 1.0),
    "the third decides": ((YES, NO, YES), 3, 3, True, 2 / 3),
    "the third decides against": ((YES, NO, NO), 3, 3, False, 1 / 3),
    "three of five": ((NO, NO, NO), 5, 3, False, 0.0),
    "four of five": ((YES, NO, YES, YES), 5, 4, True, 3 / 4),
    "all of five": ((YES, NO, YES, NO, NO), 5, 5, False, 2 / 5),
}


@pytest.mark.parametrize(
    ("given_verdicts", "votes", "asked", "is_supported", "probability"), ASKED.values(), ids=ASKED
)
def test_asked_until_nothing_can_change(given_verdicts, votes, asked, is_supported, probability):
    """Each vote has its own number; the probability is the share of those that were given."""
    ballots = Ballots(*given_verdicts)
    result = vote(ballots, votes)
    assert ballots.asked == list(range(asked))
    assert (result.support[0].supported, result.support[0].probability) == (
        is_supported,
        probability,
    )
    assert result.votes == asked


@pytest.mark.parametrize("name", ["relevant", "utilized"])
def test_a_key_that_can_change_is_asked_about(name):
    """Votes that agree on all sentences go on while a key is open."""
    ballots = Ballots(
        *(verdict(supported(), **{name: keys}) for keys in ("ab", "ac", "ac", "unasked"))
    )
    result = vote(ballots, 3)
    assert ballots.asked == [0, 1, 2]
    assert getattr(result, name) == {"a", "c"}
    assert result.notes == (
        "sentences the votes differ on: 0",
        "keys the votes differ on: 2",
    )


def test_each_sentence_has_its_own_majority():
    """The response is as supported as its least supported sentence."""
    result = combine(
        [
            verdict(supported(0), unsupported(1)),
            verdict(supported(0), supported(1)),
            verdict(unsupported(0), supported(1)),
        ]
    )
    assert [item.supported for item in result.support] == [True, True]
    assert result.probability == 2 / 3
    assert result.notes[0] == "sentences the votes differ on: 2"
    assert result.agreement == 2 / 3


@pytest.mark.parametrize(
    ("ballots", "kept"),
    [
        ((supported(0, "x"), supported(0, "y"), unsupported()), supported(0, "x")),
        (
            (
                SentenceSupport("resp_s0", supported=True),
                marked(0, "general"),
                supported(0, "y"),
            ),
            supported(0, "y"),
        ),
        (
            (SentenceSupport("resp_s0", supported=True), marked(0, "general"), unsupported()),
            marked(0, "general"),
        ),
        (
            (unsupported(), unsupported(0, "y", reason="Not 30."), supported()),
            unsupported(0, "y", reason="Not 30."),
        ),
    ],
)
def test_evidence_comes_from_the_majority(ballots, kept):
    """Keys, mark and reason are those of the first vote on its side that names its evidence."""
    [support] = combine([verdict(item) for item in ballots]).support
    assert (support.supported, support.document_keys, support.mark, support.reason) == (
        kept.supported,
        kept.document_keys,
        kept.mark,
        kept.reason,
    )


def test_explanations_of_the_closest_verdict():
    """They fit to what was decided, and notes on replies add up."""
    result = combine(
        [
            verdict(unsupported(0), supported(1), relevance_explanation="A", notes=("odd: 1",)),
            verdict(supported(0), supported(1), relevance_explanation="B", notes=("odd: 2",)),
            verdict(supported(0), unsupported(1), relevance_explanation="C"),
        ]
    )
    assert result.relevance_explanation == "B"
    assert result.notes[-1] == "odd: 3"


def test_verdicts_on_different_responses():
    """They cannot be combined."""
    with pytest.raises(InvalidVerdict, match=r"support lacks resp_s0 and has the unknown resp_s1"):
        combine([verdict(supported(0)), verdict(supported(1))])


@settings(max_examples=100)
@given(st.data(), st.sampled_from([3, 5]))
def test_stopping_early_decides_the_same(data, votes):
    """No sentence and no key comes out otherwise than by all votes."""
    given_verdicts = [data.draw(verdicts(SENTENCES)) for _ in range(votes)]
    early, whole = vote(lambda number: given_verdicts[number], votes), combine(given_verdicts)
    assert (early.relevant, early.utilized) == (whole.relevant, whole.utilized)
    assert [item.supported for item in early.support] == [item.supported for item in whole.support]
    early.require_keys(["resp_s0", "resp_s1"])
