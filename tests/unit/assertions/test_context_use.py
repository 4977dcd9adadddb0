"""Claims, citations and entities: what passes, what fails, and how the failure reads."""

from __future__ import annotations

import math

import pytest
from building import keyed, supported, unsupported, verdict
from fakes import FakeJudge, FakeTest, FixedJudge
from hypothesis import given
from strategies import judged_traces

from pytest_trace.assertions.context_use import (
    assert_citations_correct,
    assert_entity_recall_above,
    assert_no_unsupported_claims,
)
from pytest_trace.assertions.trace import assert_adherent
from pytest_trace.errors import JudgeError, UnknownName
from pytest_trace.evaluation import Settings
from pytest_trace.quoting import width
from pytest_trace.sentences import make_sentencizer
from pytest_trace.trace import Document, Trace
from pytest_trace.verdict import SentenceSupport

TRACE = Trace(
    "How long does the battery last?",
    [
        Document("The battery of the X-200 lasts 12 hours. It weighs 300 grams.", title="Manual"),
        Document("Laptops can be returned to Acme Corp within 30 days."),
    ],
    "The battery lasts 12 hours [1] and weighs 500 grams [1]. Laptops can be returned within "
    "30 days [1, 7]. It weighs 300 grams.",
)
TAIL = """
question  "How long does the battery last?"
response  "The battery lasts 12 hours [1] and weig...n 30 days [1, 7]. It weighs 300 grams.\""""


def failure_of(assertion, *values, **options):
    with pytest.raises(AssertionError) as raised:
        assertion(*values, **options)
    return str(raised.value)


def support_of(key, *keys, probability=None, reason=None):
    """Support by these sentences; with a reason it is the lack of it."""
    return SentenceSupport(key, reason is None, keys, None, reason, probability)


def test_supported_claims_pass():
    """And come back, each with its support."""
    trace = Trace("When?", TRACE.documents, "The battery lasts 12 hours and weighs 300 grams.")
    found = assert_no_unsupported_claims(trace, judge="lexical")
    assert (found.total_claims, found.hallucination_rate) == (2, 0.0)


def test_a_claim_without_support_is_quoted():
    """Not its whole sentence: the other claims in it are among the supported ones."""
    judge = FixedJudge(
        verdict(
            support_of("resp_s0_c0", "doc_0_s0"),
            support_of("resp_s0_c1", "doc_0_s1", reason="doc_0_s1 has 300 grams", probability=0.2),
            support_of("resp_s1", "doc_1_s0"),
            support_of("resp_s2", "doc_0_s1"),
        )
    )
    assert failure_of(assert_no_unsupported_claims, TRACE, judge=judge) == (
        """1 of 4 claims lacks support (judge: fixed)

resp_s0_c1 "weighs 500 grams [1]."
  closest doc_0_s1 "It weighs 300 grams."
  reason  doc_0_s1 has 300 grams
  p       0.20 that it is supported
supported resp_s0_c0 (doc_0_s0), resp_s1 (doc_1_s0), resp_s2 (doc_0_s1)
"""
        + TAIL
    )


def test_a_response_that_claims_nothing_has_no_unsupported_claim():
    """Whether it should answer is another question."""
    trace = Trace("When?", ["It is red."], "I don't know.")
    assert assert_no_unsupported_claims(trace, judge="lexical").hallucination_rate is None


def test_a_contradicted_refusal_fails():
    """As it fails `assert_adherent`."""
    judge = FixedJudge(verdict(unsupported(0, "doc_0_s0")))
    text = failure_of(assert_no_unsupported_claims, keyed(["I don't know."]), judge=judge)
    assert text.startswith("1 of 1 claims lacks support (judge: fixed)\n")


def test_right_citations_pass():
    """In every claim of the response; the citations come back."""
    response = "The battery lasts 12 hours (Source: Manual). Laptops can be returned [2]."
    found = assert_citations_correct(Trace("?", TRACE.documents, response), judge="lexical")
    assert (found.value, found.coverage) == (1.0, 1.0)


