"""Assertions: what passes, what fails and how the failure reads."""

from __future__ import annotations

import decimal
import fractions
import math

import pytest
from building import keyed, marked, supported, unsupported, verdict
from fakes import FakeJudge, FakeTest, FixedJudge
from hypothesis import given
from strategies import judged_traces

from pytest_trace.assertions.trace import (
    assert_adherent,
    assert_answers,
    assert_completeness_above,
    assert_refuses,
    assert_relevance_above,
    assert_support_above,
    assert_trace,
    assert_utilization_above,
)
from pytest_trace.errors import JudgeError
from pytest_trace.evaluation import Evaluation, Settings
from pytest_trace.metrics import score
from pytest_trace.quoting import width

BOUNDS = {
    "relevance": assert_relevance_above,
    "utilization": assert_utilization_above,
    "completeness": assert_completeness_above,
    "support": assert_support_above,
}
UNCLEAR = keyed(["That is unclear."])  # which the fake judge cannot decide
REFUSAL = "The documents do not say."
RESPONSE = ("You have 30 days.", "A meteorite is accepted too.")
JUDGED = verdict(
    supported(0),
    unsupported(1, "doc_0_s1", reason="nothing about meteorites"),
    relevant=["doc_0_s0", "doc_0_s1"],
    utilized=["doc_0_s0"],
)
PARTLY = FixedJudge(JUDGED)  # relevance 0.5, utilization 0.25, completeness 0.5, support 0.5
TAIL = """
question  "How long do I have to return a laptop?"
response  "You have 30 days. A meteorite is accepted too."
scores    relevance 0.50, utilization 0.25, completeness 0.50, adherence 0.00, support 0.50
meaning   low utilization alone: the generator leaves good context unused; ask it for more
          detail or retrieve less"""
UNSUPPORTED = """
resp_s1 "A meteorite is accepted too."
  closest doc_0_s1 "A receipt is needed."
  reason  nothing about meteorites
supported resp_s0 (doc_0_s0)
"""


def failure_of(assertion, *values, **bounds):
    """What a failing assertion says."""
    with pytest.raises(AssertionError) as raised:
        assertion(*values, **bounds)
    return str(raised.value)


def test_supported_response_is_adherent():
    """An assertion that passes gives the evaluation it read."""
    judge = FixedJudge(verdict(supported(), relevant=["doc_0_s0"]))
    found = assert_adherent(keyed(), judge=judge)
    assert isinstance(found, Evaluation)
    assert found.scores.relevance == 0.25


def test_unsupported_sentence_fails_adherence():
    """The failure has the judge, the sentence, its closest evidence, the reason and the rest."""
    assert failure_of(assert_adherent, keyed(RESPONSE), judge=PARTLY) == (
        "not adherent: 1 of 2 sentences lacks support (judge: fixed)\n" + UNSUPPORTED + TAIL
    )


@pytest.mark.parametrize(
    ("assertion", "minimum", "head"),
    [
        (
            assert_relevance_above,
            0.75,
            """relevance 0.50 is below 0.75 (judge: fixed)

irrelevant: 2 of 4
  doc_1_s0 "The shop opens at 9."
  doc_1_s1 "It closes at 18."
""",
        ),
        (
            assert_utilization_above,
            0.3,
            """utilization 0.25 is below 0.3 (judge: fixed)

not used: 3 of 4
  doc_0_s1 "A receipt is needed."
  doc_1_s0 "The shop opens at 9."
  doc_1_s1 "It closes at 18."
""",
        ),
        (
            assert_completeness_above,
            1,
            """completeness 0.50 is below 1 (judge: fixed)

left out: 1 of 2
  doc_0_s1 "A receipt is needed."
""",
        ),
        (
            assert_support_above,
            0.5000001,
            "support 0.50 is below 0.5000001 (judge: fixed)\n" + UNSUPPORTED,
        ),
    ],
)
def test_missed_bound_shows_the_sentences_at_fault(assertion, minimum, head):
    """Irrelevant, unused, left-out or unsupported sentences, and what the scores mean together."""
    assert failure_of(assertion, keyed(RESPONSE), minimum, judge=PARTLY) == head + TAIL


