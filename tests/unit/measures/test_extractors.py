"""What finds entities, by its spec."""

from __future__ import annotations

import builtins

import pytest

from pytest_trace.errors import MissingExtra, UnknownName
from pytest_trace.measures.extractor_specs import make_extractor
from pytest_trace.measures.extractors import DefaultExtractor


def test_default_extractor_finds_names_numbers_dates_and_amounts():
    """A word at the start of a sentence, a citation and a counted "two" are none."""
    text = "Today Ann Lee of NASA paid 5 % of $20 on 3 May 2024 at 9:30 for 42 in two ways [1]."
    found = [(entity.text, entity.kind) for entity in DefaultExtractor().extract(text)]
    assert found == [
        ("Ann Lee", "name"),
        ("NASA", "name"),
        ("5 %", "amount"),
        ("$20", "amount"),
        ("3 May 2024", "date"),
        ("9:30", "date"),
        ("42", "number"),
    ]


def test_a_text_without_entities_has_none():
    """Nothing is made up."""
    assert DefaultExtractor().extract("It is red, and it stays so.") == []


def test_default_is_the_default():
    """Without a spec no model is needed."""
    assert make_extractor() == make_extractor("default") == DefaultExtractor()


@pytest.mark.parametrize("spec", ["spacy", "spacy:", "spacy: ", "nltk:ne", ""])
def test_unknown_extractors_are_refused(spec):
    """The message lists the known ones."""
    with pytest.raises(UnknownName, match=r"known: default, spacy:MODEL$"):
        make_extractor(spec)


def test_without_spacy_it_says_what_to_install(monkeypatch):
    """Models are no dependency of all users."""
    found = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "spacy":
            raise ImportError(name)
        return found(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'pytest-rag-trace\[spacy\]'$"):
        make_extractor("spacy:en_core_web_sm")
