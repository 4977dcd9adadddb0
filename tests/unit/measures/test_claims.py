"""Claims in the place of sentences, and the rate of those without support."""

from __future__ import annotations

from building import keyed, marked, supported, unsupported, verdict
from hypothesis import given
from strategies import keyed_traces, through_json

from pytest_trace.marks import check_support
from pytest_trace.measures.claims import Claim, Hallucinations, hallucinations, with_claims
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Trace
from pytest_trace.verdict import SentenceSupport

RESPONSE = "The battery lasts 12 hours [1] and weighs 300 grams. It is red."
REFUSAL = "The documents do not say."


def split(response):
    trace = Trace("What about it?", ["The battery lasts 12 hours."], response)
    return KeyedTrace.from_trace(trace, make_sentencizer())


def found(sentences, *support):
    return hallucinations(sentences, check_support(sentences, verdict(*support)))


def support_of(key, *, is_supported, **fields):
    keys = ("doc_0_s0",) if is_supported else ()
    return SentenceSupport(key, supported=is_supported, document_keys=keys, **fields)


def test_claims_take_the_places_of_sentences():
    """With keys of their own, offsets in the response, and the shared subject as context."""
    claims = with_claims(split(RESPONSE))
    assert [(claim.key, claim.text, claim.context) for claim in claims.response] == [
        ("resp_s0_c0", "The battery lasts 12 hours [1]", None),
        ("resp_s0_c1", "weighs 300 grams.", "The battery"),
        ("resp_s1", "It is red.", None),
    ]
    for claim in claims.response:
        assert RESPONSE[claim.start : claim.end] == claim.text
    assert claims.documents == split(RESPONSE).documents


def test_how_claims_are_cut_is_part_of_the_key_of_a_verdict():
    """Other rules would make other claims of the same trace."""
    sentences = split(RESPONSE)
    assert with_claims(sentences).sentencizer == f"{sentences.sentencizer}+claims/1"


def test_without_several_claims_in_a_sentence_it_is_the_same_trace():
    """So that its verdict, which is there already, is that of the claims."""
    sentences = split("The battery lasts 12 hours. It is red.")
    assert with_claims(sentences) is sentences


def test_a_refusal_is_not_cut():
    """Its parts would claim something."""
    sentences = split("The documents do not say it, but the answer is not known and was not given.")
    assert with_claims(sentences) is sentences


def test_a_lead_in_stays_part_of_the_context():
    """A list item is read under its lead-in, and so are its claims."""
    sentences = split("The battery:\n\n- It lasts 12 hours and weighs 300 grams.\n- It is red.")
    contexts = [claim.context for claim in with_claims(sentences).response]
    assert contexts == [None, "The battery:", "The battery:", "The battery:"]


def test_rate_counts_claims_without_support():
    """Two of three claims: by hand 2/3; a transition and a refusal claim nothing."""
    sentences = keyed(["Here it is:", "You have 30 days.", "It is red.", "It is blue.", REFUSAL])
    result = found(
        sentences,
        marked(0, "general"),
        supported(1),
        unsupported(2, "doc_0_s1", reason="nothing is red", probability=0.1),
        unsupported(3),
        marked(4, "supported_without_sentence"),
    )
    assert (result.total_claims, result.hallucinated_claims) == (3, 2)
    assert result.hallucination_rate == 2 / 3
    assert result.hallucinated_claims_list == ("It is red.", "It is blue.")
    start = len("Here it is: You have 30 days. ")
    assert result.unsupported[0] == Claim(
        "resp_s2",
        "It is red.",
        start,
        start + len("It is red."),
        is_supported=False,
        document_keys=("doc_0_s1",),
        reason="nothing is red",
        probability=0.1,
    )


def test_one_claim_of_a_sentence_may_lack_support():
    """The sentence would be unsupported as a whole; its first claim is not."""
    claims = with_claims(split(RESPONSE))
    result = found(
        claims,
        support_of("resp_s0_c0", is_supported=True),
        support_of("resp_s0_c1", is_supported=False),
        support_of("resp_s1", is_supported=True),
    )
    assert result.hallucination_rate == 1 / 3
    assert result.hallucinated_claims_list == ("weighs 300 grams.",)


def test_a_response_that_claims_nothing_has_no_rate():
    """None, and not 0: nothing was tested."""
    result = found(keyed([REFUSAL]), marked(0, "supported_without_sentence"))
    assert (result.total_claims, result.hallucinated_claims) == (0, 0)
    assert result.hallucination_rate is None


def test_a_refusal_that_the_documents_contradict_is_a_claim():
    """It says that the documents lack the answer, and they do not."""
    result = found(keyed([REFUSAL]), unsupported(0, "doc_0_s0"))
    assert (result.total_claims, result.hallucination_rate) == (1, 1.0)


def test_values_survive_json():
    """The counts stand beside the claims for whoever reads the JSON alone."""
    result = found(keyed(["You have 30 days.", "It is red."]), supported(0), unsupported(1))
    data = through_json(result.to_json())
    assert Hallucinations.from_json(data) == result
    counts = {name: data[name] for name in data if name != "claims"}
    assert counts == {
        "total_claims": 2,
        "hallucinated_claims": 1,
        "hallucination_rate": 0.5,
        "hallucinated_claims_list": ["It is red."],
    }


@given(keyed_traces())
def test_every_trace_can_be_cut(sentences):
    """Keys stay unique and the documents untouched, whatever the texts are."""
    claims = with_claims(sentences)
    keys = [claim.key for claim in claims.response]
    assert len(set(keys)) == len(keys)
    assert claims.documents == sentences.documents
    assert KeyedTrace.from_json(through_json(claims.to_json())) == claims
