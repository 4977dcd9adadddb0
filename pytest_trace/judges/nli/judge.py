"""The judge `nli`: an entailment model of transformers, on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pytest_trace.errors import UnknownName, hide_own_frames
from pytest_trace.judges.lexical import LexicalJudge
from pytest_trace.judges.nli.judging import Judged, claims_of, combined, judge_claims, judge_words
from pytest_trace.judges.nli.loading import load
from pytest_trace.judges.nli.options import NliOptions, Policy, read_spec
from pytest_trace.judges.nli.source import find_source
from pytest_trace.sentences import KeyedTrace
from pytest_trace.verdict import Verdict

__tracebackhide__ = hide_own_frames

_READING_VERSION: Final = "1"
"""Changes when the same probabilities would be read as another verdict."""


class NliJudge:
    """Judges by a sequence-classification model of transformers that was fitted to NLI.

    `model` is a folder (a relative one starts at the working directory, or at `root`) or an id of
    the hub, there at `revision` if that is given. Each response sentence is a hypothesis, document
    sentences and runs of up to `window` neighbours are its premises. `policy="strict"` supports
    what is entailed with a probability of at least `threshold`; `policy="lenient"` all but what is
    contradicted so. `device` is auto, cpu, cuda, cuda:NUMBER or mps.

    Such a model knows nothing of relevance: relevance, utilization and refusals are those of the
    judge `lexical`, and sentences that entail something are utilized too.

    Raises `UnknownName` for settings that cannot be used and for a folder that is not there. The
    model is loaded with the first trace, once for a process; that raises `JudgeUnavailable`.
    """

    kind: Final = "nli"

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        policy: Policy = "strict",
        threshold: float = 0.5,
        window: int = 4,
        revision: str | None = None,
        device: str = "auto",
        batch_size: int = 32,
        root: Path | None = None,
    ) -> None:
        self._options = NliOptions(
            policy=policy,
            threshold=threshold,
            window=window,
            revision=revision,
            device=device,
            batch_size=batch_size,
        )
        self._source = find_source(os.fspath(model), self._options, root)

    @property
    def version(self) -> str:
        """Changes with how this judge reads, and with the lexical judge beside it."""
        return f"{_READING_VERSION}.{LexicalJudge().version}"

    @property
    def model(self) -> str:
        """Folder or hub id, with the options that are not the default: as in a spec string."""
        options = self._options.shown()
        return f"{self._source.name}?{options}" if options else self._source.name

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that can change a verdict: the weights by their digest or commit."""
        return {
            "model": self._source.label,
            "weights": self._source.weights(),
            **self._options.identity,
        }

    def judge(self, sentences: KeyedTrace) -> Verdict:
        """One verdict; raises `JudgeUnavailable` without the model, `JudgeError` if it fails."""
        by_words = judge_words(sentences)
        claims = claims_of(sentences, by_words)
        if not claims:
            return combined(by_words, Judged())
        classifier = load(self._source, self._options.device)
        return combined(
            by_words, judge_claims(claims, sentences.documents, classifier, self._options)
        )


def make_nli_judge(text: str, root: Path | None = None) -> NliJudge:
    """The judge of what stands behind `nli:` in a spec string; raises `UnknownName` naming it."""
    try:
        model, options = read_spec(text)
        return NliJudge(model, root=root, **asdict(options))
    except UnknownName as error:
        spec = f"{NliJudge.kind}:{text}"
        raise UnknownName(f"judge {spec!r}: {error}") from None
