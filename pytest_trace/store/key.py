"""The key of a verdict: everything that can change it, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pytest_trace.sentences import KeyedTrace, Sentence

_FORMAT = 1


def verdict_key(identity: Mapping[str, Any], sentences: KeyedTrace, *, vote: int = 0) -> str:
    """The sha256, in hex, of the canonical JSON of what a judge sees and how it was set up.

    `identity` is what the judge says of itself: kind, version, model, base URL, sampling
    parameters, prompt version. Thresholds, mark policies and names of tests are not in the key.
    """
    trace = sentences.trace
    content = {
        "format": _FORMAT,
        "judge": dict(identity),
        "vote": vote,
        "sentencizer": sentences.sentencizer,
        "question": trace.question,
        "history": [[turn.role, turn.text] for turn in trace.history],
        "documents": [_content(sentence) for sentence in sentences.documents],
        "response": [_content(sentence) for sentence in sentences.response],
    }
    canonical = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _content(sentence: Sentence) -> list[str | None]:
    return [sentence.key, sentence.text, sentence.context]
