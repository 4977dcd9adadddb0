"""Entities that a model of spaCy finds; the one module that knows spaCy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_trace.errors import MissingExtra, UnknownName, hide_own_frames
from pytest_trace.language.quantities import quantities
from pytest_trace.measures.extractors import Entity

if TYPE_CHECKING:
    from spacy.language import Language

__tracebackhide__ = hide_own_frames

_VALUES: Final = frozenset({"CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
"""The labels of OntoNotes for what has a value; all others are compared word for word."""


class SpacyExtractor:
    """The entities of a pipeline: a package's name, or the path that it was saved to.

    Raises `MissingExtra` without spaCy, and `UnknownName` for a model that is not there or whose
    pipeline finds no entities.
    """

    def __init__(self, model: str) -> None:
        self._pipeline = _load(model)
        meta = self._pipeline.meta
        self.version = f"spacy:{meta['lang']}_{meta['name']}/{meta['version']}"

    def extract(self, text: str) -> list[Entity]:
        """The entities of a sentence, in order."""
        return [_entity(span.text, span.label_) for span in self._pipeline(text).ents]


def _entity(text: str, label: str) -> Entity:
    """With a value where the label promises one and the text holds exactly one."""
    found = quantities(text) if label in _VALUES else []
    return Entity(text, label, found[0] if len(found) == 1 else None)


def _load(model: str) -> Language:
    try:
        import spacy
    except ImportError as error:
        raise MissingExtra(
            f"the entities of spacy:{model} need spaCy: pip install 'pytest-rag-trace[spacy]'"
        ) from error
    try:
        pipeline = spacy.load(model)
    except OSError as error:  # spaCy's E050, E053 and the like
        installed = ", ".join(spacy.util.get_installed_models()) or "none"
        raise UnknownName(
            f"spaCy has no model {model!r}; installed: {installed}. "
            f"Get it by `python -m spacy download {model}`, or give the path of a saved pipeline"
        ) from error
    finders = [n for n in pipeline.pipe_names if "doc.ents" in pipeline.get_pipe_meta(n).assigns]
    if not finders:
        raise UnknownName(
            f"the spaCy model {model!r} finds no entities: "
            f"its pipeline is {', '.join(pipeline.pipe_names) or 'empty'}"
        )
    return pipeline
