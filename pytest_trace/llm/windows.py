"""Traces that do not fit into the model's window: split by documents, judged, and merged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from pytest_trace.errors import JudgeError, hide_own_frames
from pytest_trace.llm.notes import summed
from pytest_trace.llm.prompt import as_data, render
from pytest_trace.llm.sizes import estimate_tokens, prompt_tokens
from pytest_trace.sentences import KeyedTrace, Sentence
from pytest_trace.verdict import Mark, SentenceSupport, Verdict

__tracebackhide__ = hide_own_frames

_REFUSAL: Final[Mark] = "supported_without_sentence"
_UNNAMED: Final = "no call named a sentence that supports it"


async def judge_in_windows(
    sentences: KeyedTrace, ask: Callable[[KeyedTrace], Awaitable[Verdict]], *, room: int
) -> Verdict:
    """One verdict by as many calls of `ask` as prompts of `room` tokens need.

    Each call sees the question and the whole response. Raises `JudgeError` with the sizes where
    these, or a single document sentence, do not fit.
    """
    windows = split(sentences, room=room)
    if windows == [sentences]:
        return await ask(sentences)
    room_for_documents = room - _base_tokens(sentences, room)
    verdicts = [await ask(window) for window in windows]
    support = tuple(map(_merged_support, zip(*(item.support for item in verdicts), strict=True)))
    left_out = 0
    if not all(item.supported for item in support):
        named = _named(sentences, verdicts, support)
        evidence = set(_fitting(named, room_for_documents))
        left_out = len(named) - len(evidence)
        if evidence:
            kept = tuple(item for item in sentences.documents if item in evidence)
            verdicts.append(await ask(replace(sentences, documents=kept)))
            support = tuple(map(_after_second_look, support, verdicts[-1].support))
    return _merged(verdicts, support, left_out)


def split(sentences: KeyedTrace, *, room: int) -> list[KeyedTrace]:
    """The trace, or parts of its documents, as many as prompts of `room` tokens need.

    Raises `JudgeError` as `judge_in_windows` does.
    """
    if trace_tokens(sentences) <= room:
        return [sentences]
    room_for_documents = room - _base_tokens(sentences, room)
    windows = _packed(_pieces(sentences.documents, room_for_documents), room_for_documents)
    return [replace(sentences, documents=tuple(window)) for window in windows]


def trace_tokens(sentences: KeyedTrace) -> int:
    """What a prompt on `sentences` takes of a window, at most, and always the same."""
    return prompt_tokens(render(sentences, boundary="00000000"))  # digits are counted highest


def _base_tokens(sentences: KeyedTrace, room: int) -> int:
    """What a window takes without any document."""
    base = trace_tokens(replace(sentences, documents=()))
    if base < room:
        return base
    trace = sentences.trace
    asked = len(trace.question) + sum(len(turn.text) for turn in trace.history)
    raise JudgeError(
        f"question and response take about {base} tokens with the instructions, "
        f"and the model's window has room for {room}",
        details=(
            f"response {len(trace.response)} characters",
            f"question and history {asked} characters",
        ),
    )


def _pieces(documents: Iterable[Sentence], room: int) -> Iterator[list[Sentence]]:
    """Whole documents where one fits into `room`, else as much of one as does."""
    for _, group in groupby(documents, key=lambda sentence: sentence.document):
        document = list(group)
        if sum(map(_tokens, document)) <= room:
            yield document
            continue
        for sentence in document:
            _require_fits(sentence, room)
        yield from _packed(([sentence] for sentence in document), room)


def _packed(pieces: Iterable[list[Sentence]], room: int) -> list[list[Sentence]]:
    """The pieces in order, as many together as fit into `room`."""
    windows: list[list[Sentence]] = []
    left = 0
    for piece in pieces:
        tokens = sum(map(_tokens, piece))
        if windows and tokens <= left:
            windows[-1] += piece
            left -= tokens
        else:
            windows.append(list(piece))
            left = room - tokens
    return windows


def _fitting(sentences: Iterable[Sentence], room: int) -> Iterator[Sentence]:
    for sentence in sentences:
        room -= _tokens(sentence)
        if room < 0:
            return
        yield sentence


def _tokens(sentence: Sentence) -> int:
    """What a sentence adds to a prompt, at most: our keys are longer than those of the prompt."""
    lead = f"(under: {sentence.context})[](end)\n\n" if sentence.context else ""
    return estimate_tokens(f"{lead}[{sentence.key}]: {as_data(sentence.text)}\n")


def _require_fits(sentence: Sentence, room: int) -> None:
    tokens = _tokens(sentence)
    if tokens > room:
        raise JudgeError(
            f"the sentence {sentence.key} takes about {tokens} tokens, and the model's window has "
            f"room for {room} beside question and response",
            details=(f"{sentence.key} has {len(sentence.text)} characters",),
        )


def _named(
    sentences: KeyedTrace, verdicts: Iterable[Verdict], support: Iterable[SentenceSupport]
) -> list[Sentence]:
    """What any call named: first what came close to support, then what the response uses."""
    close = {key for item in support if not item.supported for key in item.document_keys}
    used: set[str] = set()
    relevant: set[str] = set()
    for verdict in verdicts:
        used |= verdict.utilized.union(*(item.document_keys for item in verdict.support))
        relevant |= verdict.relevant
    groups = (close, used - close, relevant - used - close)
    return [item for keys in groups for item in sentences.documents if item.key in keys]


def _merged_support(given: Sequence[SentenceSupport]) -> SentenceSupport:
    """What the windows say of one response sentence: supported if one of them supports it.

    A refusal needs all of them, since a single one may hold the answer.
    """
    if backed := [item for item in given if _is_backed(item)]:
        best = min(backed, key=lambda item: item.mark is not None)
        return replace(best, document_keys=_all_keys(i for i in backed if i.mark == best.mark))
    if all(item.supported and item.mark == _REFUSAL for item in given):
        return given[0]
    reasons = [item.reason for item in given if item.reason and not item.supported]
    return SentenceSupport(
        given[0].key,
        supported=False,
        document_keys=_all_keys(given),
        reason=reasons[0] if reasons else _UNNAMED,
    )


def _after_second_look(first: SentenceSupport, second: SentenceSupport) -> SentenceSupport:
    """What the gathered evidence, which may need several sentences together, changes."""
    if first.supported or _is_backed(second):
        return first if first.supported else second
    return replace(
        first,
        document_keys=second.document_keys or first.document_keys,
        reason=first.reason if second.supported else second.reason or first.reason,
    )


def _is_backed(support: SentenceSupport) -> bool:
    """Whether one window is enough to believe it."""
    is_named = bool(support.document_keys) or support.mark is not None
    return support.supported and is_named and support.mark != _REFUSAL


def _all_keys(given: Iterable[SentenceSupport]) -> tuple[str, ...]:
    return tuple(key for item in given for key in item.document_keys)


def _merged(
    verdicts: Sequence[Verdict], support: tuple[SentenceSupport, ...], left_out: int
) -> Verdict:
    notes = [note for verdict in verdicts for note in verdict.notes]
    notes += [f"calls for a long trace: {len(verdicts)}"]
    notes += [f"evidence left out: {left_out}"] if left_out else []
    return Verdict(
        relevant=frozenset().union(*(verdict.relevant for verdict in verdicts)),
        utilized=frozenset().union(*(verdict.utilized for verdict in verdicts)),
        support=support,
        relevance_explanation=_joined(verdict.relevance_explanation for verdict in verdicts),
        support_explanation=_joined(verdict.support_explanation for verdict in verdicts),
        notes=summed(notes),
    )


def _joined(explanations: Iterable[str | None]) -> str | None:
    """What each call said, once."""
    return " ".join(dict.fromkeys(filter(None, explanations))) or None
