"""Evaluations: one trace, judged and scored."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from building import DOCUMENTS, QUESTION, evaluation, keyed, marked, supported, unsupported, verdict
from fakes import FakeJudge, FakeTest, FixedJudge
from hypothesis import given
from strategies import judged_traces, through_json

from pytest_trace import running
from pytest_trace.errors import (
    InvalidConfig,
    InvalidTrace,
    JudgeError,
    JudgeReplyError,
    UnknownName,
)
from pytest_trace.evaluation import Evaluation, Settings, evaluate, evaluate_many
from pytest_trace.evaluation_config import EvaluationConfig
from pytest_trace.sentences import KeyedTrace, make_sentencizer
from pytest_trace.trace import Document, Trace

REFUSAL = "The documents do not say."


class BrokenJudge:
    """Fails, or returns what is no verdict on the trace."""

    kind = "broken"
    version = "1"

    def __init__(self, outcome: object) -> None:
        self._outcome = outcome

    def judge(self, sentences: KeyedTrace) -> Any:
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


class LineSentencizer:
    """A line is a sentence."""

    version = "lines-1"

    def split(self, text: str) -> list[str]:
        return text.splitlines()


@pytest.fixture
def running_test() -> FakeTest:
    """The test that evaluations join."""
    test = FakeTest(Settings(judge=FakeJudge(), sentencizer=LineSentencizer(), marks="strict"))
    test.start()
    return test


@pytest.fixture
def outside_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook."""
    monkeypatch.setattr(running, "is_pytest_running", lambda: False)


def test_evaluation_holds_all_that_was_decided():
    """Trace, sentences, verdict, scores, judge and settings are there to read."""
    sentences, given_verdict = keyed(), verdict(supported(), relevant=["doc_0_s0"])
    found = evaluation(sentences, given_verdict, formula="ragbench", length="token", marks="strict")
    assert (found.trace, found.sentences, found.verdict) == (
        sentences.trace,
        sentences,
        given_verdict,
    )
    assert (found.judge, found.judge_version) == ("fixed", "1")
    assert (found.formula, found.length, found.marks) == ("ragbench", "token", "strict")
    assert found.scores.relevance == 7 / 20
    assert [item.is_supported for item in found.support] == [True]


def test_trace_is_split_by_the_sentencizer():
    """A trace without sentences gets them, and says from whom."""
    trace = Trace(QUESTION, ["One. Still one.\nTwo."], "Answer.")
    found = evaluate(trace, judge=FakeJudge(), sentencizer=LineSentencizer())
    assert [item.text for item in found.sentences.documents] == ["One. Still one.", "Two."]
    assert found.sentences.sentencizer == "lines-1"


def test_anything_but_a_trace_is_refused():
    """The message shows how a trace is made."""
    with pytest.raises(TypeError, match=r"^got a str; expected a Trace or KeyedTrace: Trace\("):
        evaluate("How long?", judge=FakeJudge())


@pytest.mark.usefixtures("outside_pytest")
def test_outside_pytest_the_judge_is_lexical():
    """A notebook needs no setting."""
    assert evaluate(keyed()).judge == "lexical"


def test_without_a_test_no_judge_is_guessed():
    """Where pytest runs and no test is found, that is an error and no quiet `lexical`."""
    with pytest.raises(JudgeError, match="pytest is running, but no running test was found"):
        evaluate(keyed())


def test_running_test_decides_what_is_not_given(running_test):
    """Judge and settings come from the test, and the evaluation joins its rows."""
    found = evaluate(keyed(), formula="ragbench")
    assert (found.judge, found.marks, found.formula) == ("fake", "strict", "ragbench")
    assert running_test.kept == [found]
    assert (running_test.asked_for, running_test.asked) == ([None], 1)


def test_running_test_is_told_the_judge_that_was_given(running_test):
    """The call's own judge goes through the test, which stores what it decides."""
    judge = FakeJudge()
    evaluate(keyed(), judge=judge)
    assert running_test.asked_for == [judge]


