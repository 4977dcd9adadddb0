"""Entities by a real spaCy pipeline, which a test saves to disk (`make test-compat`)."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy

from pytest_trace import Trace, assert_entity_recall_above, context_use
from pytest_trace.errors import UnknownName
from pytest_trace.measures.extractor_specs import make_extractor

PATTERNS = [
    {"label": "ORG", "pattern": "the Wattlebird company"},
    {"label": "MONEY", "pattern": "4,500 euros"},
    {"label": "DATE", "pattern": "3 May 2024"},
    {"label": "DATE", "pattern": "last week"},
]
TRACE = Trace(
    "When?",
    ["On 3 May 2024 the Wattlebird company paid 4,500 euros. It was last week."],
    "The Wattlebird company paid 4500 EUR.",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline without a network of weights, as `spacy train` would leave one."""
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns(PATTERNS)
    pipeline.meta["name"], pipeline.meta["version"] = "ruler", "1.2.3"
    path = tmp_path_factory.mktemp("models") / "ruler"
    pipeline.to_disk(path)
    return path


def test_entities_are_those_of_the_pipeline(model: Path) -> None:
    """With its labels; dates and money have a value where their text holds one."""
    extractor = make_extractor(f"spacy:{model}")
    found = extractor.extract(TRACE.documents[0].text)
    assert [(entity.text, entity.kind, entity.quantity is not None) for entity in found] == [
        ("3 May 2024", "DATE", True),
        ("the Wattlebird company", "ORG", False),
        ("4,500 euros", "MONEY", True),
        ("last week", "DATE", False),
    ]
    assert extractor.version == "spacy:en_ruler/1.2.3"


def test_recall_compares_names_as_words_and_values_as_values(model: Path) -> None:
    """4,500 euros are 4500 EUR; two of the four entities reach the response."""
    found = assert_entity_recall_above(TRACE, 0.5, entities=f"spacy:{model}")
    assert found.value == 0.5
    report = context_use(TRACE, judge="lexical", entities=f"spacy:{model}")
    assert report.entities.extractor == "spacy:en_ruler/1.2.3"


def test_a_model_that_is_not_there_is_refused() -> None:
    """The message says which are, and how to get it."""
    with pytest.raises(UnknownName, match=r"^spaCy has no model 'xx_none'; installed: .*download"):
        make_extractor("spacy:xx_none")


def test_a_pipeline_that_finds_no_entities_is_refused(tmp_path: Path) -> None:
    """Recall would be undefined for every trace, without a word."""
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path / "blank")
    with pytest.raises(UnknownName, match=r"finds no entities: its pipeline is sentencizer$"):
        make_extractor(f"spacy:{tmp_path / 'blank'}")
