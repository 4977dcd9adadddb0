"""From what a model replied to a verdict; the one module that imports pydantic."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ValidationError

from pytest_trace.llm.notes import counted
from pytest_trace.llm.prompt import Prompt
from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import MARKS, Mark, SentenceSupport, Verdict

_MOST_OBJECTS: Final = 1_000  # that are looked at; a reply is no place for more
_MOST_FAULTS: Final = 3
_MOST_MISSING: Final = 20
_NEAR_END: Final = 6  # characters: as long as what JSON reads at once, "false" or "\u00e4"

_TRUE: Final = frozenset({"true", "yes", "y", "1"})
_FALSE: Final = frozenset({"false", "no", "n", "0", "partially", "partly", "partial"})
_MARK_BY_LETTERS: Final[dict[str, Mark]] = {mark.replace("_", ""): mark for mark in MARKS}
_AROUND_KEY: Final = " \t\r\n.,:;'\"`*()[]{}<>【】「」"
_DASHES: Final = re.compile("[\u2010-\u2015\u2212]")
_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DECODER: Final = json.JSONDecoder(strict=False)  # models put line ends into strings


class RefusedReply(Exception):  # noqa: N818 - named like the other errors of this package
    """A reply that is no verdict. `reason` quotes nothing of it, so that it can go back."""

    def __init__(self, reason: str, *, is_truncated: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_truncated = is_truncated


def _flag(value: object) -> bool:
    text = str(value).strip(" \t\r\n.,;!'\"*").casefold() if value is not None else ""
    if text in _TRUE or value == 1:
        return True
    if text in _FALSE or value == 0:
        return False
    raise ValueError("expected true or false")


def _keys(value: object) -> object:
    if value is None:
        return []
    return value.replace(";", ",").split(",") if isinstance(value, str) else value


def _text(value: object) -> object:
    if value is None:
        return ""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value


_Flag = Annotated[bool, BeforeValidator(_flag)]
_Text = Annotated[str, BeforeValidator(_text)]
_Keys = Annotated[list[_Text], BeforeValidator(_keys)]


class _SupportReply(BaseModel):
    response_sentence_key: _Text
    explanation: _Text
    supporting_sentence_keys: _Keys
    fully_supported: _Flag


class _VerdictReply(BaseModel):
    relevance_explanation: _Text
    all_relevant_sentence_keys: _Keys
    overall_supported_explanation: _Text
    overall_supported: _Flag
    sentence_support_information: list[_SupportReply]
    all_utilized_sentence_keys: _Keys


def read_reply(text: str, prompt: Prompt, sentences: KeyedTrace) -> Verdict:
    """The verdict in `text`, the reply to `prompt`; what was odd but clear becomes a note.

    Raises `RefusedReply` where it is cut off, is no JSON, lacks a field or a response sentence,
    or contradicts itself.
    """
    return _Reader(prompt).read(_checked(_find_object(text)), sentences)


def _find_object(text: str) -> dict[str, Any]:
    """The one JSON object with our fields; whatever stands around it is left aside."""
    found: list[dict[str, Any]] = []
    is_truncated = False
    for item in _objects(text):
        if isinstance(item, ValueError):
            is_truncated = is_truncated or _ends_early(item)
        elif item not in found:
            found.append(item)
    whole = [item for item in found if _is_whole(item)]
    if len(whole) > 1:
        raise RefusedReply("it holds several JSON objects that differ")
    if whole or (found and not is_truncated):
        return (whole or found)[0]
    if is_truncated:
        raise RefusedReply("its JSON is cut off", is_truncated=True)
    raise RefusedReply("it holds no JSON object with the fields asked for")


def _objects(text: str) -> Iterator[dict[str, Any] | ValueError]:
    """The objects in `text` with a field of ours, and the errors where one does not end well."""
    start = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            return
        end = start + 1
        try:
            item, after = _DECODER.raw_decode(text, start)
        except ValueError as error:
            yield error
        except RecursionError:
            raise RefusedReply("its JSON is nested too deeply") from None
        else:
            if item.keys() & _VerdictReply.model_fields.keys():
                yield item
                end = after if _is_whole(item) else end
        start = text.find("{", end)


def _is_whole(item: dict[str, Any]) -> bool:
    return item.keys() >= _VerdictReply.model_fields.keys()


def _ends_early(error: ValueError) -> bool:
    """Whether JSON goes wrong only because the text ends."""
    if not isinstance(error, json.JSONDecodeError):  # a number with thousands of digits
        return False
    is_at_end = error.pos >= len(error.doc.rstrip("` \t\r\n")) - _NEAR_END
    return is_at_end or error.msg.startswith("Unterminated string")


def _checked(data: dict[str, Any]) -> _VerdictReply:
    try:
        return _VerdictReply.model_validate(data)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        told = [_fault(item["loc"], item["msg"]) for item in faults[:_MOST_FAULTS]]
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        raise RefusedReply("; ".join([*told, *more])) from None


def _fault(location: Iterable[str | int], message: str) -> str:
    name = ".".join(map(str, location))
    if message == "Field required":
        return f"it lacks {name}"
    return f"{name}: {message.removeprefix('Value error, ')}"


class _Reader:
    """Reads one reply and counts what was odd."""

    def __init__(self, prompt: Prompt) -> None:
        self._document_keys = prompt.document_keys
        self._response_keys = prompt.response_keys
        self._odd: Counter[str] = Counter()

    def read(self, reply: _VerdictReply, sentences: KeyedTrace) -> Verdict:
        given = self._by_key(reply.sentence_support_information)
        self._require_all(given)
        support = tuple(given[sentence.key] for sentence in sentences.response)
        relevant = self._known(reply.all_relevant_sentence_keys)
        utilized = self._known(reply.all_utilized_sentence_keys)
        if reply.overall_supported != all(item.supported for item in support):
            self._odd["overall_supported against the sentences"] += 1
        return Verdict(
            relevant=frozenset(relevant),
            utilized=frozenset(utilized),
            support=support,
            relevance_explanation=reply.relevance_explanation or None,
            support_explanation=reply.overall_supported_explanation or None,
            notes=counted(self._odd),
        )

    def _by_key(self, replies: Iterable[_SupportReply]) -> dict[str, SentenceSupport]:
        given: dict[str, SentenceSupport] = {}
        for reply in replies:
            short = _normal(reply.response_sentence_key)
            key = self._response_keys.get(short)
            if key is None:
                self._odd["unknown response sentences dropped"] += 1
                continue
            support = self._support(key, reply)
            if key in given:
                support = self._same(short, given[key], support)
            given[key] = support
        for support in given.values():
            self._note_evidence(support)
        return given

    def _support(self, key: str, reply: _SupportReply) -> SentenceSupport:
        named = reply.supporting_sentence_keys
        marks = [mark for name in named if (mark := _mark(name))]
        keys = self._known(name for name in named if not _mark(name))
        mark = marks[0] if marks else None
        return SentenceSupport(
            key, reply.fully_supported, tuple(keys), mark, reply.explanation or None
        )

    def _same(self, short: str, first: SentenceSupport, second: SentenceSupport) -> SentenceSupport:
        """One support out of two that agree."""
        if first.supported != second.supported:
            raise RefusedReply(f"it decides differently on the response sentence {short} twice")
        self._odd["response sentences given twice"] += 1
        keys = (*first.document_keys, *second.document_keys)
        mark = first.mark or second.mark
        return SentenceSupport(first.key, first.supported, keys, mark, first.reason)

    def _note_evidence(self, support: SentenceSupport) -> None:
        if support.supported and not (support.document_keys or support.mark):
            self._odd["supported without a key or mark"] += 1
        if support.document_keys and not support.supported:
            self._odd["unsupported, but with keys"] += 1

    def _require_all(self, given: Iterable[str]) -> None:
        there = set(given)
        missing = [short for short, key in self._response_keys.items() if key not in there]
        if missing:
            more = ", …" if len(missing) > _MOST_MISSING else ""
            shown = ", ".join(missing[:_MOST_MISSING])
            raise RefusedReply(f"it lacks the response sentences {shown}{more}")

    def _known(self, names: Iterable[str]) -> list[str]:
        """The keys of the trace, each once; the others are counted."""
        shorts = [short for name in names if (short := _normal(name))]
        known = [self._document_keys[short] for short in shorts if short in self._document_keys]
        self._odd["unknown keys dropped"] += len(shorts) - len(known)
        self._odd["keys named twice"] += len(known) - len(set(known))
        return list(dict.fromkeys(known))


def _normal(name: str) -> str:
    """A key as models write it, ` [0A]. `, as we wrote it."""
    return "".join(_DASHES.sub("-", name).strip(_AROUND_KEY).split()).casefold()


def _mark(name: str) -> Mark | None:
    return _MARK_BY_LETTERS.get(_BETWEEN_WORDS.sub("", _normal(name)))