def test_running_test_is_found_from_a_thread(running_test):
    """Applications call from threads of their own."""
    thread = threading.Thread(target=evaluate, args=[keyed()])
    thread.start()
    thread.join()
    assert len(running_test.kept) == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "magic",
            (
                "unknown judge 'magic'; "
                "known: lexical, groq:MODEL, openai:MODEL, nli:PATH_OR_HUB_ID and "
                "package.module:factory"
            ),
        ),
        (3, "judge= got a int, which is no judge: it lacks kind, version, judge"),
    ],
)
def test_unknown_judge_is_refused(spec, message):
    """The message lists the known ones, or says what an object lacks."""
    with pytest.raises(UnknownName) as raised:
        evaluate(keyed(), judge=spec)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("outcome", "error", "message"),
    [
        (
            ZeroDivisionError("by zero"),
            JudgeError,
            "judge broken failed: ZeroDivisionError: by zero",
        ),
        (JudgeError("no quota"), JudgeError, "no quota"),
        (None, JudgeReplyError, "judge broken returned a NoneType; expected a Verdict"),
        (
            verdict(),
            JudgeReplyError,
            (
                "judge broken gave no usable verdict: support lacks resp_s0; "
                "it must have each of the 1 response sentences once"
            ),
        ),
    ],
)
def test_fault_of_a_judge_is_a_judge_error(outcome, error, message):
    """A judge that fails or gives no verdict on this trace is never a score."""
    with pytest.raises(JudgeError) as raised:
        evaluate(keyed(), judge=BrokenJudge(outcome))
    assert type(raised.value) is error
    assert str(raised.value) == message


def test_unknown_keys_are_told():
    """Keys that stand for nothing are dropped, and the notes name them after those of the judge."""
    judged = verdict(supported(0, "doc_0_s0", "doc_8_s0"), relevant=["doc_9_s0"])
    assert evaluation(keyed(), judged).notes == ("unknown keys dropped: doc_8_s0, doc_9_s0",)


@pytest.mark.parametrize(
    ("response", "support", "is_refusal"),
    [
        ([REFUSAL], [marked(0, "supported_without_sentence")], True),
        ([REFUSAL], [unsupported(0)], True),
        (
            ["Thank you for asking.", REFUSAL],
            [marked(0, "general"), marked(1, "supported_without_sentence")],
            True,
        ),
        (["You have 30 days.", REFUSAL], [supported(0), marked(1, None)], False),
        (["Not sure, but five years."], [marked(0, "supported_without_sentence")], False),
        (["Here is what I found:"], [marked(0, "general")], False),
    ],
)
def test_refused_means_declining_and_claiming_nothing(response, support, is_refusal):
    """A refusal beside a claim is no refusal of the whole; courtesies around it do not matter."""
    assert evaluation(keyed(response), verdict(*support)).refused is is_refusal


BLANK = {
    "one empty text": [""],
    "white space": ["  ", "\n"],
    "no text": [None],
    "no list": None,
}


@pytest.mark.parametrize("documents", BLANK.values(), ids=BLANK)
def test_blank_documents_never_score(documents):
    """A context without text is no trace."""
    with pytest.raises(InvalidTrace, match=r"^documents"):
        evaluate(Trace(QUESTION, documents, "30 days."), judge=FakeJudge())


@pytest.mark.parametrize("response", ["", "  ", "\r\n"])
def test_blank_response_never_scores(response):
    """A response without text is no trace."""
    with pytest.raises(InvalidTrace, match=r"^response is blank"):
        evaluate(Trace(QUESTION, ["30 days."], response), judge=FakeJudge())


def test_response_without_a_sentence_never_scores():
    """If a sentencizer finds nothing in a response, nothing would be unsupported."""

    class Nothing:
        version = "nothing-1"

        def split(self, text: str) -> list[str]:
            return []

    with pytest.raises(InvalidTrace, match=r"^the response has no sentence"):
        evaluate(Trace(QUESTION, ["30 days."], "r"), judge=FakeJudge(), sentencizer=Nothing())


