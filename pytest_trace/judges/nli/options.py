"""How an NLI model is asked, and how a spec string says so: `MODEL?policy=lenient&window=3`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args

from pytest_trace.errors import JudgeUnavailable, UnknownName, hide_own_frames

__tracebackhide__ = hide_own_frames

Policy = Literal["strict", "lenient"]
"""`strict`: only what is entailed is supported. `lenient`: only what is contradicted is not."""

_DEVICE: Final = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_SHOWN_OF_COMMIT: Final = 7
_WHOLE_NUMBERS: Final = ("window", "batch_size")


@dataclass(frozen=True, slots=True, kw_only=True)
class NliOptions:
    """Settings of the judge `nli`.

    `threshold` is the probability in (0, 1] from which on a label holds. `window` is the most
    neighbouring sentences in one premise. `revision` is a commit, branch or tag of a model of the
    hub. `batch_size` counts pairs of premise and hypothesis. Raises `UnknownName` for any value
    that cannot be used.
    """

    policy: Policy = "strict"
    threshold: float = 0.5
    window: int = 4
    revision: str | None = None
    device: str = "auto"
    batch_size: int = 32

    def __post_init__(self) -> None:
        if self.policy not in get_args(Policy):
            raise _unusable("policy", self.policy, " or ".join(get_args(Policy)))
        is_number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        if not is_number or not 0.0 < self.threshold <= 1.0:
            raise _unusable("threshold", self.threshold, "a number above 0 and at most 1")
        for name in _WHOLE_NUMBERS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise _unusable(name, value, "a whole number from 1 on")
        if not isinstance(self.device, str) or not _DEVICE.fullmatch(self.device):
            raise _unusable("device", self.device, "auto, cpu, cuda, cuda:NUMBER or mps")
        if self.revision is not None and not self.revision.strip():
            raise _unusable("revision", self.revision, "a commit, branch or tag")

    @property
    def identity(self) -> Mapping[str, Any]:
        """Those that can change a verdict."""
        return {"policy": self.policy, "threshold": float(self.threshold), "window": self.window}

    def shown(self) -> str:
        """Those that can change a verdict and are not the default, as in a spec string."""
        given = {
            name: value
            for name, value in ({"revision": self.revision} | dict(self.identity)).items()
            if value != getattr(_DEFAULTS, name)
        }
        if self.has_commit:
            given["revision"] = given["revision"][:_SHOWN_OF_COMMIT]
        return "&".join(f"{name}={value}" for name, value in given.items())

    @property
    def has_commit(self) -> bool:
        """Whether `revision` is a commit, which says once and for all what the weights are."""
        return self.revision is not None and _COMMIT.fullmatch(self.revision) is not None


_DEFAULTS: Final = NliOptions()


def _unusable(name: str, value: object, expected: str) -> UnknownName:
    return UnknownName(f"{name} is {value!r}; expected {expected}")


def read_spec(text: str) -> tuple[str, NliOptions]:
    """Model and options of what stands behind `nli:` in a spec string.

    Raises `UnknownName` for a spec without a model, and for options that are unknown, given twice
    or cannot be used.
    """
    model, _, query = text.partition("?")
    if not model.strip():
        raise UnknownName("it names no model; write nli:PATH_OR_HUB_ID")
    return model, NliOptions(**_read_query(query))


def _read_query(query: str) -> dict[str, Any]:
    known = [field.name for field in fields(NliOptions)]
    values: dict[str, Any] = {}
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if name not in known:
            raise UnknownName(f"unknown option {name!r}; known: {', '.join(known)}")
        if name in values:
            raise UnknownName(f"{name} is given twice")
        values[name] = _read_value(name, value)
    return values


def _read_value(name: str, value: str) -> str | int | float:
    """The value as its option has it; one that is no number stays as it is, to be refused."""
    try:
        if name in _WHOLE_NUMBERS:
            return int(value)
        return float(value) if name == "threshold" else value
    except ValueError:
        return value


def choose_device(asked: str, *, has_cuda: bool) -> str:
    """The device to run on: the GPU where there is one, unless something else was asked for."""
    if asked == "auto":
        return "cuda" if has_cuda else "cpu"
    if asked.startswith("cuda") and not has_cuda:
        raise JudgeUnavailable(
            f"the judge nli has device={asked}, but torch sees no CUDA device here; use device=auto"
        )
    return asked
