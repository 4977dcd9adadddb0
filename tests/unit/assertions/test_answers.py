"""Assertions on the triad and on answers: what passes, and what a failure says."""

from __future__ import annotations

import pytest
from fakes import FakeTest, WordJudge

from pytest_trace.assertions.answers import (
    assert_answer_matches,
    assert_context_relevant,
    assert_grounded_above,
)
from pytest_trace.errors import UnknownName
from pytest_trace.evaluation import Settings
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace

DOCUMENTS = [
    Document("Laptops can be returned within 30 days.", id="returns"),
    Document("The shop opens at 9.", id="hours", title="Opening"),
    Document("The user is a member since 2019.", id="user", kind="tool"),
]
TRACE = Trace(
    "How can members return laptops?",
    DOCUMENTS,
    "Laptops can be returned within 45 days. Members get 60 days.",
    reference="Within 30 days.",
)


def message_of(call, *arguments, **options):
    """What a failing assertion says."""
    with pytest.raises(AssertionError) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert max(map(len, text.splitlines())) <= 92
    return text


def test_context_relevance_counts_words_of_retrieved_documents():
    """laptops of members, return, laptops; the tool's document does not count, titles do."""
    assert assert_context_relevant(TRACE, 1 / 3) == pytest.approx(1 / 3)
    assert assert_context_relevant(Trace("Opening?", DOCUMENTS, "9."), 1) == 1.0
    assert message_of(assert_context_relevant, TRACE, 0.5) == (
        "context relevance 0.33 is below 0.5: 2 of 3 content words of the question stand in no\n"
        "  document\n\n"
        "missing   members, return\n\n"
        'question  "How can members return laptops?"\n'
        'response  "Laptops can be returned within 45 days. Members get 60 days."'
    )


@pytest.mark.parametrize("given", [["returns", "x"], {"returns": 2, "hours": 0}, {"returns"}])
def test_context_relevance_by_ids(given):
    """1 if one of them is retrieved; a grade of 0 is not relevant; a generator may give them."""
    assert assert_context_relevant(TRACE, 1, relevant_ids=given) == 1.0
    assert assert_context_relevant(TRACE, 1, relevant_ids=iter(given)) == 1.0
    of_metadata = Trace("?", DOCUMENTS, "x", metadata={"relevant_ids": list(given)})
    assert assert_context_relevant(of_metadata, 1) == 1.0


def test_no_relevant_document():
    """The ids that were to be found, and those that were."""
    assert message_of(assert_context_relevant, TRACE, 1, relevant_ids=["user", "terms"]) == (
        "context relevance 0.00 is below 1: no relevant document is retrieved\n\n"
        'relevant  "terms", "user"\n'
        'retrieved "returns", "hours"\n\n'
        'question  "How can members return laptops?"\n'
        'response  "Laptops can be returned within 45 days. Members get 60 days."'
    )
    assert "retrieved nothing\n" in message_of(
        assert_context_relevant, Trace("?", [], "x"), 1, relevant_ids=["terms"]
    )


def test_many_ids_are_counted():
    """Ten are listed."""
    ids = [f"d{number:02}" for number in range(12)]
    text = message_of(assert_context_relevant, TRACE, 1, relevant_ids=ids)
    assert '"d09", and 2 more' in text


@pytest.mark.parametrize(
    ("trace", "ids", "why"),
    [
        (Trace("What is it?", DOCUMENTS, "x"), None, "the question has no content word"),
        (TRACE, [], "no document is relevant"),
        (Trace("?", ["x"], "x"), ["a"], "a document has no id, and no other is relevant"),
    ],
)
def test_undefined_context_relevance_never_passes(trace, ids, why):
    """Not even with a minimum of 0, and it says why."""
    text = message_of(assert_context_relevant, trace, 0, relevant_ids=ids)
    assert text.startswith(f"context relevance is undefined: {why}\n")


def test_groundedness_lists_unknown_words_by_sentence():
    """laptops, returned, days, days of laptops, returned, 45, days, members, get, 60, days."""
    assert assert_grounded_above(TRACE, 0.5) == 0.5
    assert message_of(assert_grounded_above, TRACE, 0.6) == (
        "groundedness 0.50 is below 0.6: 4 of 8 content words of the response stand in no "
        "document\n\n"
        '  resp_s0 "Laptops can be returned within 45 days."\n'
        "  unknown 45\n"
        '  resp_s1 "Members get 60 days."\n'
        "  unknown members, get, 60\n\n"
        'question  "How can members return laptops?"\n'
        'response  "Laptops can be returned within 45 days. Members get 60 days."'
    )


def test_groundedness_of_many_sentences():
    """Sentences without such words are left out; of the others ten are quoted."""
    said = " ".join(f"Unheard {number} of." for number in range(100, 112))
    keyed = KeyedTrace.from_trace(Trace("?", ["Known."], f"Known. {said}"), make_sentencizer())
    text = message_of(assert_grounded_above, keyed, 1)
    assert "resp_s0 " not in text
    assert "  unknown unheard, 109\n  and 2 more with such words\n" in text


