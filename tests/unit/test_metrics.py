"""TRACe scores: arithmetic on keys."""

from __future__ import annotations

import pytest
from building import keyed, marked, scores, supported, unsupported, verdict
from hypothesis import given
from hypothesis import strategies as st
from strategies import judged_traces, keyed_traces, through_json, trace_scores, verdicts

from pytest_trace.errors import InvalidVerdict, UnknownName
from pytest_trace.metrics import DocumentScores, TraceScores, diagnose, score
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Document, Trace
from pytest_trace.verdict import Verdict

FORMULAS = ("trace", "ragbench", "labeling")
LENGTHS = ("sentence", "token", "character")
settings = st.one_of(
    st.tuples(st.sampled_from(("trace", "ragbench")), st.sampled_from(LENGTHS)),
    st.just(("labeling", "sentence")),
)
policies = st.sampled_from(("default", "strict", "ragbench"))
THREE = (("One.", "Two."), ("Three.",))


def of(documents, relevant, utilized, **options):
    """The scores of a verdict with these keys and one supported sentence."""
    judged = verdict(supported(), relevant=relevant, utilized=utilized)
    return score(keyed(documents=documents), judged, **options)


@pytest.mark.parametrize(
    ("relevant", "utilized", "expected", "mean"),
    [
        (
            ("doc_0_s0", "doc_0_s1", "doc_1_s0"),
            ("doc_0_s0", "doc_0_s1"),
            (3 / 20, 2 / 3, 2 / 3),
            None,
        ),
        (("doc_0_s0", "doc_0_s1"), ("doc_0_s0", "doc_0_s1"), (2 / 20, 1, 1), 0.775),
        ((), ("doc_0_s0",), (0, None, None), 0.5),
    ],
)
def test_labeling_counts_keys(relevant, utilized, expected, mean):
    """The worked examples of the labeling formula: R by 20, T and C by the relevant keys."""
    found = of(THREE, relevant, utilized, formula="labeling")
    assert (found.relevance, found.utilization, found.completeness) == pytest.approx(expected)
    assert found.adherence == 1.0
    assert mean is None or found.mean == pytest.approx(mean)


def test_labeling_is_full_at_twenty_relevant_keys():
    """More relevant keys than twenty, or more used than relevant ones, still score 1."""
    documents = [[f"Sentence {number}." for number in range(30)]]
    keys = [f"doc_0_s{number}" for number in range(30)]
    found = of(documents, keys[:25], keys, formula="labeling")
    assert (found.relevance, found.utilization, found.completeness) == (1, 1, 1)


@pytest.mark.parametrize(
    ("relevant", "utilized", "formula", "expected"),
    [
        (("doc_0_s0", "doc_1_s0"), ("doc_0_s0",), "trace", (2 / 3, 1 / 3, 1 / 2)),
        (("doc_0_s0", "doc_1_s0"), ("doc_0_s0",), "ragbench", (2 / 3, 1 / 3, 1 / 2)),
        (("doc_0_s0",), ("doc_0_s1", "doc_1_s0"), "trace", (1 / 3, 2 / 3, 0)),
        ((), (), "trace", (0, 0, None)),
        ((), ("doc_0_s0",), "trace", (0, 1 / 3, None)),
        ((), ("doc_0_s0",), "ragbench", (0, 1 / 3, 1)),
    ],
)
def test_scores_are_shares_of_sentences(relevant, utilized, formula, expected):
    """R and T of all sentences, C of the relevant ones: undefined, or 1.0 in RAGBench, without."""
    found = of(THREE, relevant, utilized, formula=formula)
    assert (found.relevance, found.utilization, found.completeness) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("length", "expected"),
    [("sentence", (1 / 2, 1 / 2)), ("token", (4 / 5, 1 / 5)), ("character", (12 / 15, 3 / 15))],
)
def test_sentences_may_weigh_by_length(length, expected):
    """A sentence weighs one, its words or its characters."""
    found = of([["one two x y.", "abc"]], ["doc_0_s0"], ["doc_0_s1"], length=length)
    assert (found.relevance, found.utilization) == pytest.approx(expected)


def test_sentences_without_words_weigh_nothing_in_tokens():
    """Where no sentence has a word, shares of words are undefined."""
    found = of([["—", "| |"]], ["doc_0_s0"], [], length="token")
    assert (found.relevance, found.utilization, found.completeness) == (None, None, None)


