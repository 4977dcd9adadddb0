"""The port every judge implements."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Verdict


@runtime_checkable
class Judge(Protocol):
    """Decides about one trace.

    `kind` names the family ("lexical", "groq"); `version` changes whenever the same trace could
    be judged differently. A judge with a `model` is shown as `kind:model`.
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


def judge_name(judge: Judge) -> str:
    """How a judge is called in tables and messages."""
    model = getattr(judge, "model", None)
    return f"{judge.kind}:{model}" if model else judge.kind