def test_groundedness_may_be_undefined():
    """A response without a content word is not grounded in anything."""
    text = message_of(assert_grounded_above, Trace("?", DOCUMENTS, "It is."), 0)
    assert text.startswith("groundedness is undefined: the response has no content word\n")


def test_answer_is_compared_with_the_best_reference():
    """Token F1 by default; missing and extra tokens are those of the nearest reference."""
    scores = assert_answer_matches(TRACE, 2 / 7)
    assert scores.token_f1 == pytest.approx(2 / 7)  # within, days: P 2/11, R 2/3
    assert message_of(assert_answer_matches, TRACE, 0.5) == (
        "token F1 0.29 is below 0.5: compared with the reference\n\n"
        'reference "Within 30 days."\n'
        "missing   30\n"
        "extra     laptops, can, be, returned, 45, members, get, 60, days\n\n"
        'question  "How can members return laptops?"\n'
        'response  "Laptops can be returned within 45 days. Members get 60 days."'
    )
    text = message_of(assert_answer_matches, TRACE, 0.9, references=["x", "45 days"])
    assert text.startswith("token F1 0.31 is below 0.9: compared with the best of 2 references\n")
    assert 'nearest   "45 days"\nextra     laptops, can,' in text


@pytest.mark.parametrize(
    ("measure", "name", "reference"),
    [
        ("contained", "contained answer", "within 45 days"),
        (
            "exact_match",
            "exact match",
            "laptops can be returned within 45 days members get 60 days",
        ),
        ("rouge_l", "ROUGE-L", "Laptops can be returned within 45 days. Members get 60 days!"),
    ],
)
def test_answer_by_another_measure(measure, name, reference):
    """Each passes on what it looks for and fails on another text."""
    scores = assert_answer_matches(TRACE, 1, references=reference, measure=measure)
    assert scores.value(measure) == 1.0
    assert message_of(assert_answer_matches, TRACE, 1, measure=measure).startswith(f"{name} 0.")


@pytest.mark.parametrize("measure", ["token_f1", "contained", "equivalence"])
def test_an_answer_without_a_reference_never_passes(measure):
    """It is undefined, and the failure says what to give."""
    text = message_of(
        assert_answer_matches, TRACE, 0, references=[], measure=measure, judge=WordJudge()
    )
    said = "is undefined: there is no reference; give references=…, or Trace(…, reference=…)"
    assert said in " ".join(text.split())


def test_a_reference_without_a_token():
    """There is nothing to look for in the response."""
    text = message_of(assert_answer_matches, TRACE, 0, references="The", measure="contained")
    assert text.startswith("contained answer is undefined: no reference has a token to look for\n")


def test_equivalence_asks_the_judge_of_the_test():
    """Both ways, and no evaluation joins the rows; the failure says which way does not hold."""
    judge = WordJudge()
    test = FakeTest(Settings(judge=judge, sentencizer=make_sentencizer()))
    test.start()
    trace = Trace("?", DOCUMENTS, "thirty days", reference="days thirty")
    assert assert_answer_matches(trace, 1, measure="equivalence").exact_match == 0.0
    assert (test.asked, test.kept) == (2, [])
    text = message_of(
        assert_answer_matches, trace, 1, references="thirty days or more", measure="equivalence"
    )
    assert text == (
        "the response is not equivalent to the reference\n\n"
        'reference "thirty days or more"\n'
        "missing   the reference says what the response does not support\n\n"
        'question  "?"\n'
        'response  "thirty days"'
    )
    text = message_of(
        assert_answer_matches, trace, 1, references=["a", "days"], measure="equivalence"
    )
    assert text.startswith("the response is equivalent to none of 2 references\n")
    assert 'nearest   "days"\nextra     the response says what the reference does not' in text


@pytest.mark.parametrize("minimum", [float("nan"), True, "0.5", -0.1, 1.1, None])
@pytest.mark.parametrize(
    "call", [assert_context_relevant, assert_grounded_above, assert_answer_matches]
)
def test_a_minimum_is_a_number_from_0_to_1(call, minimum):
    """Everything else is a ValueError that names it."""
    with pytest.raises(ValueError, match=r"the minimum of .* expected a number from 0 to 1"):
        call(TRACE, minimum)


def test_a_minimum_is_met_with_a_tolerance():
    """0.1 + 0.2 is met by 0.3."""
    trace = Trace("?", ["a1 b1 c1"], "a1 b1 c1 d1 e1 f1 g1 h1 i1 j1")
    assert assert_grounded_above(trace, 0.1 + 0.2) == 0.3


def test_what_is_no_measure_or_no_ids_is_refused():
    """The message lists or says what is expected."""
    with pytest.raises(UnknownName, match="unknown measure 'bleu'; known: exact_match, token_f1"):
        assert_answer_matches(TRACE, 1, measure="bleu")
    with pytest.raises(TypeError, match="relevant_ids is 'returns'; expected several ids"):
        assert_context_relevant(TRACE, 1, relevant_ids="returns")
