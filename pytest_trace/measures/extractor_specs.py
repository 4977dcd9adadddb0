"""From a spec string to an extractor of entities."""

from __future__ import annotations

from pytest_trace.errors import UnknownName, hide_own_frames
from pytest_trace.measures.extractors import DefaultExtractor, EntityExtractor

__tracebackhide__ = hide_own_frames


def make_extractor(spec: str = "default") -> EntityExtractor:
    """The extractor that `spec` stands for: `default`, or `spacy:MODEL`, a name or a path.

    Raises `UnknownName` for any other and for a model that is not there, and `MissingExtra`
    without spaCy.
    """
    if spec == "default":
        return DefaultExtractor()
    kind, _, model = spec.partition(":")
    if kind == "spacy" and model.strip():
        from pytest_trace.measures.spacy_entities import SpacyExtractor

        return SpacyExtractor(model)
    raise UnknownName(f"unknown entity extractor {spec!r}; known: default, spacy:MODEL")