def test_wrong_citations_are_told_apart():
    """Each with its sentence: no support at all, another passage, no document, no citation."""
    assert failure_of(assert_citations_correct, TRACE, judge="lexical") == (
        """4 of 4 citations are not correct, 1 of 3 claims has no citation (judge: lexical)

resp_s0 "The battery lasts 12 hours [1] and weighs 500 grams [1]."
  cited   [1] stands on a sentence that no document supports
resp_s1 "Laptops can be returned within 30 days [1, 7]."
  cited   1 of [1, 7] does not support it; [2] does
  cited   7 of [1, 7] stands for no document: there are [1] to [2]
resp_s2 "It weighs 300 grams."
  missing a citation
citations citation accuracy 0.00, coverage 0.67
"""
        + TAIL
    )


def test_claims_without_a_citation_may_be_allowed():
    """Where a response cites once for a whole paragraph."""
    response = "The battery lasts 12 hours [1]. It weighs 300 grams."
    trace = Trace("?", TRACE.documents, response)
    assert failure_of(assert_citations_correct, trace, judge="lexical").startswith(
        "1 of 2 claims has no citation (judge: lexical)\n\n"
        'resp_s1 "It weighs 300 grams."\n  missing a citation\n'
    )
    found = assert_citations_correct(trace, judge="lexical", allow_missing=True)
    assert found.missing == ("resp_s1",)
    text = failure_of(assert_citations_correct, TRACE, judge="lexical", allow_missing=True)
    assert text.startswith("4 of 4 citations are not correct (judge: lexical)\n")
    assert "missing" not in text


@pytest.mark.parametrize("allow_missing", [True, False])
@pytest.mark.parametrize(
    ("response", "headline"),
    [
        (
            "It weighs 300 grams.",
            "citation accuracy is undefined: no claim of the response has a citation",
        ),
        (
            "I don't know [1].",
            "citation accuracy is undefined: the response claims nothing that could be cited",
        ),
    ],
)
def test_undefined_accuracy_never_passes(response, headline, allow_missing):
    """A response without citations says nothing about them."""
    trace = Trace("?", TRACE.documents, response)
    text = failure_of(assert_citations_correct, trace, judge="lexical", allow_missing=allow_missing)
    assert " ".join(text.split()).startswith(f"{headline} (judge: lexical)")


def test_numbering_from_0():
    """The first document is [0], and the failure says so."""
    response = "The battery lasts 12 hours [0]. It weighs 300 grams [2]."
    trace = Trace("?", TRACE.documents, response)
    text = failure_of(assert_citations_correct, trace, judge="lexical", numbering_from=0)
    assert "  cited   [2] stands for no document: there are [0] to [1]\n" in text
    with pytest.raises(ValueError, match=r"^numbering_from is 3; expected 1 or 0$"):
        assert_citations_correct(trace, judge="lexical", numbering_from=3)


@pytest.mark.parametrize(
    ("documents", "known"), [([], "there is none"), (["It is red."], "there is [1]")]
)
def test_an_unknown_number_says_which_there_are(documents, known):
    """Also where there is one document, or none."""
    judge = FixedJudge(verdict(supported(0)))
    text = failure_of(assert_citations_correct, Trace("?", documents, "So [3]."), judge=judge)
    assert f"  cited   [3] stands for no document: {known}\n" in text


