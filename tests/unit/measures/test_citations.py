"""Whether the cited document supports the sentence, and what is wrong where it does not."""

from __future__ import annotations

import pytest
from building import supported, unsupported, verdict
from hypothesis import given
from hypothesis import strategies as st
from strategies import judged_traces, through_json

from pytest_trace.marks import check_support
from pytest_trace.measures.citations import Citations, check_citations
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace
from pytest_trace.verdict import SentenceSupport

DOCUMENTS = [
    Document("Laptops can be returned. A receipt is needed.", title="Returns policy"),
    Document("The battery lasts 12 hours."),
    Document("A receipt is needed."),
]


def split(response, documents=DOCUMENTS):
    trace = Trace("What about it?", documents, response)
    return KeyedTrace.from_trace(trace, make_sentencizer())


def check(response, *support, documents=DOCUMENTS, **options):
    sentences = split(response, documents)
    assert len(support) == len(sentences.response), sentences.response
    return check_citations(sentences, check_support(sentences, verdict(*support)), **options)


def statuses(found):
    return [(item.target, item.key, item.status) for item in found.citations]


def test_worked_example():
    """One right, one wrong, one unknown, one on an unsupported sentence, one claim without."""
    found = check(
        "Laptops can be returned [1]. Receipts are needed [2]. It lasts 12 hours [9]. "
        "It weighs 5 kg [2]. It has a battery.",
        supported(0, "doc_0_s0"),
        supported(1, "doc_0_s1"),
        supported(2, "doc_1_s0"),
        unsupported(3, "doc_1_s0"),
        supported(4, "doc_1_s0"),
    )
    assert statuses(found) == [
        ("1", "resp_s0", "correct"),
        ("2", "resp_s1", "wrong_passage"),
        ("9", "resp_s2", "unknown"),
        ("2", "resp_s3", "unsupported"),
    ]
    assert found.value == 1 / 4
    assert found.coverage == 4 / 5
    assert found.missing == ("resp_s4",)
    assert [item.supporting for item in found.citations] == [(0,), (0, 2), (1,), ()]
    assert [item.target for item in found.wrong] == ["2", "9", "2"]


def test_several_documents_may_support_a_sentence_together():
    """Each that the verdict names is cited rightly; another one is not."""
    found = check(
        "Laptops can be returned and the battery lasts 12 hours [1][2, 3].",
        supported(0, "doc_0_s0", "doc_1_s0"),
    )
    assert [item.status for item in found.citations] == ["correct", "correct", "wrong_passage"]
    assert found.value == 2 / 3


def test_a_document_that_says_the_same_is_right_too():
    """Chunks overlap, and a verdict names one of them."""
    found = check("A receipt is needed [3].", supported(0, "doc_0_s1"))
    assert statuses(found) == [("3", "resp_s0", "correct")]


def test_a_title_is_evidence_for_a_number_and_none_for_a_name():
    """The title stands in the citation itself, so it would always agree."""
    found = check(
        "It is a returns policy [1]. It lasts 12 hours (Source: Returns policy).",
        supported(0, "doc_0_title"),
        supported(1, "doc_1_s0", "doc_0_title"),
    )
    assert [item.status for item in found.citations] == ["correct", "wrong_passage"]


def test_a_document_that_the_verdict_does_not_name_is_asked_about_once():
    """A judge need not name all that would do: the cited document alone may support it."""
    asked = []

    def supports_alone(document):
        asked.append(document)
        return frozenset({"resp_s0"})

    found = check(
        "It lasts 12 hours [3]. It has a battery [3]. Laptops can be returned [1].",
        supported(0, "doc_1_s0"),
        supported(1, "doc_1_s0"),
        supported(2, "doc_0_s0"),
        supports_alone=supports_alone,
    )
    assert [item.status for item in found.citations] == ["correct", "wrong_passage", "correct"]
    assert asked == [2]


def test_nothing_is_asked_about_unknown_documents_and_unsupported_sentences():
    """There is nothing that another verdict could save."""

    def supports_alone(document):
        raise AssertionError(f"asked about {document}")

    found = check(
        "It lasts 12 hours [9]. It weighs 5 kg [1]. I don't know [1].",
        supported(0, "doc_1_s0"),
        unsupported(1),
        SentenceSupport("resp_s2", supported=True, mark="supported_without_sentence"),
        supports_alone=supports_alone,
    )
    assert [item.status for item in found.citations] == ["unknown", "unsupported", "no_claim"]


