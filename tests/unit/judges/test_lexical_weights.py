"""The fitted weights of the embedded judge, and the features that they are for."""

import json
import math

import pytest

from pytest_trace.judges.lexical_features import (
    RelevanceFeatures,
    SupportFeatures,
    UtilizationFeatures,
    relevance_features,
    support_features,
    utilization_features,
)
from pytest_trace.judges.lexical_matching import match
from pytest_trace.judges.lexical_sentences import Evidence, ReadSentence
from pytest_trace.judges.lexical_weights import FILE, LinearModel, lexical_weights
from pytest_trace.sentences.keyed import Sentence

DOCUMENTS = [
    ["Opened software cannot be returned.", "The shop in Berlin closes early."],
    ["Software is opened in Berlin.", "Parrots sing."],
]


def evidence(documents=DOCUMENTS):
    return Evidence(
        [
            Sentence(f"doc_{number}_s{place}", text, number, 0, len(text))
            for number, texts in enumerate(documents)
            for place, text in enumerate(texts)
        ]
    )


def features_of(*claims, documents=DOCUMENTS, question="Can opened software be returned?"):
    found = evidence(documents)
    read = [ReadSentence(claim) for claim in claims]
    matches = [match(claim, found) for claim in read]
    return support_features(read, matches, found, ReadSentence(question))


def test_the_file_says_what_it_was_fitted_to():
    """Version, date, data and licences stand beside the weights."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    assert data["version"] == 2
    assert data["date"]
    assert all(item["name"] and item["licence"] for item in data["data"])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("support", SupportFeatures),
        ("relevance", RelevanceFeatures),
        ("answer", UtilizationFeatures),
        ("utilization", UtilizationFeatures),
    ],
)
def test_each_feature_has_a_weight(name, kind):
    """The file names the features of the code, no fewer and no more."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    assert tuple(data[name]["weights"]) == kind._fields
    model = getattr(lexical_weights(), name)
    assert len(model.weights) == len(kind._fields)
    assert 0.0 < model.threshold < 1.0


def test_more_overlap_never_makes_a_claim_less_supported():
    """What a claim shares with the documents counts for it."""
    weights = dict(zip(SupportFeatures._fields, lexical_weights().support.weights, strict=True))
    assert weights.pop("claims") < 0
    assert all(weight > 0 for weight in weights.values())


def test_what_an_answer_takes_up_never_makes_a_sentence_less_relevant():
    """What the response has of a sentence counts for it."""
    assert all(weight > 0 for weight in lexical_weights().answer.weights)


def test_a_model_is_logistic():
    """The probability is that of the log-odds bias + weights · features."""
    model = LinearModel(weights=(2.0, -1.0), bias=0.5, threshold=0.5)
    first, second = model.probabilities([(1.0, 0.5), (0.0, 0.5)])
    assert first == pytest.approx(1 / (1 + math.exp(-2.0)))
    assert second == 0.5
    assert model.probabilities([]) == []


def test_a_copied_claim():
    """A copied sentence is covered whole, as one run, and has the words of the question."""
    (copied,) = features_of(DOCUMENTS[0][0])
    assert copied.covered == copied.pairs == copied.copied == pytest.approx(1.0)
    assert copied.asked == 1.0
    assert copied.agreeing == pytest.approx(2 / 3)  # "opened" and "software" in the other document
    assert copied.claims == pytest.approx(math.log(2))


def test_words_in_another_order():
    """Turned around, a claim is covered as much, and its runs and pairs are shorter."""
    turned = features_of("Returned software cannot be opened.")[0]
    assert turned.covered == pytest.approx(1.0)
    assert turned.copied < 1.0
    assert turned.pairs < 1.0


def test_what_a_trace_lacks_is_neither_good_nor_bad():
    """Without a question, or a second document, those features have a middle value."""
    (alone,) = features_of("Parrots sing.", documents=[["Parrots sing."]], question="")
    assert 0.0 < alone.asked < 1.0
    assert 0.0 < alone.agreeing < 1.0
    assert features_of() == []


def test_the_features_of_relevance_need_no_response():
    """The sentence with the question's words is most like them, one about birds not at all."""
    found = evidence()
    features = relevance_features(ReadSentence("Can opened software be returned?"), found)
    alike = [each.alike for each in features]
    assert alike[0] == max(alike)
    assert alike[3] == 0.0


def test_utilization_knows_the_neighbours():
    """A sentence beside one that was taken up is nearer to it than others."""
    features = utilization_features([ReadSentence(DOCUMENTS[0][0])], evidence())
    assert features[0].taken == pytest.approx(1.0)
    assert features[0].given == features[0].alike == 1.0
    assert features[1].before == features[0].taken
    assert features[0].after == features[1].taken
    assert features[0].before == 0.0