@pytest.mark.parametrize(
    ("response", "adherence", "support"), [("You have 30 days.", 0, 0), (REFUSAL, 1, None)]
)
def test_empty_retrieval_supports_only_a_refusal(response, adherence, support):
    """Where nothing was found, three scores are undefined and a claim has no support."""
    scores = evaluate(Trace(QUESTION, [], response), judge=FakeJudge()).scores
    assert (scores.relevance, scores.utilization, scores.completeness) == (None, None, None)
    assert (scores.adherence, scores.support) == (adherence, support)


def test_document_without_a_word_scores():
    """A stray table row is a document like any other: its shares are numbers or undefined."""
    trace = Trace(QUESTION, ["12 | | —"], "You have 30 days.")
    for length in ("sentence", "token", "character"):
        scores = evaluate(
            trace, judge=FixedJudge(verdict(supported(0, "none"))), length=length
        ).scores
        assert (scores.relevance, scores.completeness, scores.adherence) == (0, None, 0)


def test_identical_documents_have_keys_of_their_own():
    """A text that was retrieved twice counts twice."""
    trace = Trace(QUESTION, ["30 days.", "30 days."], "You have 30 days.")
    found = evaluation(trace, verdict(supported(), relevant=["doc_0_s0"]))
    assert [item.key for item in found.sentences.documents] == ["doc_0_s0", "doc_1_s0"]
    assert found.scores.relevance == 0.5


def test_context_of_one_paragraph_scores():
    """One document of one sentence gives full or empty shares."""
    trace = Trace(QUESTION, ["Laptops can be returned within 30 days."], "You have 30 days.")
    judged = verdict(supported(), relevant=["doc_0_s0"], utilized=["doc_0_s0"])
    assert evaluation(trace, judged).scores.mean == 1.0


def test_long_question_scores():
    """The length of a question changes nothing."""
    question = "How long do I have? " * 100
    found = evaluation(keyed(question=question), verdict(supported(), relevant=["doc_0_s0"]))
    assert found.scores.relevance == 0.25
    assert repr(found) == (
        "<Evaluation of 'How long do I have? How long do I have? How long …' by fixed>"
    )


HOSTILE = "NUL \0, a \ud800 surrogate,\r\nWindows."


def test_hostile_texts_score():
    """Surrogates, NUL and Windows line ends go through every step."""
    trace = Trace(HOSTILE, [Document(HOSTILE, title=HOSTILE)], HOSTILE)
    found = evaluate(trace, judge=FakeJudge())
    assert found.scores.adherence == 1.0
    assert all(item.text in HOSTILE for item in found.sentences.by_key.values())
    assert Evaluation.loads(found.dumps()) == found


@given(judged_traces())
def test_json_round_trip_is_the_identity(judged):
    """An evaluation comes back from its line of ASCII JSON as it was."""
    sentences, given_verdict = judged
    found = evaluation(sentences, given_verdict)
    line = found.dumps()
    assert line.isascii()
    assert "\n" not in line
    assert Evaluation.loads(line) == found
    assert KeyedTrace.from_json(through_json(sentences.to_json())) == sentences


@pytest.mark.parametrize("concurrency", [1, 3])
def test_many_are_evaluated_in_order(concurrency):
    """The evaluations stand in the order of the traces, however many are judged at once."""
    responses = [f"Answer {number}." for number in range(9)]
    traces = [Trace(QUESTION, ["30 days."], response) for response in responses]
    found = evaluate_many(traces, concurrency=concurrency, judge=FakeJudge(), formula="ragbench")
    assert [item.trace.response for item in found] == responses
    assert {item.formula for item in found} == {"ragbench"}


