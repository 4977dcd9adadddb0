"""Measures of retrieval: by hand, by trec_eval, and where they are undefined."""

from __future__ import annotations

import builtins
import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, Success, nDCG
from strategies import through_json

from pytest_trace.errors import MissingExtra
from pytest_trace.measures.retrieval import RetrievalScores, retrieval_report, retrieval_scores
from pytest_trace.measures.trec import NAMES

ids = st.text(max_size=3)
rankings = st.lists(ids, unique=True, max_size=8)
qrels = st.dictionaries(ids, st.integers(0, 3), max_size=6)
ks = st.integers(1, 10)


def values_of(scores):
    return {name: getattr(scores, name) for name in NAMES}


def test_worked_example():
    """Relevant are b, d and e; the ranking has them at 2, 4 and nowhere. By hand, for k = 3."""
    scores = retrieval_scores(["a", "b", "c", "d"], ["b", "d", "e"], k=3)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert values_of(scores) == pytest.approx(
        {
            "hit": 1.0,
            "recall": 1 / 3,  # b of b, d, e
            "precision": 1 / 3,  # b of a, b, c
            "reciprocal_rank": 1 / 2,  # b at rank 2
            "ndcg": (1 / math.log2(3)) / ideal,
            "average_precision": (1 / 2 + 2 / 4) / 3,  # at b and at d
        }
    )


def test_grades_are_the_gains_of_ndcg():
    """A document of grade 3 behind one of grade 1; for the rest any grade above 0 is relevant."""
    scores = retrieval_scores(["a", "b", "c"], {"a": 1, "b": 3, "c": 0}, k=2)
    assert scores.ndcg == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert scores.recall == scores.precision == scores.average_precision == 1.0
    assert scores.relevant == ("a", "b")


def test_chunks_of_one_document_count_once():
    """Three chunks of a relevant document are one document at the rank of the first."""
    scores = retrieval_scores(["x", "a", "a", "a", "b"], ["a", "b"], k=3)
    assert scores.ranking == ("x", "a", "b")
    assert values_of(scores) == pytest.approx(
        values_of(retrieval_scores(["x", "a", "b"], ["a", "b"], k=3))
    )
    assert scores.recall == 1.0
    assert scores.precision == pytest.approx(2 / 3)


def test_nothing_retrieved_scores_0():
    """Retrieval that finds nothing of what is relevant has failed, and that is defined."""
    scores = retrieval_scores([], ["a"], k=5)
    assert values_of(scores) == dict.fromkeys(NAMES, 0.0)


@pytest.mark.parametrize("relevant", [[], {}, {"a": 0}, {"a": -1}])
def test_without_a_relevant_document_nothing_is_defined(relevant):
    """trec_eval says 0 there; a mean over such questions would speak of the labels."""
    scores = retrieval_scores(["a", "b"], relevant, k=5)
    assert values_of(scores) == dict.fromkeys(NAMES)
    assert scores.relevant == ()


@given(rankings, qrels, ks)
def test_values_are_those_of_trec_eval(ranking, grades, k):
    """For any ids and grades; trec_eval gets plain ids, since its strings cannot hold all texts."""
    scores = retrieval_scores(ranking, grades, k=k)
    if not any(grades.values()):
        assert values_of(scores) == dict.fromkeys(NAMES)
        return
    plain = {name: f"d{number}" for number, name in enumerate({*ranking, *grades})}
    run = {plain[name]: 100.0 - rank for rank, name in enumerate(ranking)}
    judged = {plain[name]: grade for name, grade in grades.items()}
    measures = [Success @ k, R @ k, P @ k, RR, nDCG @ k, AP]
    expected = ir_measures.calc_aggregate(measures, {"q": judged}, {"q": run})
    assert list(values_of(scores).values()) == [expected[measure] for measure in measures]