def test_every_miss_is_reported():
    """`assert_trace` lists all bounds that are missed, and each set of sentences once."""
    bounds = {"adherent": True, "relevance": 0.8, "utilization": 0.25, "support": 0.9}
    assert failure_of(assert_trace, keyed(RESPONSE), judge=PARTLY, **bounds) == (
        """3 bounds are missed (judge: fixed)
1. not adherent: 1 of 2 sentences lacks support
2. relevance 0.50 is below 0.8
3. support 0.50 is below 0.9
"""
        + UNSUPPORTED
        + """
irrelevant: 2 of 4
  doc_1_s0 "The shop opens at 9."
  doc_1_s1 "It closes at 18."
"""
        + TAIL
    )


def test_one_miss_of_several_bounds_reads_like_the_single_assertion():
    """`assert_trace` with one miss says what the assertion of that bound says."""
    several = failure_of(
        assert_trace, keyed(RESPONSE), judge=PARTLY, relevance=0.8, completeness=0.5
    )
    single = failure_of(assert_relevance_above, keyed(RESPONSE), 0.8, judge=PARTLY)
    assert several == single


def test_response_may_be_expected_not_to_adhere():
    """`adherent=False` passes where a sentence lacks support, and fails where none does."""
    assert_trace(keyed(RESPONSE), adherent=False, judge=PARTLY)
    judge = FixedJudge(verdict(supported(), relevant=["doc_0_s0"], utilized=["doc_0_s0"]))
    assert failure_of(assert_trace, keyed(), adherent=False, judge=judge) == (
        """adherent, and expected not to be (judge: fixed)

supported resp_s0 (doc_0_s0)

question  "How long do I have to return a laptop?"
response  "You have 30 days."
scores    relevance 0.25, utilization 0.25, completeness 1.00, adherence 1.00, support 1.00
meaning   low relevance and low utilization: a greedy retriever; it brings much that the
          question does not need"""
    )


def test_bounds_that_are_met_pass():
    """`assert_trace` gives the evaluation it read."""
    found = assert_trace(
        keyed(RESPONSE),
        adherent=False,
        relevance=0.5,
        utilization=0.25,
        completeness=0.5,
        support=0.5,
        judge=PARTLY,
    )
    assert found.verdict == JUDGED


def test_without_a_bound_there_is_nothing_to_assert():
    """`assert_trace` asks no judge then."""
    judge = FakeJudge()
    with pytest.raises(
        ValueError,
        match=r"^assert_trace has no bound to check; give at least one of "
        r"adherent, relevance, utilization, completeness, support$",
    ):
        assert_trace(keyed(), judge=judge)
    assert judge.calls == 0


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize(
    "minimum",
    [math.nan, -0.01, 1.01, math.inf, True, False, "0.5", None, decimal.Decimal("0.5"), 1j],
)
def test_minimum_is_a_number_from_0_to_1(name, minimum):
    """Anything else is a ValueError before a judge is asked, never a bound that passes."""
    judge = FakeJudge()
    message = r"^the minimum of \w+ is .*; expected a number from 0 to 1$"
    with pytest.raises(ValueError, match=message):
        BOUNDS[name](keyed(), minimum, judge=judge)
    if minimum is not None:
        with pytest.raises(ValueError, match=message):
            assert_trace(keyed(), **{name: minimum}, judge=judge)
    assert judge.calls == 0


@pytest.mark.parametrize("adherent", [1, "yes", 0.5])
def test_adherent_is_true_or_false(adherent):
    """A number is no answer to whether a response adheres."""
    with pytest.raises(ValueError, match=r"^adherent is .*; expected True or False$"):
        assert_trace(keyed(), adherent=adherent, judge=FakeJudge())


