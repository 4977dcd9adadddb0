"""Marks are claims: which of them hold, and what each response sentence is.

A judge may say that a sentence needs no document sentence (`verdict.Mark`). The policy that
checks it is applied after judging, so that a stored verdict serves every policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from pytest_trace.errors import UnknownName
from pytest_trace.language.names import names
from pytest_trace.language.quantities import Quantity, quantities
from pytest_trace.language.refusals import is_refusal
from pytest_trace.language.words import words
from pytest_trace.sentences import KeyedTrace, Sentence
from pytest_trace.verdict import Mark, SentenceSupport, Verdict

MarkPolicy = Literal["default", "strict", "ragbench"]
"""`default` checks each mark, `strict` takes document keys only, `ragbench` takes all as marked."""

Role = Literal["claim", "filler", "refusal"]
"""What a response sentence does. Only claims count in `TraceScores.support`."""


@dataclass(frozen=True, slots=True)
class CheckedSupport:
    """One response sentence after the mark policy.

    `document_keys` are the known ones of those the judge gave. `reason` is the policy's where it
    overruled the judge, else the judge's.
    """

    key: str
    is_supported: bool
    role: Role
    document_keys: tuple[str, ...]
    reason: str | None
    probability: float | None


def check_support(
    sentences: KeyedTrace, verdict: Verdict, marks: MarkPolicy = "default"
) -> tuple[CheckedSupport, ...]:
    """Each response sentence of `verdict` under the policy `marks`, in the response's order."""
    if marks not in get_args(MarkPolicy):
        raise UnknownName(
            f"unknown mark policy {marks!r}; known: {', '.join(get_args(MarkPolicy))}"
        )
    by_key = {support.key: support for support in verdict.support}
    check = _Check(sentences, verdict)
    pairs = [(sentence, by_key[sentence.key]) for sentence in sentences.response]
    if marks == "ragbench":
        return tuple(check.as_marked(support) for _, support in pairs)
    if marks == "strict":
        return tuple(check.by_documents_only(*pair) for pair in pairs)
    return _with_falling_fillers([check.by_default(*pair) for pair in pairs])


_OVERRULED: Mapping[Mark | None, str] = {
    None: "the judge names no document sentence and no mark",
    "supported_without_sentence": "marked supported_without_sentence, but it is no refusal",
    "well_known_fact": "marked well_known_fact: known to the judge is not in the documents",
}


class _Check:
    """The checks of one verdict; the known quantities and names are read once, when needed."""

    def __init__(self, sentences: KeyedTrace, verdict: Verdict) -> None:
        self._sentences = sentences
        self._verdict = verdict

    def as_marked(self, support: SentenceSupport) -> CheckedSupport:
        role: Role = "claim"
        if support.mark == "general" and support.supported:
            role = "filler"
        elif support.mark == "supported_without_sentence":
            role = "refusal"
        return self._checked(support, is_supported=support.supported, role=role)

    def by_documents_only(self, sentence: Sentence, support: SentenceSupport) -> CheckedSupport:
        role: Role = "refusal" if is_refusal(sentence.text) else "claim"
        if support.supported and not self._known(support):
            return self._overruled(support, "no document sentence is named (marks=strict)", role)
        return self._checked(support, is_supported=support.supported, role=role)

    def by_default(self, sentence: Sentence, support: SentenceSupport) -> CheckedSupport:
        is_decline = is_refusal(sentence.text)
        if is_decline or not support.supported:
            role: Role = "refusal" if is_decline else "claim"
            return self._checked(support, is_supported=support.supported, role=role)
        if support.mark == "general":
            return self._general(sentence, support)
        if support.mark == "numerical_reasoning":
            return self._numerical_reasoning(support)
        if support.mark is None and self._known(support):
            return self._checked(support, is_supported=True, role="claim")
        return self._overruled(support, _OVERRULED[support.mark])

    def _general(self, sentence: Sentence, support: SentenceSupport) -> CheckedSupport:
        if not (self._sentences.documents or self._has_refusal):
            return self._overruled(support, "marked general, but there is no document")
        known_quantities, known_words = self._known_content
        text = sentence.text
        new = [item.text for item in quantities(text) if not item.is_among(known_quantities)]
        new += [name for name in names(text) if not known_words.issuperset(words(name))]
        if new:
            return self._overruled(support, f"marked general, but {new[0]!r} is new")
        return self._checked(support, is_supported=True, role="filler")

    def _numerical_reasoning(self, support: SentenceSupport) -> CheckedSupport:
        by_key = self._sentences.by_key
        if any(quantities(by_key[key].text) for key in self._known(support)):
            return self._checked(support, is_supported=True, role="claim")
        return self._overruled(
            support, "marked numerical_reasoning, but no sentence with its operands is named"
        )

    @cached_property
    def _has_refusal(self) -> bool:
        """Whether the response declines to answer somewhere: fillers may stand around that."""
        by_key = self._sentences.by_key
        return any(
            support.supported and is_refusal(by_key[support.key].text)
            for support in self._verdict.support
        )

    @cached_property
    def _known_content(self) -> tuple[tuple[Quantity, ...], frozenset[str]]:
        """Quantities and words of the question, the evidence and the sentences with evidence."""
        by_key = self._sentences.by_key
        texts = [self._sentences.trace.question]
        texts += [sentence.text for sentence in self._sentences.documents]
        texts += [
            by_key[support.key].text
            for support in self._verdict.support
            if support.supported and support.mark is None and self._known(support)
        ]
        return (
            tuple(item for text in texts for item in quantities(text)),
            frozenset(item for text in texts for item in words(text)),
        )

    def _known(self, support: SentenceSupport) -> tuple[str, ...]:
        keys = self._sentences.document_keys
        return tuple(key for key in support.document_keys if key in keys)

    def _checked(
        self, support: SentenceSupport, *, is_supported: bool, role: Role
    ) -> CheckedSupport:
        return CheckedSupport(
            support.key,
            is_supported,
            role,
            self._known(support),
            support.reason,
            support.probability,
        )

    def _overruled(
        self, support: SentenceSupport, reason: str, role: Role = "claim"
    ) -> CheckedSupport:
        return CheckedSupport(
            support.key,
            is_supported=False,
            role=role,
            document_keys=self._known(support),
            reason=reason,
            probability=support.probability,
        )


def _with_falling_fillers(supports: Iterable[CheckedSupport]) -> tuple[CheckedSupport, ...]:
    """A transition or a summary is not better than the claims it leads to or sums up."""
    supports = tuple(supports)
    fallen = [item.key for item in supports if item.role == "claim" and not item.is_supported]
    if not fallen:
        return supports
    reason = f"falls with {', '.join(fallen)}"
    return tuple(
        replace(item, is_supported=False, reason=reason) if item.role == "filler" else item
        for item in supports
    )
