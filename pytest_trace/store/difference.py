"""Why a trace is not recorded: how it differs from the nearest one that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from pytest_trace.quoting import quote
from pytest_trace.sentences import KeyedTrace
from pytest_trace.store.entry import StoredVerdict, documents_digest

_HIDDEN = (
    "question, response, documents and judge are those recorded; the earlier turns, "
    "the sentencizer, or how the response is split is not"
)
_WIDTH = 80
_NEAR = 0.5
_GRAM = 3
_MOST_WORDS = 100


def difference(
    identity: Mapping[str, object],
    sentences: KeyedTrace,
    entries: Sequence[StoredVerdict],
    *,
    vote: int = 0,
) -> Iterator[str]:
    """Lines that tell what changed since the nearest recorded trace was recorded."""
    if not entries:
        yield "nothing is recorded yet"
        return
    nearest = _nearest(identity, sentences, entries, vote)
    if nearest is None:
        yield f"none of the {len(entries)} recorded responses is near to this one"
        return
    lines = list(_differences(identity, sentences, nearest, vote))
    yield from lines or [_HIDDEN]


def _differences(
    identity: Mapping[str, object], sentences: KeyedTrace, then: StoredVerdict, vote: int
) -> Iterator[str]:
    trace = sentences.trace
    yield from _changed_text("question", then.question, trace.question)
    yield from _changed_text("response", then.response, trace.response)
    if then.documents != documents_digest(sentences):
        yield "the documents, or how they are split, differ from those recorded"
    for name in sorted(identity.keys() | then.judge.keys()):
        value, recorded = identity.get(name), then.judge.get(name)
        if value != recorded:
            yield f"the judge's {name} was {recorded!r} and is {value!r}"
    if then.vote != vote:
        yield f"vote {vote + 1} is needed, and vote {then.vote + 1} is recorded"


def _nearest(
    identity: Mapping[str, object],
    sentences: KeyedTrace,
    entries: Sequence[StoredVerdict],
    vote: int,
) -> StoredVerdict | None:
    """The entry that is most like what is asked for, or None where none is like it."""
    trace = sentences.trace
    documents, grams = documents_digest(sentences), _grams(trace.response)

    def alike(entry: StoredVerdict) -> float:
        if entry.response == trace.response:
            return 1.0
        return _overlap(_grams(entry.response), grams)

    def likeness(entry: StoredVerdict) -> float:
        return (
            alike(entry)
            + 0.5 * (entry.question == trace.question)
            + 0.1 * (entry.documents == documents)
            + 0.1 * (dict(entry.judge) == dict(identity))
            + 0.1 * (entry.vote == vote)
        )

    # Where only the judge changed there is an equal one for each trace, which is found quickly.
    texts = (trace.question, trace.response)
    equal = [entry for entry in entries if (entry.question, entry.response) == texts]
    nearest = max(equal or entries, key=likeness)
    is_near = alike(nearest) >= _NEAR or nearest.question == trace.question != ""
    return nearest if is_near else None


def _grams(text: str) -> frozenset[str]:
    """Runs of a few characters: alike in any script, and unlike where texts only share letters."""
    plain = " ".join(text.casefold().split())
    return frozenset(plain[i : i + _GRAM] for i in range(max(1, len(plain) - _GRAM + 1)))


def _overlap(some: frozenset[str], others: frozenset[str]) -> float:
    return 2 * len(some & others) / (len(some) + len(others))


def _changed_text(name: str, then: str, now: str) -> Iterator[str]:
    if then == now:
        return
    old, new = then.split(), now.split()
    if old == new:
        yield f"the {name} differs from the one recorded in white space"
        return
    yield f"recorded {name} {quote(then, _WIDTH)}"
    yield f"{name} now      {quote(now, _WIDTH)}"
    removed, added = _first_change(old, new)
    half = _WIDTH // 2
    yield f"first change      {quote(removed, half)} -> {quote(added, half)}"


def _first_change(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """The first words that were taken out and put in."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    old, new = old[start : start + _MOST_WORDS], new[start : start + _MOST_WORDS]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    _, i1, i2, j1, j2 = next(code for code in codes if code[0] != "equal")
    return " ".join(old[i1:i2]), " ".join(new[j1:j2])
