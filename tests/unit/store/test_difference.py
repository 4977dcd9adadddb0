"""The difference between a trace and the nearest one that is recorded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from building import DOCUMENTS, keyed, supported, verdict

from pytest_trace.store.difference import difference
from pytest_trace.store.entry import StoredVerdict
from pytest_trace.trace import Trace

IDENTITY = {"kind": "groq", "version": "1", "model": "gpt-oss-20b", "temperature": 0.0}
QUESTION = "How long do I have to return a laptop?"
LONG = " ".join(f"word{number}" for number in range(300))


def recorded(response="You have 30 days.", *, question=QUESTION, documents=DOCUMENTS, vote=0):
    """An entry of the recording; its key does not matter here."""
    sentences = keyed((response,), question=question, documents=documents)
    return StoredVerdict.of("key", IDENTITY, sentences, verdict(supported(0)), vote=vote)


def lines(entries, response="You have 30 days.", *, identity=IDENTITY, vote=0, **fields):
    """What is told about a trace that is not recorded."""
    sentences = keyed((response,), **{"question": QUESTION} | fields)
    return list(difference(identity, sentences, entries, vote=vote))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], ["nothing is recorded yet"]),
        (
            [recorded("Das Geschäft schließt um 18 Uhr.", question="Wann?")] * 3,
            ["none of the 3 recorded responses is near to this one"],
        ),
        (
            [recorded("The shop opens at nine in the morning on Mondays.", question="")],
            ["none of the 1 recorded responses is near to this one"],
        ),
        (
            [recorded("You have 14 days.")],
            [
                'recorded response "You have 14 days."',
                'response now      "You have 30 days."',
                'first change      "14" -> "30"',
            ],
        ),
        (
            [recorded("The shop is closed.")],
            [
                'recorded response "The shop is closed."',
                'response now      "You have 30 days."',
                'first change      "The shop is closed." -> "You have 30 days."',
            ],
        ),
        (
            [recorded("You  have 30\tdays.")],
            ["the response differs from the one recorded in white space"],
        ),
        (
            [recorded(question="For how long can I return a laptop?")],
            [
                'recorded question "For how long can I return a laptop?"',
                'question now      "How long do I have to return a laptop?"',
                'first change      "For how" -> "How"',
            ],
        ),
        (
            [recorded(documents=DOCUMENTS[:1])],
            ["the documents, or how they are split, differ from those recorded"],
        ),
        ([recorded(vote=2)], ["vote 1 is needed, and vote 3 is recorded"]),
        (
            [recorded()],
            [
                (
                    "question, response, documents and judge are those recorded; "
                    "the earlier turns, the sentencizer, or how the response is split is not"
                )
            ],
        ),
    ],
)
def test_lines(entries, expected):
    """Each part that changed is a line, and no part that did not."""
    assert lines(entries) == expected


def test_changed_judge():
    """What changed in the judge is named with both values, what came or went too."""
    identity = {"kind": "groq", "version": "2", "model": "gpt-oss-20b", "effort": "low"}
    assert lines([recorded()], identity=identity) == [
        "the judge's effort was None and is 'low'",
        "the judge's temperature was 0.0 and is None",
        "the judge's version was '1' and is '2'",
    ]


def test_everything_changed_a_little():
    """Several changes are told one after the other, in the order question to judge."""
    assert lines(
        [recorded()],
        "You have 31 days.",
        question="How long may I return a laptop?",
        documents=DOCUMENTS[1:],
        identity=IDENTITY | {"model": "gpt-oss-120b"},
        vote=1,
    ) == [
        'recorded question "How long do I have to return a laptop?"',
        'question now      "How long may I return a laptop?"',
        'first change      "do" -> "may"',
        'recorded response "You have 30 days."',
        'response now      "You have 31 days."',
        'first change      "30" -> "31"',
        "the documents, or how they are split, differ from those recorded",
        "the judge's model was 'gpt-oss-20b' and is 'gpt-oss-120b'",
        "vote 2 is needed, and vote 1 is recorded",
    ]


@pytest.mark.parametrize(
    ("near", "far"),
    [
        pytest.param(
            recorded("You have 31 days."), recorded("No idea, sorry about that."), id="response"
        ),
        pytest.param(recorded(), recorded("You have 31 days."), id="equal-response"),
        pytest.param(
            recorded("You have 31 days."),
            recorded("You have 31 days.", question="When?"),
            id="question",
        ),
        pytest.param(
            recorded("You have 31 days."), recorded(question="Who wrote this?"), id="same-question"
        ),
        pytest.param(recorded(), recorded(documents=DOCUMENTS[1:]), id="documents"),
        pytest.param(recorded(), replace(recorded(), judge={"kind": "openai"}), id="judge"),
        pytest.param(recorded(vote=1), recorded(vote=2), id="vote"),
    ],
)
def test_nearest(near, far):
    """Of several entries the one with the fewest differences is compared, in whatever order."""
    assert lines([near, far], vote=1) == lines([far, near], vote=1) == lines([near], vote=1)


def test_first_change_in_a_long_response():
    """A change far inside a text is shown, though the ends that are quoted are equal."""
    then, now = f"{LONG} old end of it. {LONG}", f"{LONG} new end of it. {LONG}"
    *quoted, change = lines([recorded(then)], now)
    assert change == 'first change      "old" -> "new"'
    assert [line.split('"')[1] for line in quoted] == [quoted[0].split('"')[1]] * 2
    assert max(map(len, quoted)) <= len("recorded response ") + 80


def test_history():
    """Earlier turns are not kept in a recording; that they may be the reason is said."""
    sentences = keyed(("You have 30 days.",))
    trace = Trace(QUESTION, sentences.trace.documents, sentences.trace.response, history=["Hi."])
    (line,) = difference(IDENTITY, replace(sentences, trace=trace), [recorded()])
    assert "the earlier turns" in line


@pytest.mark.parametrize("text", ["\ud800", "a\0b\x1b[31m", "文", ".", "\u202e"])
def test_hostile_texts(text):
    """Whatever stands in a text, lines are one line each and show what is invisible as escapes."""
    found = lines([recorded(f"{text} 14 days.", question=text)], f"{text} 30 days.", question=text)
    assert found[-1] == 'first change      "14" -> "30"'
    assert not any(character in "".join(found) for character in "\0\x1b\ud800\u202e\n")


def test_equal_characters_are_not_likeness():
    """Two English sentences share most of their letters, and are not near for that."""
    found = lines(
        [recorded("Opening hours are posted at the door of every one of our shops.", question="")],
        "Please reset the router and then choose another password for the network.",
    )
    assert found == ["none of the 1 recorded responses is near to this one"]