class AskedJudge(FakeJudge):
    """Keeps what it is asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def judge(self, sentences):
        self.asked.append(sentences)
        return super().judge(sentences)


def test_many_faults_are_counted():
    """Ten sentences are shown, and how many more there are."""
    response = " ".join(f"It is {number} [9]." for number in range(20, 33))
    judge = FixedJudge(verdict(*(supported(number) for number in range(13))))
    lines = failure_of(
        assert_citations_correct, Trace("?", ["It is."], response), judge=judge
    ).split("\n")
    assert lines[0] == "13 of 13 citations are not correct (judge: fixed)"
    assert lines[20:23] == [
        'resp_s9 "It is 29 [9]."',
        "  cited   [9] stands for no document: there is [1]",
        "and 3 more",
    ]


def test_adherence_and_citations_cost_one_call():
    """Both ask the same question, which a running test puts to its judge once."""
    judge = AskedJudge()
    FakeTest(Settings(judge=judge, sentencizer=make_sentencizer())).start()
    trace = Trace("When?", ["You have 30 days."], "You have 30 days [1].")
    assert_adherent(trace)
    assert_citations_correct(trace)
    assert len(judge.asked) == 2
    assert judge.asked[0] == judge.asked[1]


def test_enough_entities_pass():
    """The minimum is inclusive with a tolerance, no judge is asked, and the entities come back."""
    found = assert_entity_recall_above(TRACE, 2 / 5 + 1e-10)
    assert found.value == 3 / 5


def test_entities_that_are_left_out_are_listed():
    """With their kind and the sentence that has them."""
    assert failure_of(assert_entity_recall_above, TRACE, 0.7) == (
        """entity recall 0.60 is below 0.7: the response says 3 of 5 entities of the documents

left out: 2 of 5
  name       "X-200" in doc_0_s0
  name       "Acme Corp" in doc_1_s0
"""
        + TAIL
    )


def test_undefined_entity_recall_never_passes():
    """Not even a minimum of 0 is met where the context names nothing."""
    text = failure_of(assert_entity_recall_above, Trace("?", ["it is red."], "It is red."), 0)
    assert text.startswith(
        "entity recall is undefined: the retrieved documents name no entity\n\nquestion"
    )


def test_many_entities_are_counted():
    """Ten are shown, and how many more there are."""
    trace = Trace("?", ["So: " + " ".join(f"{n} m," for n in range(20, 35))], "It is red.")
    lines = failure_of(assert_entity_recall_above, trace, 1).split("\n")
    assert lines[2] == "left out: 15 of 15"
    assert lines[13] == "  and 5 more"


@pytest.mark.parametrize("minimum", [math.nan, -0.1, 1.1, True, "0.5", None])
def test_minimum_is_a_number_from_0_to_1(minimum):
    """As in all assertions."""
    with pytest.raises(ValueError, match=r"^the minimum of entity recall is .*; expected a number"):
        assert_entity_recall_above(TRACE, minimum)


def test_unknown_extractor_is_refused():
    """Before anything is read."""
    with pytest.raises(UnknownName, match="known: default, spacy:MODEL"):
        assert_entity_recall_above(TRACE, 0.5, entities="nltk")


@pytest.mark.parametrize("assertion", [assert_no_unsupported_claims, assert_citations_correct])
def test_judge_error_is_no_failure(assertion):
    """A judge that cannot decide raises its own error."""
    with pytest.raises(JudgeError) as raised:
        assertion(Trace("?", ["It is red."], "That is unclear [1]."), judge=FakeJudge())
    assert not isinstance(raised.value, AssertionError)


@given(judged_traces())
def test_no_failure_is_wider_than_there_is_room_for(judged):
    """pytest puts eight columns in front: 92 make 100, whatever a trace holds."""
    sentences, given_verdict = judged
    judge = FixedJudge(given_verdict)
    for assertion, options in (
        (assert_citations_correct, {"judge": judge}),
        (assert_no_unsupported_claims, {"judge": judge}),
        (assert_entity_recall_above, {"minimum": 1}),
    ):
        assert max(map(width, _said(assertion, sentences, options).split("\n"))) <= 92


def _said(assertion, sentences, options):
    """What a failure says; nothing where there is none."""
    try:
        assertion(sentences, **options)
    except AssertionError as error:
        return str(error)
    return ""
