"""How the question and the response decide together which document sentences matter."""

import pytest

from pytest_trace.judges.lexical_features import UtilizationFeatures, on_topic
from pytest_trace.judges.lexical_relevance import relevance, trust_in
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence
from pytest_trace.judges.lexical_weights import lexical_weights
from pytest_trace.sentences.keyed import Sentence
from pytest_trace.verdict import SentenceSupport

TEXTS = ["Opened software cannot be returned.", "Parrots sing.", "Members have 60 days."]
QUESTION = ReadSentence("Can opened software be returned?")
ALL = UtilizationFeatures(taken=1.0, given=1.0, alike=1.0, before=0.0, after=0.0)
NOTHING = UtilizationFeatures(0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.fixture
def evidence():
    return Evidence(
        [
            Sentence(f"doc_0_s{place}", text, 0, place * 50, place * 50 + len(text))
            for place, text in enumerate(TEXTS)
        ]
    )


def trust(evidence, *claims, unsupported=(), question=QUESTION):
    read = [ReadSentence(text, key=f"resp_s{place}") for place, text in enumerate(claims)]
    support = [SentenceSupport(item.key, item.text not in unsupported) for item in read]
    return trust_in(read, support, question, evidence)


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        (["Opened software cannot be returned."], 1.0),
        (["Opened software, no.", "It is not returned."], 1.0),  # all of the words, in two claims
        (["No returned software."], 2 / 3),  # two of three words, which are equally rare
        (["Parrots sing."], 0.0),
        ([], 0.0),
    ],
)
def test_on_topic(evidence, claims, expected):
    """It is the share of the question's words that the claims have, as rare words count."""
    read = [ReadSentence(text) for text in claims]
    assert on_topic(read, QUESTION, evidence) == pytest.approx(expected)


def test_on_topic_is_measured_by_the_best_sentence(evidence):
    """Words of the question that stand in no sentence, or in another one, are not missed."""
    question = ReadSentence("Can opened software or phones be returned to parrots?")
    claims = [ReadSentence("Opened software cannot be returned.")]
    assert on_topic(claims, question, evidence) == pytest.approx(1.0)
    assert on_topic(claims, ReadSentence("What about phones?"), evidence) == 0.0
    assert on_topic(claims, ReadSentence(""), evidence) == 0.0


def test_trust_falls_with_each_unsupported_claim(evidence):
    """One of two claims without support leaves half of the trust."""
    claims = ("Opened software cannot be returned.", "Penguins waddle.")
    assert trust(evidence, *claims) == pytest.approx(1.0)
    assert trust(evidence, *claims, unsupported=claims[1:]) == pytest.approx(0.5)
    assert trust(evidence, *claims, unsupported=claims) == 0.0
    assert trust(evidence) == 0.0


def test_without_trust_the_response_has_no_part(evidence):
    """What it has taken up changes neither the probabilities nor the threshold."""
    one = relevance(QUESTION, evidence, [ALL] * 3, 0.0)
    other = relevance(QUESTION, evidence, [NOTHING] * 3, 0.0)
    assert one == other
    assert one.threshold == lexical_weights().relevance.threshold
    assert one.keys == {"doc_0_s0"}


def test_what_a_trusted_answer_takes_up_matters(evidence):
    """More trust lifts a sentence that is taken up and lowers one that is left."""
    taken = [ALL, NOTHING, ALL]
    found = [relevance(QUESTION, evidence, taken, trust) for trust in (0.0, 0.5, 1.0)]
    left = [each.probability["doc_0_s1"] for each in found]
    used = [each.probability["doc_0_s2"] for each in found]
    assert used == sorted(used)
    assert used[0] < used[2]
    assert found[2].keys == {"doc_0_s0", "doc_0_s2"}
    assert left[2] < used[2]


def test_the_threshold_goes_from_the_one_to_the_other(evidence):
    """It is a straight line between that of the question and that of an answer."""
    low, high = lexical_weights().relevance.threshold, lexical_weights().answer.threshold
    half = relevance(QUESTION, evidence, [ALL] * 3, 0.5)
    assert half.threshold == pytest.approx((low + high) / 2)
    assert relevance(QUESTION, evidence, [ALL] * 3, 1.0).threshold == pytest.approx(high)
