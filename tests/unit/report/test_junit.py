"""The properties of a test in a JUnit file."""

from __future__ import annotations

from building import row, scores

from pytest_trace.report.junit import properties


def test_lowest_of_each_score_stands_for_a_test():
    """Of several traces the worst counts, undefined scores do not, and each judge is named once."""
    rows = [
        row(of=scores(0.5, 1 / 3, None, 1.0)),
        row(of=scores(0.999, 0.5, None, 0.0)),
        row(of=scores(None, 0.9, None, 1.0), judge="groq:openai/gpt-oss-120b"),
    ]
    assert list(properties(rows)) == [
        ("rag_relevance", "0.50"),
        ("rag_utilization", "0.33"),
        ("rag_completeness", "-"),
        ("rag_adherence", "0.00"),
        ("rag_judge", "lexical, groq:openai/gpt-oss-120b"),
    ]
