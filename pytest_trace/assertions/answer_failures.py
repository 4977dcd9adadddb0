"""Why an assertion on the triad or on an answer fails, in lines that quote what is at fault."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pytest_trace.explain import (
    WIDTH,
    field_line,
    format_missed,
    quoted_sentences,
    trace_lines,
    wrapped_lines,
)
from pytest_trace.language.words import content_words, words
from pytest_trace.measures.answers import TokenOverlap
from pytest_trace.measures.equivalence import Equivalence
from pytest_trace.measures.triad import unknown_words, vocabulary
from pytest_trace.quoting import fold, quote
from pytest_trace.sentences import KeyedTrace
from pytest_trace.trace import Trace

_MOST_LISTED = 10
_ID_WIDTH = 40
_VALUE_WIDTH = WIDTH - 10


def failure(headline: str, lines: Sequence[str], trace: Trace) -> AssertionError:
    """The error: a headline, what is at fault, and the trace."""
    parts = [*fold(headline, WIDTH, indent="  "), "", *lines]
    return AssertionError("\n".join([*parts, *([""] if lines else []), *trace_lines(trace)]))


def below(name: str, score: float, minimum: float, why: str) -> str:
    """The headline of a score that is too low."""
    return f"{name} {format_missed(score, minimum)} is below {minimum:.10g}: {why}"


def lacking(text: str, texts: Sequence[str], of: str, *, is_repeated: bool) -> str:
    """How many content words of `text` none of `texts` has; a repeated one counts once or each."""
    said = content_words(words(text))
    missing = unknown_words(text, vocabulary(texts))
    if not is_repeated:
        said, missing = list(set(said)), list(set(missing))
    verb = "stands" if len(missing) == 1 else "stand"
    return f"{len(missing)} of {len(said)} content words of the {of} {verb} in no document"


def word_lines(label: str, listed: Sequence[str]) -> Iterator[str]:
    """A label and words behind it; nothing where there is none."""
    more = [f"and {len(listed) - _MOST_LISTED} more"] if len(listed) > _MOST_LISTED else []
    if listed:
        yield from wrapped_lines(label, ", ".join([*listed[:_MOST_LISTED], *more]))


def id_lines(relevant: Collection[str], ids: Sequence[str | None]) -> Iterator[str]:
    """The documents that were to be found, and those that were."""
    yield from word_lines("relevant", [quote(each, _ID_WIDTH) for each in sorted(relevant)])
    shown = ["without id" if each is None else quote(each, _ID_WIDTH) for each in ids]
    yield from word_lines("retrieved", shown or ["nothing"])


def unknown_lines(sentences: KeyedTrace, texts: Sequence[str]) -> Iterator[str]:
    """Each sentence of the response that has content words which no text has, and those words."""
    known = vocabulary(texts)
    found = [(each, unknown_words(each.text, known)) for each in sentences.response]
    at_fault = [(sentence, missing) for sentence, missing in found if missing]
    for sentence, missing in at_fault[:_MOST_LISTED]:
        yield from quoted_sentences([sentence])
        yield from wrapped_lines("  unknown", ", ".join(missing))
    if len(at_fault) > _MOST_LISTED:
        yield f"  and {len(at_fault) - _MOST_LISTED} more with such words"


def overlap_lines(overlap: TokenOverlap, *, count: int) -> Iterator[str]:
    """The nearest of so many references, and the tokens by which the answer differs."""
    label = "reference" if count == 1 else "nearest"
    yield field_line(label, quote(overlap.reference, _VALUE_WIDTH))
    yield from word_lines("missing", overlap.missing)
    yield from word_lines("extra", overlap.extra)


def equivalence_lines(found: Equivalence, *, count: int) -> Iterator[str]:
    """The nearest of so many references, and which of the two does not support the other."""
    label = "reference" if count == 1 else "nearest"
    yield field_line(label, quote(found.reference, _VALUE_WIDTH))
    if not found.is_answer_supported:
        yield from wrapped_lines("extra", "the response says what the reference does not support")
    if not found.is_reference_supported:
        yield from wrapped_lines("missing", "the reference says what the response does not support")
