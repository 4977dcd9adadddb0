"""From probabilities to support: policies, evidence, reasons."""

from __future__ import annotations

import pytest

from pytest_trace.judges.nli.claims import Reading, closer_premises, decide, evidence_keys
from pytest_trace.judges.nli.options import NliOptions
from pytest_trace.judges.nli.windows import Premise, Premises
from pytest_trace.sentences import Sentence

STRICT, LENIENT = NliOptions(), NliOptions(policy="lenient")


def reading(keys, entailment=0.05, contradiction=0.05):
    """Of the sentences with these letters as keys."""
    return Reading(Premise(tuple(keys), " ".join(keys)), entailment, contradiction)


def premises(keys):
    sentences = [Sentence(key, f"{key} sentence", 0, 0, 10) for key in keys]
    return Premises(sentences, 100, lambda texts: [len(text.split()) for text in texts])


def test_an_entailed_claim_is_supported_by_the_sentences_that_entail_it():
    """All that do so alone, the surest first, and no others."""
    readings = [reading("a", 0.6), reading("b"), reading("c", 0.93), reading("abc", 0.97)]
    support = decide("resp_s0", readings, STRICT)
    assert support.supported
    assert support.document_keys == ("c", "a")
    assert support.reason == "entailed .93 by c"
    assert support.probability == 0.97


def test_three_sentences_are_evidence_enough():
    """A statement that stands everywhere does not make everything evidence."""
    readings = [reading(key, 0.9) for key in "abcdef"]
    assert decide("resp_s0", readings, STRICT).document_keys == ("a", "b", "c")


def test_where_none_does_so_alone_the_shortest_run_is_the_evidence():
    """Of equally short ones that of the highest probability."""
    readings = [
        reading("a", 0.3),
        reading("abcd", 0.99),
        reading("ab", 0.7),
        reading("bc", 0.8),
    ]
    support = decide("resp_s0", readings, STRICT)
    assert support.document_keys == ("b", "c")
    assert support.reason == "entailed .80 by b and c"
    assert evidence_keys(readings, 0.5) == ["b", "c"]


def test_the_threshold_is_inclusive():
    """A probability of exactly the threshold is enough, one below it is not, and reads so."""
    options = NliOptions(threshold=0.8)
    assert decide("resp_s0", [reading("a", 0.8)], options).supported
    support = decide("resp_s0", [reading("a", 0.7999)], options)
    assert not support.supported
    assert support.reason == "no sentence entails it: best .79 by a"
    assert support.probability == 0.7999


def test_a_contradicted_claim_names_what_contradicts_it():
    """The sentence, and not the longer run that holds it."""
    readings = [reading("a", 0.1, 0.6), reading("b", 0.3, 0.88), reading("ab", 0.1, 0.95)]
    for options in (STRICT, LENIENT):
        support = decide("resp_s0", readings, options)
        assert not support.supported
        assert support.document_keys == ("b",)
        assert support.reason == "contradicted .88 by b"


def test_entailment_outweighs_contradiction_elsewhere():
    """Another sentence may be about something else; the reason tells of it."""
    readings = [reading("a", 0.9), reading("b", 0.01, 0.97)]
    for options in (STRICT, LENIENT):
        support = decide("resp_s0", readings, options)
        assert support.supported
        assert support.document_keys == ("a",)
        assert support.reason == "entailed .90 by a, though contradicted .97 by b"


def test_what_is_neither_is_a_matter_of_policy():
    """Strict: only entailment supports. Lenient: only contradiction does not."""
    readings = [reading("a", 0.1, 0.3), reading("b", 0.21, 0.2), reading("ab", 0.25, 0.1)]
    strict, lenient = (decide("resp_s0", readings, options) for options in (STRICT, LENIENT))
    assert (strict.supported, strict.document_keys) == (False, ("b",))
    assert strict.reason == "no sentence entails it: best .21 by b"
    assert strict.probability == 0.25
    assert (lenient.supported, lenient.document_keys) == (True, ("b",))
    assert lenient.reason == f"{strict.reason}; none contradicts it (policy=lenient)"
    assert lenient.probability == pytest.approx(0.7)
    assert evidence_keys(readings, 0.5) == []


def test_a_claim_that_one_sentence_entails_needs_no_second_look():
    """Nothing closer can be found."""
    assert closer_premises([reading("a", 0.9), reading("b")], premises("ab"), 0.5) == []


def test_the_run_that_entails_a_claim_is_looked_at_in_parts():
    """Pairs and triples of the run that are not yet read, so that less is named as evidence."""
    readings = [*map(reading, "abcd"), reading("bc"), reading("abcd", 0.9)]
    found = closer_premises(readings, premises("abcd"), 0.5)
    assert ["".join(premise.keys) for premise in found] == ["ab", "cd", "abc", "bcd"]


def test_the_closest_sentences_are_put_together_where_nothing_entails():
    """They need not be neighbours, and stand in the order of the documents."""
    readings = [reading(key, p) for key, p in zip("abcde", (0.4, 0.1, 0.2, 0.01, 0.3), strict=True)]
    found = closer_premises(readings, premises("abcde"), 0.5)
    assert ["".join(premise.keys) for premise in found] == ["ace"]


def test_what_was_read_is_not_read_again():
    """The closest sentences may be a run that is known, and a single sentence is no more."""
    readings = [*map(reading, "abc"), reading("abc")]
    assert closer_premises(readings, premises("abc"), 0.5) == []
    assert closer_premises([reading("a")], premises("a"), 0.5) == []