@pytest.mark.parametrize(
    ("response", "keys"),
    [
        ("One is so [1]. Two is so [2].", ["resp_s0", "resp_s1"]),
        ("One is so. [1] Two is so. [2]", ["resp_s0", "resp_s1"]),
        ("One is so.[1][2] Two is so.", ["resp_s0", "resp_s0"]),
        ("One is so. (doc 1) Two is so.", ["resp_s0"]),
        ("[1] One is so. Two is so.", ["resp_s0"]),
        ("One is so.\n\n[1] Two is so.", ["resp_s1"]),
        ("As [1] says, one is so. Two is so.", ["resp_s0"]),
        ("- One is so. [1]\n- Two is so [2]", ["resp_s0", "resp_s1"]),
        ("“One is so.” [1] Two is so.", ["resp_s0"]),
        ("甲は30日です。[1]乙は5日です[2]。", ["resp_s0", "resp_s1"]),
    ],
)
def test_a_citation_behind_the_full_stop_is_of_the_sentence_before(response, keys):
    """In the same paragraph; at its start it is of the sentence that follows."""
    sentences = split(response)
    support = [supported(number, "doc_0_s0") for number, _ in enumerate(sentences.response)]
    found = check_citations(sentences, check_support(sentences, verdict(*support)))
    assert [item.key for item in found.citations] == keys


def test_a_fragment_of_citations_claims_nothing():
    """A sentencizer may cut them off; that is no claim without a citation."""
    sentences = KeyedTrace.from_sentences(
        Trace("?", ["It is so."], "It is so. [1]"), [["It is so."]], ["It is so.", "[1]"]
    )
    found = check_citations(
        sentences, check_support(sentences, verdict(supported(0), supported(1)))
    )
    assert (found.claims, found.missing) == (1, ())
    assert statuses(found) == [("1", "resp_s0", "correct")]


def test_a_list_of_references_claims_nothing():
    """Its entries are no sentences without a citation."""
    found = check(
        "It lasts 12 hours [1].\n\nSources:\n\n1. Returns policy",
        supported(0, "doc_1_s0"),
        *(unsupported(number) for number in (1, 2)),
    )
    assert (found.claims, found.missing) == (1, ())
    assert [item.status for item in found.citations] == ["wrong_passage"]  # [1] is the policy


def test_without_citations_the_accuracy_is_undefined():
    """None, and not 0; coverage is 0, since there is a claim."""
    found = check("It lasts 12 hours.", supported(0, "doc_1_s0"))
    assert (found.value, found.coverage, found.missing) == (None, 0.0, ("resp_s0",))


def test_without_claims_there_is_nothing_to_cite():
    """A refusal has neither accuracy nor coverage, cited or not."""
    refusal = SentenceSupport("resp_s0", supported=True, mark="supported_without_sentence")
    for response in ("I don't know.", "I don't know [1]."):
        found = check(response, refusal)
        assert (found.value, found.coverage, found.wrong) == (None, None, ())


def test_without_documents_every_number_is_unknown():
    """There is none that it could stand for."""
    found = check("It lasts 12 hours [1].", unsupported(0), documents=[])
    assert statuses(found) == [("1", "resp_s0", "unknown")]


@pytest.mark.parametrize("numbering_from", [2, -1, True, "1", None])
def test_numbers_start_at_1_or_0(numbering_from):
    """Anything else is refused."""
    with pytest.raises(ValueError, match=r"^numbering_from is .*; expected 1 or 0$"):
        check("It is [1].", supported(0), numbering_from=numbering_from)


def test_numbering_from_0():
    """The number of a document is its index then."""
    found = check("It lasts 12 hours [1].", supported(0, "doc_1_s0"), numbering_from=0)
    assert found.value == 1.0
    assert found.number(1) == 1


def test_values_survive_json():
    """With both shares for whoever reads the JSON alone."""
    found = check("It lasts 12 hours [1]. It is so.", supported(0, "doc_1_s0"), supported(1))
    data = through_json(found.to_json())
    assert Citations.from_json(data) == found
    assert (data["value"], data["coverage"]) == (0.0, 0.5)


@given(judged_traces(), st.sampled_from((0, 1)))
def test_any_verdict_can_be_checked(judged, numbering_from):
    """Shares stay in [0, 1], whatever the texts and the verdict are."""
    sentences, given_verdict = judged
    supports = check_support(sentences, given_verdict)
    found = check_citations(sentences, supports, numbering_from=numbering_from)
    assert all(share is None or 0 <= share <= 1 for share in (found.value, found.coverage))
