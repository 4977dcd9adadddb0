"""The report on the use of the context, and how often it asks a judge."""

from __future__ import annotations

import pytest
from fakes import FakeJudge, FakeTest
from strategies import through_json

from pytest_trace.context_report import ContextUse, context_use, judge_citations, judge_claims
from pytest_trace.errors import JudgeError, UnknownName
from pytest_trace.evaluation import Settings, evaluate
from pytest_trace.measures.extractors import Entity
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace, Turn
from pytest_trace.verdict import SentenceSupport, Verdict

TRACE = Trace(
    "How long does the battery of the X-200 last?",
    [
        Document("The battery lasts 12 hours. It weighs 300 grams.", title="Wattlebird Air"),
        Document("Laptops can be returned within 30 days."),
    ],
    "The battery lasts 12 hours [1] and weighs 500 grams [2]. Returns take 30 days [2].",
)


class RecordingJudge:
    """Supports what the first document sentence with a word of `knows` says, and keeps asks."""

    kind = "recording"
    version = "1"

    def __init__(self, **knows):
        self.knows = knows
        self.asked = []

    def judge(self, sentences):
        self.asked.append(sentences)
        return Verdict(
            relevant=frozenset(),
            utilized=frozenset(),
            support=tuple(self._support(sentences, item) for item in sentences.response),
        )

    def _support(self, sentences, item):
        words = [word for word in self.knows if word in item.text]
        keys = [
            next((d.key for d in sentences.documents if self.knows[word] in d.text), None)
            for word in words
        ]
        is_supported = bool(keys) and None not in keys
        named = tuple(key for key in keys[:1] if key)
        return SentenceSupport(item.key, supported=is_supported, document_keys=named)


def test_report_has_all_four_measures():
    """Entities, claims, citations and numbers of one trace, with what each is made of."""
    judge = RecordingJudge(battery="battery", Returns="returned")
    report = context_use(TRACE, judge=judge)
    assert report.entity_recall == 2 / 3  # 12 hours and 30 days, but not 300 grams
    assert report.unsupported_claims == ("weighs 500 grams [2].",)
    assert report.hallucination_rate == 1 / 3
    assert report.citation_accuracy == 2 / 3  # [2] on the battery is wrong
    assert report.numeric_fidelity == 2 / 3  # 500 grams stand nowhere
    assert report.judge == "recording"
    assert report.claims.total_claims == 3
    assert [item.status for item in report.citations.citations] == [
        "correct",
        "wrong_passage",
        "correct",
    ]


def test_the_judge_is_asked_about_sentences_claims_and_doubtful_documents():
    """Once each: the doubtful document alone, under its own keys and with the whole response."""
    judge = RecordingJudge(battery="battery", Returns="returned")
    context_use(TRACE, judge=judge)
    sentences, alone, claims = judge.asked
    assert [item.key for item in sentences.response] == ["resp_s0", "resp_s1"]
    assert [item.key for item in alone.documents] == ["doc_0_s0"]
    assert alone.documents[0].text == "Laptops can be returned within 30 days."
    assert alone.trace.documents == TRACE.documents[1:]
    assert alone.response == sentences.response
    assert [item.key for item in claims.response] == ["resp_s0_c0", "resp_s0_c1", "resp_s1"]


def test_a_document_that_supports_a_sentence_alone_is_cited_rightly():
    """A verdict names one of two documents that say the same in other words."""
    trace = Trace(
        "When?",
        ["The battery lasts 12 hours.", "Twelve hours is what the battery lasts."],
        "The battery lasts 12 hours [2].",
        history=["Hello"],
    )
    judge = RecordingJudge(battery="battery")
    assert judge_citations(trace, judge=judge)[1].value == 1.0
    assert len(judge.asked) == 2
    assert judge.asked[1].trace.history == (Turn("Hello"),)


def test_a_document_without_text_supports_nothing():
    """It has a title, but nothing can be judged by it alone."""
    documents = [Document("The battery lasts 12 hours."), Document(" ", title="Battery")]
    trace = Trace("When?", documents, "The battery lasts 12 hours [2].")
    judge = RecordingJudge(battery="battery")
    found = judge_citations(trace, judge=judge)[1]
    assert [item.status for item in found.citations] == ["wrong_passage"]
    assert len(judge.asked) == 1


