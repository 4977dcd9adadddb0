"""Explanations: an evaluation in lines that quote the sentences at fault."""

from __future__ import annotations

import pytest
from building import evaluation, keyed, marked, supported, unsupported, verdict
from hypothesis import given
from strategies import judged_traces

from pytest_trace import explain
from pytest_trace.explain import explanation, format_missed, format_score
from pytest_trace.quoting import width
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace


def lines_of(text):
    """A screen as a test writes it: indented, and with a line end after the last line."""
    return [line[4:] for line in text.strip("\n").split("\n")][:-1]


RESPONSE = (
    "Here is what I found:",
    "You have 30 days.",
    "A meteorite is accepted instead of a receipt, which the owner of the shop confirmed in 2019.",
    "The documents do not say more.",
)
JUDGED = verdict(
    marked(0, "general"),
    supported(1, "doc_0_s0", "doc_1_s0"),
    unsupported(2, "doc_0_s1", reason="a meteorite is nowhere in the documents", probability=0.13),
    marked(3, "supported_without_sentence"),
    relevant=["doc_0_s0", "doc_0_s1"],
    utilized=["doc_0_s0", "doc_9_s0"],
)


def test_whole_evaluation_is_told():
    """Question and response, what lacks support and why, the rest, scores, meaning and notes."""
    expected = """
    question  "How long do I have to return a laptop?"
    response  "Here is what I found: You have 30 days....n 2019. The documents do not say more."
    resp_s2 "A meteorite is accepted instead of a rec...he owner of the shop confirmed in 2019."
      closest doc_0_s1 "A receipt is needed."
      reason  a meteorite is nowhere in the documents
      p       0.13 that it is supported
    supported resp_s1 (doc_0_s0, doc_1_s0)
    refusals  resp_s3
    fillers   resp_s0 (falls with resp_s2)
    scores    relevance 0.50, utilization 0.25, completeness 0.50, adherence 0.00, support 0.50
    meaning   low utilization alone: the generator leaves good context unused; ask it for more
              detail or retrieve less
    note      unknown keys dropped: doc_9_s0
    """
    assert explanation(evaluation(keyed(RESPONSE), JUDGED)) == lines_of(expected)


def test_fully_supported_response_is_told_in_a_line():
    """Where nothing is at fault, the evidence of each sentence is what there is to read."""
    sentences = keyed(["You have 30 days.", "Bring the receipt.", "Enjoy!"])
    judged = verdict(supported(0), supported(1, "doc_0_s1"), marked(2, "general"))
    assert explain.support_lines(evaluation(sentences, judged)) == [
        "supported resp_s0 (doc_0_s0), resp_s1 (doc_0_s1)",
        "fillers   resp_s2",
    ]


@pytest.mark.parametrize(
    ("documents", "closest"),
    [
        ([["One."]], "there is no document sentence that comes near"),
        ([], "there is no document"),
    ],
)
def test_missing_evidence_is_said(documents, closest):
    """A sentence without a closest one says whether there was anything to be close to."""
    found = evaluation(keyed(["Four."], documents=documents), verdict(unsupported()))
    assert explain.support_lines(found) == ['resp_s0 "Four."', f"  closest {closest}"]


def test_contradicted_refusal_lacks_support():
    """A refusal that the documents contradict stands among what lacks support."""
    found = evaluation(keyed(["I don't know."]), verdict(unsupported(0, "doc_0_s0")))
    assert explain.support_lines(found) == [
        'resp_s0 "I don\'t know."',
        '  closest doc_0_s0 "Laptops can be returned within 30 days."',
    ]


def test_of_many_sentences_ten_are_quoted():
    """The rest is counted: a failure stays readable."""
    response = [f"Claim {number}." for number in range(12)]
    documents = [[f"Fact {number}." for number in range(12)]]
    judged = verdict(*(unsupported(number) for number in range(12)))
    found = evaluation(keyed(response, documents=documents), judged)
    assert explain.support_lines(found)[-3:] == [
        'resp_s9 "Claim 9."',
        "  closest there is no document sentence that comes near",
        "and 2 more without support",
    ]
    expected = [f'  doc_0_s{number} "Fact {number}."' for number in range(10)]
    assert explain.relevance_lines(found) == ["irrelevant: 12 of 12", *expected, "  and 2 more"]


def test_each_score_has_its_sentences():
    """Irrelevant, unused and left-out sentences are listed with how many there are of how many."""
    found = evaluation(keyed(RESPONSE), JUDGED)
    opening = ['  doc_1_s0 "The shop opens at 9."', '  doc_1_s1 "It closes at 18."']
    receipt = ['  doc_0_s1 "A receipt is needed."']
    assert explain.relevance_lines(found) == ["irrelevant: 2 of 4", *opening]
    assert explain.utilization_lines(found) == ["not used: 3 of 4", *receipt, *opening]
    assert explain.completeness_lines(found) == ["left out: 1 of 2", *receipt]


def test_undefined_scores_are_dashes():
    """What is not defined has no number."""
    found = evaluation(keyed(["I don't know."], documents=()), verdict(marked(0, None)))
    assert explain.score_lines(found) == [
        "scores    relevance -, utilization -, completeness -, adherence 1.00, support -"
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.00"),
        (1.0, "1.00"),
        (0.999, "0.99"),
        (0.995, "0.99"),
        (2 / 3, "0.67"),
        (0.004, "0.00"),
        (None, "-"),
    ],
)
def test_only_a_full_score_reads_as_one(value, shown):
    """Two decimals, and what was not fully reached does not look so."""
    assert format_score(value) == shown


@pytest.mark.parametrize(
    ("value", "bound", "shown"),
    [
        (0.5, 0.75, "0.50"),
        (0.298, 0.3, "0.298"),
        (0.29999, 0.3, "0.29999"),
        (0.6666, 2 / 3, "0.6666"),
        (1 - 2**-40, 1.0, repr(1 - 2**-40)),
    ],
)
def test_missed_score_reads_as_below_its_bound(value, bound, shown):
    """It has as many digits as that takes."""
    assert format_missed(value, bound) == shown


WIDE = "返品は三十日以内にできます。" * 10


@given(judged_traces())
def test_nothing_is_wider_than_a_failure_has_room_for(judged):
    """Whatever a trace and a judge say, no line is wider than 92 columns."""
    assert all(width(line) <= 92 for line in explanation(evaluation(*judged)))


def test_wide_texts_and_long_names_fit():
    """Texts, reasons and names of metadata of any width are shortened or wrapped."""

    class Whole:
        version = "whole-1"

        def split(self, text):
            return [text]

    trace = Trace(WIDE, [{"text": WIDE, "metadata": {"n" * 200: WIDE}}], WIDE)
    sentences = KeyedTrace.from_trace(trace, Whole(), metadata_keys=["n" * 200])
    judged = verdict(unsupported(0, *sentences.document_keys, reason=f"{WIDE} {'x' * 200} {WIDE}"))
    lines = explanation(evaluation(sentences, judged))
    assert max(map(width, lines)) in (91, 92)


def test_control_characters_are_made_visible():
    """What a terminal would obey is written as an escape."""
    sentences = keyed(["Red \x1b[31m text\0\ud800."])
    found = evaluation(sentences, verdict(unsupported(reason="it says \x07")))
    assert explain.support_lines(found) == [
        'resp_s0 "Red \\x1b[31m text\\x00\\ud800."',
        "  closest there is no document sentence that comes near",
        "  reason  it says \\x07",
    ]
