"""One trace by a hand-written NLI model: which pairs it is asked, and what becomes of the rest."""

from __future__ import annotations

import pytest
from building import keyed
from entailing import FakeClassifier

from pytest_trace.errors import JudgeError, JudgeUnavailable
from pytest_trace.judges.lexical import LexicalJudge
from pytest_trace.judges.nli.judging import Judged, claims_of, combined, judge_claims, judge_words
from pytest_trace.judges.nli.options import NliOptions
from pytest_trace.marks import check_support
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Trace

RETURNS = "Laptops can be returned within 30 days."
CLAIM = "A notebook goes back for a month."


def judged(sentences, classifier, **options):
    """The verdict of the judge, with `classifier` as its model."""
    by_words = judge_words(sentences)
    claims = claims_of(sentences, by_words)
    if not claims:
        return combined(by_words, Judged())
    settings = NliOptions(**options)
    return combined(by_words, judge_claims(claims, sentences.documents, classifier, settings))


def test_a_claim_in_other_words_is_supported_where_the_model_says_so():
    """What the lexical judge cannot see is what a model is asked for."""
    sentences = keyed((CLAIM,))
    assert not LexicalJudge().judge(sentences).support[0].supported
    verdict = judged(sentences, FakeClassifier({(RETURNS, CLAIM): (0.93, 0.01)}))
    assert verdict.support[0].supported
    assert verdict.support[0].document_keys == ("doc_0_s0",)
    assert verdict.support[0].reason == "entailed .93 by doc_0_s0"
    assert verdict.probability == 0.93
    assert verdict.support_explanation == "the documents support what each claim says"


def test_every_pair_of_a_trace_is_asked_in_one_call_and_once():
    """Each premise beside each claim; what stands there twice is asked once."""
    sentences = keyed(
        (CLAIM, "It opens at 9."), documents=((RETURNS, RETURNS), ("It opens at 9.",))
    )
    classifier = FakeClassifier()
    judged(sentences, classifier)
    first = classifier.calls[0]
    assert len(first) == len(set(first)) == 2 * 3  # two sentences and a run, by two claims
    assert (f"{RETURNS} {RETURNS}", CLAIM) in first


def test_sentences_that_support_a_claim_only_together_are_found():
    """A second look joins the closest sentences, although they stand in different documents."""
    classifier = FakeClassifier(
        {
            (RETURNS, CLAIM): (0.3, 0.1),
            ("The shop opens at 9.", CLAIM): (0.2, 0.1),
            ("A receipt is needed.", CLAIM): (0.1, 0.1),
            (f"{RETURNS} A receipt is needed. The shop opens at 9.", CLAIM): (0.8, 0.1),
        }
    )
    verdict = judged(keyed((CLAIM,)), classifier)
    assert len(classifier.calls) == 2
    assert verdict.support[0].document_keys == ("doc_0_s0", "doc_0_s1", "doc_1_s0")


def test_relevance_and_utilization_are_lexical_and_evidence_is_utilized():
    """A model says nothing of the question; what entails the response has been used."""
    sentences = keyed((CLAIM,))
    words = LexicalJudge().judge(sentences)
    verdict = judged(sentences, FakeClassifier({("It closes at 18.", CLAIM): (0.9, 0.0)}))
    assert verdict.relevant == words.relevant
    assert verdict.relevant_probability == words.relevant_probability
    assert "doc_1_s1" not in words.utilized
    assert verdict.utilized == words.utilized | {"doc_1_s1"}
    assert verdict.relevance_explanation == f"by words alone: {words.relevance_explanation}"


def test_what_is_merely_not_contradicted_is_not_utilized():
    """The lenient policy supports without evidence, and invents none."""
    sentences = keyed((CLAIM,))
    verdict = judged(sentences, FakeClassifier(), policy="lenient")
    assert verdict.support[0].supported
    assert verdict.utilized == LexicalJudge().judge(sentences).utilized
    assert check_support(sentences, verdict)[0].is_supported