@pytest.mark.parametrize("concurrency", [1, 2])
def test_first_error_ends_many(concurrency):
    """A judge that cannot decide one trace does not hide it."""
    traces = [keyed(["Fine."]), keyed(["This is unclear."])]
    with pytest.raises(JudgeError, match="the fake judge cannot decide"):
        evaluate_many(traces, concurrency=concurrency, judge=FakeJudge())


@pytest.mark.parametrize("concurrency", [0, -1, True, 1.5, "2"])
def test_concurrency_is_a_whole_number(concurrency):
    """Anything else is a ValueError before any trace is judged."""
    with pytest.raises(ValueError, match=r"^concurrency is .*; expected a whole number from 1 on$"):
        evaluate_many([keyed()], concurrency=concurrency, judge=FakeJudge())


def test_default_sentencizer_splits_documents():
    """The default splits what a test of ours gives it sentence by sentence."""
    texts = [" ".join(group) for group in DOCUMENTS]
    found = KeyedTrace.from_trace(Trace(QUESTION, texts, "30 days."), make_sentencizer())
    assert [item.text for item in found.documents] == [
        text for group in DOCUMENTS for text in group
    ]


CONFIG = {"chunk_size": 512, "team": "search"}


@pytest.mark.parametrize(
    ("declared", "own"),
    [(CONFIG, None), (EvaluationConfig.from_json(CONFIG), None), (None, CONFIG), (CONFIG, CONFIG)],
)
def test_what_is_declared_about_retrieval_is_kept(declared, own):
    """By the caller or the trace; it goes through JSON, which has no field for none."""
    trace = Trace(QUESTION, ["It is red."], "Red.", metadata=own and {"evaluation_config": own})
    result = evaluate(trace, judge=FakeJudge(), config=declared)
    assert dict(result.evaluation_config) == CONFIG
    assert result.to_json()["evaluation_config"] == CONFIG
    assert Evaluation.loads(result.dumps()) == result
    without = evaluate(Trace(QUESTION, ["It is red."], "Red."), judge=FakeJudge())
    assert without.evaluation_config is None
    assert "evaluation_config" not in without.to_json()


def test_many_evaluations_have_the_configuration_of_all_and_their_own():
    """What a trace says of itself is added to what is said of all."""
    traces = [
        Trace(QUESTION, ["It is red."], "Red.", metadata={"evaluation_config": {"top_k": count}})
        for count in (3, 5)
    ]
    for concurrency in (1, 2):
        results = evaluate_many(
            traces, judge=FakeJudge(), config={"chunk_size": 512}, concurrency=concurrency
        )
        assert [dict(result.evaluation_config) for result in results] == [
            {"chunk_size": 512, "top_k": 3},
            {"chunk_size": 512, "top_k": 5},
        ]


@pytest.mark.parametrize(
    ("declared", "own", "message"),
    [
        (
            {"chunk_size": 512},
            {"chunk_size": 256},
            "config= says chunk_size 512, but the trace's own evaluation_config says 256",
        ),
        ({"chunk_size": 0}, None, "chunk_size is 0 (int); expected a whole number from 1"),
        (
            None,
            "small chunks",
            (
                "evaluation_config in the trace's metadata: the configuration is 'small chunks' "
                "(str); expected names and values, such as chunk_size and 512"
            ),
        ),
    ],
)
def test_wrong_declarations_are_refused_before_anybody_is_asked(declared, own, message):
    """A judge may cost money."""
    judge = FakeJudge()
    trace = Trace(QUESTION, ["It is red."], "Red.", metadata=own and {"evaluation_config": own})
    with pytest.raises(InvalidConfig) as raised:
        evaluate(trace, judge=judge, config=declared)
    assert (str(raised.value), judge.calls) == (message, 0)


def test_a_running_test_keeps_the_configuration(running_test):
    """It joins the test's rows with the evaluation."""
    evaluate(Trace(QUESTION, ["It is red."], "Red."), config=CONFIG)
    assert dict(running_test.kept[0].evaluation_config) == CONFIG