@pytest.mark.parametrize("minimum", [0, 0.5, 0.5 + 1e-10, fractions.Fraction(1, 2)])
def test_minimum_is_inclusive(minimum):
    """A score that is the minimum, or short of it by rounding, passes."""
    assert_relevance_above(keyed(RESPONSE), minimum, judge=PARTLY)


def test_rounding_is_forgiven():
    """A score of 0.3 meets 0.1 + 0.2, which is a little more."""
    documents = [[f"Sentence {number}." for number in range(10)]]
    relevant = [f"doc_0_s{number}" for number in range(3)]
    judge = FixedJudge(verdict(supported(), relevant=relevant))
    assert_relevance_above(keyed(documents=documents), 0.1 + 0.2, judge=judge)


def test_a_little_less_fails():
    """The tolerance is 1e-9, and the failure shows by how much the score is too low."""
    text = failure_of(assert_relevance_above, keyed(RESPONSE), 0.5 + 2e-9, judge=PARTLY)
    assert text.startswith("relevance 0.50 is below 0.500000002 (judge: fixed)\n")


NOTHING_RELEVANT = FixedJudge(verdict(supported()))
UNDEFINED = [
    (
        "relevance",
        {"documents": ()},
        verdict(unsupported()),
        "relevance is undefined: there is no retrieved sentence",
    ),
    (
        "utilization",
        {"documents": ()},
        verdict(unsupported()),
        "utilization is undefined: there is no retrieved sentence",
    ),
    (
        "completeness",
        {},
        verdict(supported()),
        "completeness is undefined: no retrieved sentence is relevant",
    ),
    (
        "relevance",
        {"question": ""},
        verdict(supported()),
        "relevance is undefined: there is no question",
    ),
    (
        "completeness",
        {"question": " "},
        verdict(supported()),
        "completeness is undefined: there is no question",
    ),
    (
        "support",
        {"response": [REFUSAL]},
        verdict(marked(0, None)),
        "support is undefined: no sentence of the response claims anything",
    ),
]


@pytest.mark.parametrize(("name", "fields", "judged", "headline"), UNDEFINED)
def test_undefined_score_never_passes(name, fields, judged, headline):
    """Not even a minimum of 0 is met by a score that is not defined; the failure says why."""
    sentences, judge = keyed(**fields), FixedJudge(judged)
    text = failure_of(BOUNDS[name], sentences, 0, judge=judge)
    assert text.startswith(f"{headline} (judge: fixed)\n\nquestion ")
    assert failure_of(assert_trace, sentences, **{name: 0}, judge=judge) == text


@pytest.mark.parametrize(
    ("setting", "documents", "name", "headline"),
    [
        (
            {"length": "token"},
            [["—"]],
            "relevance",
            "relevance is undefined: no retrieved sentence has a word",
        ),
        (
            {"formula": "labeling"},
            [["One."]],
            "utilization",
            "utilization is undefined: no retrieved sentence is relevant",
        ),
    ],
)
def test_settings_of_the_running_test_decide_what_is_undefined(setting, documents, name, headline):
    """Other weights and formulas leave other scores undefined, and the failure says why."""
    judge = FixedJudge(verdict(supported()))
    FakeTest(Settings(judge=judge, sentencizer=None, **setting)).start()
    text = failure_of(BOUNDS[name], keyed(documents=documents), 0)
    assert text.startswith(f"{headline} (judge: fixed)\n")


def test_refusal_is_recognised():
    """A response that declines refuses, whether or not the documents agree, and answers nothing."""
    for support in (marked(0, "supported_without_sentence"), unsupported(0)):
        judge = FixedJudge(verdict(support, relevant=["doc_0_s0"]))
        assert assert_refuses(keyed([REFUSAL]), judge=judge).refused
    judge = FixedJudge(verdict(marked(0, None), relevant=["doc_0_s0"]))
    assert failure_of(assert_answers, keyed([REFUSAL]), judge=judge) == (
        """refuses to answer (judge: fixed)

refusals  resp_s0

question  "How long do I have to return a laptop?"
response  "The documents do not say."
scores    relevance 0.25, utilization 0.00, completeness 0.00, adherence 1.00, support -
meaning   low relevance and low utilization: a greedy retriever; it brings much that the
          question does not need"""
    )