def test_without_several_claims_the_verdict_is_that_of_the_sentences():
    """A running test keeps it, so the report costs one call there."""
    judge = FakeJudge()
    test = FakeTest(Settings(judge=judge, sentencizer=make_sentencizer()))
    test.start()
    trace = Trace("When?", ["You have 30 days."], "You have 30 days [1].")
    context_use(trace)
    evaluate(trace)
    judge_claims(trace)
    assert test.asked == 4  # the test itself asks a judge once for equal sentences
    assert len(test.kept) == 2  # the sentences, from the report and from `evaluate`
    assert test.kept[0] == test.kept[1]


def test_claims_and_doubtful_documents_leave_no_row():
    """Rows are of whole traces; the same trace cut finer would count twice in the means."""
    judge = RecordingJudge(battery="battery", Returns="returned")
    test = FakeTest(Settings(judge=judge, sentencizer=make_sentencizer()))
    test.start()
    context_use(TRACE)
    assert test.asked == 3
    assert [len(kept.sentences.response) for kept in test.kept] == [2]


def test_the_running_test_decides_how_a_trace_is_split():
    """Claims are cut from the sentences that all its assertions read."""

    class WholeText:
        version = "whole/1"

        def split(self, text):
            return [text]

    FakeTest(Settings(judge=FakeJudge(), sentencizer=WholeText())).start()
    evaluation, found = judge_claims(TRACE)
    assert evaluation.sentences.sentencizer == "whole/1+claims/1"
    assert [claim.key for claim in found.claims] == ["resp_s0_c0", "resp_s0_c1"]


def test_a_spec_is_made_into_one_judge(monkeypatch):
    """A judge may load a model: it is made once for all that the report asks."""
    made = []
    monkeypatch.setattr(
        "fakes.make_other", lambda: made.append(1) or RecordingJudge(battery="battery")
    )
    context_use(TRACE, judge="fakes:make_other")
    assert made == [1]


def test_keyed_traces_are_read_as_they_are():
    """Their sentences are those of the report."""
    keyed = KeyedTrace.from_trace(TRACE, make_sentencizer())
    assert context_use(keyed, judge="lexical") == context_use(TRACE, judge="lexical")


def test_extractor_and_numbering_are_the_users():
    """By name, or as an object of ones own."""

    class Nothing:
        version = "nothing/1"

        def extract(self, text):
            return [Entity("battery", "THING")] if "battery" in text else []

    judge = RecordingJudge(battery="battery", Returns="returned")
    report = context_use(TRACE, judge=judge, entities=Nothing(), numbering_from=0)
    assert (report.entity_recall, report.entities.extractor) == (1.0, "nothing/1")
    assert [item.document for item in report.citations.citations] == [1, None, None]
    with pytest.raises(UnknownName, match="unknown entity extractor 'nltk'"):
        context_use(TRACE, judge=judge, entities="nltk")


def test_undefined_measures_are_none():
    """A refusal without an entity around it has nothing to measure."""
    report = context_use(Trace("When?", ["it is red."], "I don't know."), judge="lexical")
    scores = (report.entity_recall, report.hallucination_rate, report.citation_accuracy)
    assert (*scores, report.numeric_fidelity) == (None, None, None, None)
    assert report.unsupported_claims == ()


def test_report_survives_json():
    """The scores stand beside their parts for whoever reads the JSON alone."""
    report = context_use(TRACE, judge=RecordingJudge(battery="battery", Returns="returned"))
    data = through_json(report.to_json())
    assert ContextUse.from_json(data) == report
    scores = {name: value for name, value in data.items() if not isinstance(value, dict)}
    assert scores == {
        "entity_recall": 2 / 3,
        "unsupported_claims": ["weighs 500 grams [2]."],
        "hallucination_rate": 1 / 3,
        "citation_accuracy": 2 / 3,
        "numeric_fidelity": 2 / 3,
        "judge": "recording",
    }


def test_a_judge_that_cannot_decide_is_no_score():
    """Its error goes through, from each of the questions."""
    for ask in (context_use, judge_claims, judge_citations):
        with pytest.raises(JudgeError, match="cannot decide"):
            ask(Trace("When?", ["Now."], "That is unclear [1]."), judge=FakeJudge())
