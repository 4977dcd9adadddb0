"""An evaluation as lines that quote the sentences at fault; pure, at most 92 columns wide.

92 and not 100: pytest puts its margin of eight columns in front of each line of a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_trace.evaluation import Evaluation
from pytest_trace.marks import CheckedSupport
from pytest_trace.metrics import diagnose
from pytest_trace.quoting import fold, quote, shorten, visible, width
from pytest_trace.sentences import Sentence
from pytest_trace.trace import Trace

WIDTH = 92
_MOST_SENTENCES = 10
_LABEL = 10
_NO_EVIDENCE = "there is no document sentence that comes near"
_NO_DOCUMENT = "there is no document"


def explanation(evaluation: Evaluation) -> list[str]:
    """The whole evaluation in lines: the trace, each sentence's support, scores, meaning."""
    return [
        *trace_lines(evaluation.trace),
        *support_lines(evaluation),
        *score_lines(evaluation),
    ]


def support_lines(evaluation: Evaluation) -> list[str]:
    """Each sentence without support with the closest evidence; then the others in a line."""
    supports = evaluation.support
    lines: list[str] = []
    fallen = [item for item in supports if not item.is_supported and item.role != "filler"]
    for item in fallen[:_MOST_SENTENCES]:
        lines += _unsupported(evaluation, item)
    if len(fallen) > _MOST_SENTENCES:
        lines.append(f"and {len(fallen) - _MOST_SENTENCES} more without support")
    return [*lines, *_listed(supports)]


def relevance_lines(evaluation: Evaluation) -> list[str]:
    """The retrieved sentences that do not matter to the question."""
    relevant = evaluation.verdict.relevant
    counted = evaluation.sentences.counted
    return _listing(
        "irrelevant", [item for item in counted if item.key not in relevant], len(counted)
    )


def utilization_lines(evaluation: Evaluation) -> list[str]:
    """The retrieved sentences that the response does not use."""
    utilized = evaluation.verdict.utilized
    counted = evaluation.sentences.counted
    return _listing(
        "not used", [item for item in counted if item.key not in utilized], len(counted)
    )


def completeness_lines(evaluation: Evaluation) -> list[str]:
    """The relevant sentences that the response leaves out."""
    verdict = evaluation.verdict
    relevant = [item for item in evaluation.sentences.counted if item.key in verdict.relevant]
    return _listing(
        "left out", [item for item in relevant if item.key not in verdict.utilized], len(relevant)
    )


def trace_lines(trace: Trace) -> list[str]:
    """The question and the response."""
    return [
        field_line("question", quote(trace.question, WIDTH - _LABEL)),
        field_line("response", quote(trace.response, WIDTH - _LABEL)),
    ]


def score_lines(evaluation: Evaluation) -> list[str]:
    """The scores in a line, what they mean together, and the notes."""
    scores = evaluation.scores
    values = (
        ("relevance", scores.relevance),
        ("utilization", scores.utilization),
        ("completeness", scores.completeness),
        ("adherence", scores.adherence),
        ("support", scores.support),
    )
    shown = ", ".join(f"{name} {format_score(value)}" for name, value in values)
    return [
        field_line("scores", shown),
        *_agreement_lines(evaluation),
        *(line for text in diagnose(scores) for line in wrapped_lines("meaning", text)),
        *(line for note in evaluation.notes for line in wrapped_lines("note", note)),
    ]


def _agreement_lines(evaluation: Evaluation) -> list[str]:
    verdict = evaluation.verdict
    if verdict.agreement is None:
        return []
    least = f"at least {format_score(verdict.agreement)} of them agree on each sentence"
    return [field_line("votes", f"{verdict.votes}; {least}")]


def format_score(value: float | None) -> str:
    """Two decimals; only a full score reads 1.00. A dash where undefined."""
    if value is None:
        return "-"
    return f"{min(value, 0.99) if value < 1.0 else value:.2f}"


def format_missed(value: float, bound: float) -> str:
    """A score below `bound`, with as many digits as it takes to read as below."""
    for digits in range(2, 10):
        shown = f"{value:.{digits}f}"
        if float(shown) < bound:
            return shown
    return repr(value)


def _unsupported(evaluation: Evaluation, item: CheckedSupport) -> Iterator[str]:
    by_key = evaluation.sentences.by_key
    yield _quoted(by_key[item.key], WIDTH)
    closest = [by_key[key] for key in item.document_keys]
    for sentence in closest:
        yield field_line("  closest", _quoted(sentence, WIDTH - _LABEL))
    if not closest:
        yield field_line(
            "  closest", _NO_EVIDENCE if evaluation.sentences.documents else _NO_DOCUMENT
        )
    if item.reason:
        yield from wrapped_lines("  reason", item.reason)
    if item.probability is not None:
        yield field_line("  p", f"{item.probability:.2f} that it is supported")


def _listed(supports: Sequence[CheckedSupport]) -> Iterator[str]:
    supported = [
        f"{item.key} ({', '.join(item.document_keys)})" if item.document_keys else item.key
        for item in supports
        if item.is_supported and item.role == "claim"
    ]
    groups = {
        "supported": supported,
        "refusals": [s.key for s in supports if s.role == "refusal" and s.is_supported],
        "fillers": [
            item.key if item.is_supported else f"{item.key} ({item.reason})"
            for item in supports
            if item.role == "filler"
        ],
    }
    for name, keys in groups.items():
        if keys:
            yield from wrapped_lines(name, ", ".join(keys))


def _listing(label: str, sentences: Sequence[Sentence], total: int) -> list[str]:
    return [f"{label}: {len(sentences)} of {total}", *quoted_sentences(sentences)]


def quoted_sentences(sentences: Sequence[Sentence]) -> list[str]:
    """A line each, key and text; of many the first ten and how many more there are."""
    lines = [f"  {_quoted(sentence, WIDTH - 2)}" for sentence in sentences[:_MOST_SENTENCES]]
    if len(sentences) > _MOST_SENTENCES:
        lines.append(f"  and {len(sentences) - _MOST_SENTENCES} more")
    return lines


def _quoted(sentence: Sentence, columns: int) -> str:
    """Key and text; the name of a metadata field, which is part of a key, may be of any length."""
    key = shorten(visible(sentence.key), columns // 2)
    return f"{key} {quote(sentence.text, columns - width(key) - 1)}"


def field_line(label: str, text: str) -> str:
    """A label in its column, and `text`."""
    return f"{label:<{_LABEL}}{text}"


def wrapped_lines(label: str, text: str) -> list[str]:
    """The same in as many lines as `text` takes, the label in front of the first."""
    return [
        field_line(label if number == 0 else "", line)
        for number, line in enumerate(fold(text, WIDTH - _LABEL))
    ]
