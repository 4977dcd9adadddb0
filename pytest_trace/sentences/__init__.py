"""From a trace to its keyed sentences: doc_0_s0 …, resp_s0 …."""

from pytest_trace.sentences.keyed import KeyedTrace, Sentence
from pytest_trace.sentences.registry import make_sentencizer
from pytest_trace.sentences.sentencizer import Sentencizer, Span

__all__ = ["KeyedTrace", "Sentence", "Sentencizer", "Span", "make_sentencizer"]