def test_claim_is_no_refusal():
    """A response that claims something answers, supported or not, and its claims are quoted."""
    assert not assert_answers(keyed(RESPONSE), judge=PARTLY).refused
    assert failure_of(assert_refuses, keyed(RESPONSE), judge=PARTLY) == (
        """does not refuse: 2 of 2 sentences claim something (judge: fixed)

  resp_s0 "You have 30 days."
  resp_s1 "A meteorite is accepted too."
"""
        + TAIL
    )


ALL = [
    (assert_adherent, ()),
    (assert_refuses, ()),
    (assert_answers, ()),
    *((assertion, (0.5,)) for assertion in BOUNDS.values()),
]


@pytest.mark.parametrize(("assertion", "values"), ALL)
def test_judge_error_is_no_failure(assertion, values):
    """A judge that cannot decide raises its own error through every assertion."""
    with pytest.raises(JudgeError) as raised:
        assertion(UNCLEAR, *values, judge=FakeJudge())
    assert str(raised.value) == "the fake judge cannot decide\n  model fake-1"
    assert not isinstance(raised.value, AssertionError)


def test_judge_is_asked_once_for_all_bounds():
    """All bounds of one trace read the same verdict."""
    judge = FakeJudge()
    assert_trace(keyed(), adherent=True, relevance=0.1, completeness=0, support=1, judge=judge)
    assert judge.calls == 1


def test_failure_is_shown_at_the_caller():
    """pytest hides the frames of this package for a failure, and for an error of a judge."""
    for sentences, error in ((keyed(["A meteorite."]), AssertionError), (UNCLEAR, JudgeError)):
        with pytest.raises(error) as raised:
            assert_adherent(sentences, judge=FakeJudge())
        shown = raised.traceback.filter(raised)
        assert not [entry for entry in shown if "pytest_trace" in entry.path.parts[-3:-1]]
        assert shown[0].path.name == "test_trace.py"


WIDE = "返品は三十日以内にできます。" * 10


@pytest.mark.parametrize("kind", ["groq:openai/gpt-oss-120b", "評" * 60, "x" * 200])
def test_long_judge_does_not_widen_the_headline(kind):
    """The longest headline and a long judge stand on two lines or are shortened."""
    judge = FixedJudge(verdict(supported(), relevant=()))
    judge.kind = kind
    text = failure_of(assert_completeness_above, keyed(), 0.5, judge=judge)
    assert max(map(width, text.split("\n"))) <= 92


def test_wide_characters_fit():
    """A failure in a wide script is no wider than another."""
    sentences = keyed([WIDE, WIDE], documents=[[WIDE, WIDE]], question=WIDE)
    judged = verdict(unsupported(0, "doc_0_s0", reason=WIDE), unsupported(1), relevant=["doc_0_s0"])
    text = failure_of(
        assert_trace, sentences, adherent=True, completeness=1, judge=FixedJudge(judged)
    )
    assert max(map(width, text.split("\n"))) in (91, 92)


@given(judged_traces())
def test_no_failure_is_wider_than_there_is_room_for(judged):
    """pytest puts eight columns in front: 92 make 100, whatever a trace holds."""
    sentences, given_verdict = judged
    bounds = {
        "adherent": score(sentences, given_verdict).adherence < 1,
        "relevance": 1,
        "completeness": 1,
    }
    text = failure_of(assert_trace, sentences, judge=FixedJudge(given_verdict), **bounds)
    assert max(map(width, text.split("\n"))) <= 92