def test_documents_are_scored_one_by_one():
    """`by_document` has the three scores of each document, in order, undefined ones as None."""
    sentences = keyed(documents=[["One.", "Two."], ["Three."]])
    judged = verdict(supported(), relevant=["doc_0_s0"], utilized=["doc_0_s0", "doc_1_s0"])
    assert score(sentences, judged).by_document == (
        DocumentScores(0.5, 0.5, 1.0),
        DocumentScores(0.0, 1.0, None),
    )


def test_only_retrieved_documents_count():
    """Sentences of tools and of the system are evidence, and no part of any share."""
    trace = Trace("q", [Document("Two.", kind="tool"), "One. Two."], "r")
    sentences = KeyedTrace.from_sentences(trace, [["Two."], ["One.", "Two."]], ["r"])
    judged = verdict(
        supported(0, "doc_0_s0"), relevant=["doc_0_s0", "doc_1_s0"], utilized=["doc_0_s0"]
    )
    found = score(sentences, judged)
    assert (found.relevance, found.utilization, found.completeness) == (0.5, 0, 0)
    assert found.adherence == 1.0
    assert found.by_document[0] == DocumentScores(None, None, None)


@pytest.mark.parametrize("formula", FORMULAS)
def test_without_documents_shares_are_undefined(formula):
    """Where nothing was retrieved there is nothing to be a share of, in any formula."""
    found = of((), ["doc_0_s0"], ["doc_0_s0"], formula=formula)
    assert (found.relevance, found.utilization, found.completeness) == (None, None, None)
    assert (found.adherence, found.support, found.mean) == (0.0, 0.0, 0.0)


def test_without_a_question_relevance_is_undefined():
    """Nothing is relevant to no question, which is not the same as a relevance of 0."""
    sentences = keyed(question="")
    found = score(sentences, verdict(supported(), utilized=["doc_0_s0"]))
    assert (found.relevance, found.utilization, found.completeness) == (None, 0.25, None)
    assert found.by_document[0] == DocumentScores(None, 0.5, None)


def test_judge_may_decide_relevance_without_a_question():
    """Where a judge names relevant sentences of a text to sum up, they count."""
    sentences = keyed(question=" ")
    found = score(sentences, verdict(supported(), relevant=["doc_0_s0"], utilized=["doc_0_s0"]))
    assert (found.relevance, found.completeness) == (0.25, 1.0)


@pytest.mark.parametrize(
    ("support", "adherence", "share"),
    [
        ([supported(0), supported(1)], 1.0, 1.0),
        ([supported(0), unsupported(1)], 0.0, 0.5),
        ([unsupported(0), unsupported(1)], 0.0, 0.0),
        ([supported(0), marked(1, "general")], 1.0, 1.0),
        ([marked(0, "general"), marked(1, "general")], 1.0, None),
        ([unsupported(0), marked(1, "general")], 0.0, 0.0),
    ],
)
def test_support_counts_claims(support, adherence, share):
    """Adherence asks for every sentence; support is the share of those that claim something."""
    found = score(keyed(["One thing.", "Another thing."]), verdict(*support))
    assert (found.adherence, found.support) == (adherence, share)


def test_support_of_a_refusal_is_undefined():
    """A response that declines claims nothing."""
    sentences = keyed(["The documents do not say."])
    found = score(sentences, verdict(marked(0, "supported_without_sentence")))
    assert (found.adherence, found.support) == (1.0, None)


@pytest.mark.parametrize(
    ("marks", "adherence"), [("default", 0.0), ("strict", 0.0), ("ragbench", 1.0)]
)
def test_mark_policy_reaches_the_scores(marks, adherence):
    """A well-known fact has support only as marked."""
    found = score(keyed(), verdict(marked(0, "well_known_fact")), marks=marks)
    assert found.adherence == adherence


@pytest.mark.parametrize(
    ("defined", "mean"),
    [
        ((0.2, 0.4, 0.6, 1.0), 0.55),
        ((0.2, 0.4, None, 1.0), 1.6 / 3),
        ((None, None, None, 0.0), 0.0),
    ],
)
def test_mean_is_of_what_is_defined(defined, mean):
    """An undefined score is no 0: it is left out."""
    assert scores(*defined, support=None).mean == pytest.approx(mean)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"formula": "harmonic"}, "unknown formula 'harmonic'; known: trace, ragbench, labeling"),
        ({"length": "byte"}, "unknown length 'byte'; known: sentence, token, character"),
        ({"marks": "lax"}, "unknown mark policy 'lax'; known: default, strict, ragbench"),
        (
            {"formula": "labeling", "length": "token"},
            "formula 'labeling' counts keys; it cannot weigh them by token",
        ),
    ],
)
def test_unknown_settings_are_refused(options, message):
    """The message lists what is known."""
    with pytest.raises(UnknownName) as raised:
        of(THREE, (), (), **options)
    assert str(raised.value) == message