@given(st.lists(ids, max_size=12), qrels, ks)
def test_no_value_exceeds_1(ranking, grades, k):
    """However often an id comes, and that a duplicate changes nothing."""
    scores = retrieval_scores(ranking, grades, k=k)
    assert all(value is None or 0 <= value <= 1 + 1e-12 for value in values_of(scores).values())
    unique = retrieval_scores(list(dict.fromkeys(ranking)), grades, k=k)
    assert values_of(scores) == values_of(unique)


def test_means_are_over_the_questions_that_are_defined():
    """Two questions count; one without judgements and one without a relevant document do not."""
    report = retrieval_report(
        {"1": ["a", "x"], "2": ["x", "b"], "3": ["c"], "4": ["d"]},
        {"1": ["a"], "2": {"b": 1, "c": 1}, "4": {"d": 0}, "5": ["e"]},
        k=1,
    )
    assert (report.scored, report.undefined) == (2, ("3", "4"))
    means = {name: getattr(report, name) for name in ("hit_rate", "recall", "precision", "mrr")}
    assert means == {"hit_rate": 0.5, "recall": 0.5, "precision": 0.5, "mrr": 0.75}
    assert report.ndcg == 0.5
    assert report.map == (1 + 0.5 / 2) / 2
    assert report.by_query["3"].recall is None


def test_report_without_a_defined_question_has_no_means():
    """They are None and not 0, also where there is no question at all."""
    for rankings_, scored in (({}, 0), ({"1": ["a"]}, 0)):
        report = retrieval_report(rankings_, {})
        assert (report.hit_rate, report.map, report.scored) == (None, None, scored)


def test_values_survive_json():
    """Scores come back as they were, and a report names what is undefined."""
    scores = retrieval_scores(["a", "x"], {"a": 2}, k=3)
    assert RetrievalScores.from_json(through_json(scores.to_json())) == scores
    data = through_json(retrieval_report({"1": ["a"], "2": ["b"]}, {"1": ["a"]}, k=3).to_json())
    assert (data["hit_rate"], data["undefined"]) == (1.0, ["2"])
    assert RetrievalScores.from_json(data["by_query"]["1"]).recall == 1.0


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "message"),
    [
        (["a"], ["a"], 0, "k is 0; expected a whole number from 1 on"),
        (["a"], ["a"], True, "k is True; expected"),
        (["a"], ["a"], 1.5, "k is 1.5; expected"),
        ("abc", ["a"], 1, "ids are 'abc'; expected a list of ids"),
        (["a", None], ["a"], 1, "None is no id of a document; expected a str"),
        (["a"], "abc", 1, "relevant_ids is 'abc'; expected a list of ids, or a mapping"),
        (["a"], 3, 1, "relevant_ids is 3; expected"),
        (["a"], [True], 1, "True is no id of a document"),
        (["a"], {"a": "high"}, 1, "the grade of 'a' is 'high'; expected a whole number"),
        (["a"], {"a": 0.5}, 1, "the grade of 'a' is 0.5; expected"),
        (["a"], {"a": math.nan}, 1, "the grade of 'a' is nan; expected"),
    ],
)
def test_what_is_no_id_no_grade_and_no_k_is_refused(retrieved, relevant, k, message):
    """With what came and what was expected."""
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(")):
        retrieval_scores(retrieved, relevant, k=k)


def test_numbers_may_be_ids():
    """They become their text, as `Document.id` does; whole floats are grades, as from a table."""
    assert retrieval_scores([7, "8"], {8: 1.0}, k=2).recall == 1.0


@pytest.mark.parametrize("missing", ["ir_measures", "pytrec_eval"])
def test_without_the_extra_it_says_what_to_install(monkeypatch, missing):
    """They bring numpy and scipy, and are no dependencies of all users."""
    found = builtins.__import__

    def without(name, *args, **kwargs):
        if name == missing:
            raise ImportError(name)
        return found(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'pytest-rag-trace\[retrieval\]'$"):
        retrieval_scores(["a"], ["a"])
