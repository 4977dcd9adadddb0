"""Why a trace is not recorded: how it differs from the nearest one that is."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

from pytest_trace.quoting import quote
from pytest_trace.sentences import KeyedTrace
from pytest_trace.store.entry import StoredVerdict, documents_digest

_WIDTH = 80
_NEAR = 0.5


def difference(
    identity: Mapping[str, object], sentences: KeyedTrace, entries: Sequence[StoredVerdict]
) -> Iterator[str]:
    """Lines that tell what changed since the nearest recorded trace was recorded."""
    if not entries:
        yield "nothing is recorded yet"
        return
    nearest = max(entries, key=lambda entry: _likeness(identity, sentences, entry))
    trace = sentences.trace
    if _likeness(identity, sentences, nearest) < _NEAR:
        yield f"none of the {len(entries)} recorded responses is near to this one"
        return
    if nearest.question != trace.question:
        yield f"recorded question {quote(nearest.question, _WIDTH)}"
        yield f"question now      {quote(trace.question, _WIDTH)}"
    if nearest.response != trace.response:
        yield f"recorded response {quote(nearest.response, _WIDTH)}"
        yield f"response now      {quote(trace.response, _WIDTH)}"
        yield from _changed_words(nearest.response, trace.response)
    if nearest.documents != documents_digest(sentences):
        yield "the documents, or how they are split, differ from those recorded"
    for name in sorted(identity.keys() | nearest.judge.keys()):
        now, then = identity.get(name), nearest.judge.get(name)
        if now != then:
            yield f"the judge's {name} was {then!r} and is {now!r}"


def _likeness(identity: Mapping[str, object], sentences: KeyedTrace, entry: StoredVerdict) -> float:
    """From 0 to about 2: how alike the responses are, a little more for an equal question."""
    trace = sentences.trace
    matcher = difflib.SequenceMatcher(None, entry.response, trace.response, autojunk=False)
    alike = 1.0 if entry.response == trace.response else matcher.quick_ratio()
    return (
        alike
        + 0.5 * (entry.question == trace.question)
        + 0.1 * (entry.documents == documents_digest(sentences))
        + 0.1 * (dict(entry.judge) == dict(identity))
    )


def _changed_words(then: str, now: str) -> Iterator[str]:
    """The first words that were taken out and put in."""
    old, new = then.split(), now.split()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            removed, added = " ".join(old[i1:i2]), " ".join(new[j1:j2])
            half = _WIDTH // 2
            yield f"first change      {quote(removed, half)} -> {quote(added, half)}"
            return
