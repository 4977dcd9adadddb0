"""The port every judge implements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Verdict


@runtime_checkable
class Judge(Protocol):
    """Decides about one trace.

    `kind` names the family ("lexical", "groq"); `version` changes whenever the same trace could
    be judged differently. A judge with a `model` is shown as `kind:model`. What else can change its
    verdicts stands in a mapping `identity`. A judge with `is_free = True` is asked anew each time,
    any other is stored.
    """

    @property
    def kind(self) -> str:
        """The family, as in a spec string."""
        ...

    @property
    def version(self) -> str:
        """Changes with anything that can change a verdict."""
        ...

    def judge(self, sentences: KeyedTrace) -> Verdict:
        """One verdict on `sentences`; raises `JudgeError` where it cannot decide."""
        ...


class AsyncJudge(Protocol):
    """A judge that is awaited: `ajudge` in place of `judge`, or beside it, and else like `Judge`.

    `ajudge` runs on an event loop of this package's own, whoever asks: what belongs to a loop, such
    as the client of a server, can be kept from trace to trace. Of a judge that has both, it is
    called for whoever awaits the evaluation.
    """

    @property
    def kind(self) -> str:
        """The family, as in a spec string."""
        ...

    @property
    def version(self) -> str:
        """Changes with anything that can change a verdict."""
        ...

    async def ajudge(self, sentences: KeyedTrace) -> Verdict:
        """One verdict on `sentences`; raises `JudgeError` where it cannot decide."""
        ...


AnyJudge = Judge | AsyncJudge


def judge_identity(judge: Judge) -> Mapping[str, Any]:
    """Everything a judge says of itself that can change its verdicts, for the key of a verdict."""
    model = getattr(judge, "model", None)
    own = {"kind": judge.kind, "version": judge.version} | ({"model": model} if model else {})
    return own | dict(getattr(judge, "identity", {}))


def is_free(judge: Judge) -> bool:
    """Whether asking it again is cheaper than looking its verdict up: it says so itself."""
    return bool(getattr(judge, "is_free", False))


def judge_name(judge: Judge) -> str:
    """How a judge is called in tables and messages."""
    model = getattr(judge, "model", None)
    return f"{judge.kind}:{model}" if model else judge.kind
