"""Every error this package raises on purpose.

    RagTraceError
    ├── InvalidTrace (ValueError)      a trace that must not be scored: it names the field
    ├── InvalidVerdict (ValueError)    a stored or hand-made verdict that does not fit its trace
    ├── InvalidCase (ValueError)       a row of a cases file: it names the line and the field
    ├── InvalidConfig (ValueError)     a configuration of retrieval: it names the field
    ├── UnknownName (ValueError)       a name that stands for nothing: it lists the known ones
    ├── MissingExtra (ImportError)     an optional dependency is absent: it names the extra
    ├── InvalidRecording (ValueError)  a recording with a line that is none: it names the line
    └── JudgeError                     the judge could not decide: never a score, never a failure
        ├── JudgeUnavailable           it cannot be reached or may not be used
        │   └── MissingKey             it needs a key, and there is none
        ├── JudgeTimeout               it did not answer in time
        ├── JudgeReplyError            it answered, but not with a verdict
        ├── BudgetExceeded             asking would exceed a limit of this run
        └── NotRecorded                offline, and nothing is recorded for this trace

A JudgeError is no AssertionError: a test that meets one is reported as an error.

Warnings are of a tree of their own:

    RagTraceWarning (UserWarning)
    ├── SkippedRows    rows of a cases file were left out, as was asked for: it names them
    └── MixedResults   a mean is over results that do not compare: it says how they differ
"""


class RagTraceError(Exception):
    """The root of the tree."""


class InvalidTrace(RagTraceError, ValueError):
    """A trace that must never be scored; the message names the field."""


class InvalidVerdict(RagTraceError, ValueError):
    """A verdict, or its JSON, that is not one."""


class InvalidCase(RagTraceError, ValueError):
    """A row of a cases file that cannot be read; the message names line and field."""


class InvalidConfig(RagTraceError, ValueError):
    """A configuration of retrieval that is none; the message names the field."""


class InvalidRecording(RagTraceError, ValueError):
    """A recording that cannot be read; the message names the line."""


class UnknownName(RagTraceError, ValueError):
    """A name that stands for nothing; the message lists what is known."""


class MissingExtra(RagTraceError, ImportError):
    """An optional dependency is not installed; the message says what to install."""


class JudgeError(RagTraceError):
    """The judge could not decide. `details` are further lines: model, prompt size, reply."""

    def __init__(self, message: str, *, details: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.details = details

    def __str__(self) -> str:
        return "\n".join((str(self.args[0]), *(f"  {line}" for line in self.details)))


class JudgeUnavailable(JudgeError):
    """The judge cannot be reached, or may not be used."""


class MissingKey(JudgeUnavailable):
    """The judge needs an API key and there is none; what is stored can still be used."""


class JudgeTimeout(JudgeError):
    """The judge did not answer in time."""


class JudgeReplyError(JudgeError):
    """The judge answered, but not with a verdict on this trace."""


class BudgetExceeded(JudgeError):
    """Asking would exceed a limit that the user set for this run."""


class NotRecorded(JudgeError):
    """The run is offline and no verdict is recorded for this trace."""


class RagTraceWarning(UserWarning):
    """The root of our warnings."""


class SkippedRows(RagTraceWarning):
    """Rows of a cases file that are wrong were left out; the message counts and names them."""


class MixedResults(RagTraceWarning):
    """A mean is over results of different configurations or judges; the message says which."""


def hide_own_frames(excinfo: object) -> bool:
    """For `__tracebackhide__`: a failure or error of ours is about the caller, not our frames."""
    return isinstance(getattr(excinfo, "value", None), (RagTraceError, AssertionError))