def test_verdict_on_another_response_is_refused():
    """Scores of a verdict that lacks a sentence would be too good."""
    with pytest.raises(InvalidVerdict, match=r"^support lacks resp_s1; it must have each of the 2"):
        score(keyed(["One.", "Two."]), verdict(supported()))


LOW_RELEVANCE = "low relevance and low utilization: a greedy retriever; "
LOW_UTILIZATION = "low utilization alone: the generator leaves good context unused; "
LOW_COMPLETENESS = "high utilization and low completeness: the response uses much of the documents "


@pytest.mark.parametrize(
    ("given_scores", "beginnings"),
    [
        ((0.1, 0.1, 0.9), [LOW_RELEVANCE]),
        ((0.8, 0.1, 0.9), [LOW_UTILIZATION]),
        ((0.8, 0.6, 0.2), [LOW_COMPLETENESS]),
        ((0.8, 0.6, 0.8), []),
        ((0.2, 0.6, 0.9), []),
        ((1 / 3, 1 / 3, 0.1), []),
        ((None, 0.1, None), []),
        ((0.1, None, None), []),
        ((None, None, None), []),
    ],
)
def test_diagnose_names_what_a_combination_means(given_scores, beginnings):
    """Low R and T, low T alone, and high T with low C mean something; the rest does not."""
    found = diagnose(scores(*given_scores))
    assert len(found) == len(beginnings)
    assert all(text.startswith(start) for text, start in zip(found, beginnings, strict=True))


def all_scores(found):
    """Every score of a trace and its documents that is defined."""
    groups = (found, *found.by_document)
    names = ("relevance", "utilization", "completeness", "adherence", "support", "mean")
    values = [getattr(group, name, None) for group in groups for name in names]
    return [value for value in values if value is not None]


@given(judged_traces(), settings, policies)
def test_scores_lie_between_0_and_1(judged, setting, marks):
    """Whatever is judged, no score leaves [0, 1], and none is NaN."""
    found = score(*judged, formula=setting[0], length=setting[1], marks=marks)
    assert all(0.0 <= value <= 1.0 for value in all_scores(found))
    assert found.adherence in (0.0, 1.0)


UNKNOWN = ("doc_99_s0", "resp_s0", "general", "")


@given(st.data(), settings, policies)
def test_unknown_and_double_keys_change_nothing(data, setting, marks):
    """Keys that stand for no document sentence are dropped, those named twice count once."""
    sentences = data.draw(keyed_traces())
    noisy = data.draw(verdicts(sentences, unknown=UNKNOWN))
    known = sentences.document_keys
    clean = verdict(
        *(
            type(item)(
                item.key, item.supported, [k for k in item.document_keys if k in known], item.mark
            )
            for item in noisy.support
        ),
        relevant=[*(noisy.relevant & known)] * 2,
        utilized=[*(noisy.utilized & known)] * 2,
    )
    options = {"formula": setting[0], "length": setting[1], "marks": marks}
    assert score(sentences, noisy, **options) == score(sentences, clean, **options)


@given(judged_traces(), st.randoms(use_true_random=False), settings, policies)
def test_order_of_keys_changes_nothing(judged, random, setting, marks):
    """A judge may list keys and sentences in any order."""
    sentences, first = judged
    data = first.to_json()
    for name in ("relevant", "utilized", "support"):
        random.shuffle(data[name])
    for support in data["support"]:
        random.shuffle(support.get("document_keys", []))
    options = {"formula": setting[0], "length": setting[1], "marks": marks}
    shuffled = score(sentences, Verdict.from_json(data), **options)
    assert shuffled == score(sentences, first, **options)


@given(trace_scores)
def test_json_round_trip_is_the_identity(found):
    """Scores come back from JSON as they were, undefined ones too."""
    assert TraceScores.from_json(through_json(found.to_json())) == found