def test_refusals_and_fillers_are_not_asked_of_the_model():
    """They claim nothing that a document could entail, and are judged as everywhere."""
    sentences = keyed(("Certainly!", "I don't know how long the warranty lasts."))
    classifier = FakeClassifier()
    verdict = judged(sentences, classifier)
    assert classifier.calls == []
    assert [item.mark for item in verdict.support] == ["general", "supported_without_sentence"]
    assert verdict.support == LexicalJudge().judge(sentences).support


def test_without_documents_no_claim_is_supported_whatever_the_policy():
    """Retrieval found nothing: nothing contradicts, and nothing supports."""
    sentences = KeyedTrace.from_trace(Trace("What?", [], CLAIM), make_sentencizer())
    classifier = FakeClassifier()
    for policy in ("strict", "lenient"):
        (support,) = judged(sentences, classifier, policy=policy).support
        assert (support.supported, support.reason) == (False, "there is no document")
    assert classifier.calls == []


def test_documents_that_say_nothing_are_none():
    """A rule and a lone citation are no premise, and nothing is asked."""
    sentences = keyed((CLAIM,), documents=(("---", "[1]"),))
    classifier = FakeClassifier()
    (support,) = judged(sentences, classifier).support
    assert (support.supported, support.reason) == (False, "no document sentence has words")
    assert classifier.calls == []


def test_the_response_is_as_well_supported_as_its_weakest_claim():
    """Its probability is the least of its claims'."""
    opens = "The shop opens at 9."
    said = {(RETURNS, CLAIM): (0.9, 0.0), (opens, opens): (0.6, 0.0)}
    assert judged(keyed((CLAIM, opens)), FakeClassifier(said)).probability == 0.6
    verdict = judged(keyed((CLAIM, "It closes at 18.")), FakeClassifier(said))
    assert verdict.probability == 0.02
    assert verdict.support_explanation == "the documents lack support for resp_s1"


def test_a_model_of_two_labels_judges_strictly_only():
    """It does not tell contradiction, which the lenient policy is about."""
    two = ("not_entailment", "entailment")
    classifier = FakeClassifier({(RETURNS, CLAIM): (0.9, 0.0)}, labels=two)
    assert judged(keyed((CLAIM,)), classifier).support[0].supported
    (support,) = judged(keyed((CLAIM,)), FakeClassifier(labels=two)).support
    assert support.reason.startswith("no sentence entails it")
    with pytest.raises(JudgeUnavailable, match="tells only not_entailment and entailment; use"):
        judged(keyed((CLAIM,)), classifier, policy="lenient")


def test_premises_leave_room_for_the_longest_claim():
    """What does not fit beside it is no run, and no premise is longer than what is left."""
    classifier = FakeClassifier(room=15)
    judged(keyed((CLAIM,)), classifier)
    lengths = {len(f"{premise} {claim}".split()) for premise, claim in classifier.calls[0]}
    assert max(lengths) <= 15
    assert all(premise.count(".") <= 2 for premise, _ in classifier.calls[0])


def test_a_claim_that_the_model_cannot_read_is_an_error_and_no_verdict():
    """Cut off it would be another claim."""
    claim = " ".join(["word"] * 30)
    message = "resp_s0 has 30 tokens, and the NLI model reads 50, half of them of a premise"
    with pytest.raises(JudgeError, match=message):
        judged(keyed((claim,)), FakeClassifier(room=50))


def test_a_response_in_another_script_is_judged_and_says_what_is_not_known():
    """A model may read both languages; words cannot be compared between them."""
    sentences = keyed(("笔记本电脑可以在三十天内退货。",))
    with pytest.raises(JudgeError, match="not judged"):
        LexicalJudge().judge(sentences)
    claim = sentences.response[0].text
    verdict = judged(sentences, FakeClassifier({(RETURNS, claim): (0.9, 0.0)}))
    assert verdict.support[0].supported
    (note,) = verdict.notes
    assert note.startswith("relevance and utilization compare words, and response and documents")


def test_probabilities_do_not_depend_on_the_last_bits():
    """Another batch size or device changes a float a little, and no verdict."""
    verdicts = [
        judged(keyed((CLAIM,)), FakeClassifier({(RETURNS, CLAIM): (value, 0.0)}))
        for value in (0.93000001, 0.92999998)
    ]
    assert verdicts[0] == verdicts[1]
