"""What a developer reads when a RAG test fails."""

from __future__ import annotations

import pytest

ADHERENT = """\
    def test_returns():
>       assert_adherent(TRACE)
E       AssertionError: not adherent: 1 of 2 sentences lacks support (judge: fake)
E
E       resp_s1 "A meteorite extends it to 90 days."
E         closest doc_0_s0 "Laptops can be returned within 30 days."
E         reason  meteorites are not mentioned
E       supported resp_s0 (doc_0_s0)
E
E       question  "How long can I return a laptop?"
E       response  "You have 30 days. A meteorite extends it to 90 days."
E       scores    relevance 0.50, utilization 0.50, completeness 1.00, adherence 0.00, support 0.50

test_it.py:10: AssertionError
"""
BOUNDS = """\
E       AssertionError: 2 bounds are missed (judge: fake)
E       1. relevance 0.50 is below 0.9
E       2. support 0.50 is below 0.75
E
E       irrelevant: 1 of 2
E         doc_0_s1 "The weather is fine."
E
E       resp_s1 "A meteorite extends it to 90 days."
E         closest doc_0_s0 "Laptops can be returned within 30 days."
E         reason  meteorites are not mentioned
E       supported resp_s0 (doc_0_s0)
E
E       question  "How long can I return a laptop?"
E       response  "You have 30 days. A meteorite extends it to 90 days."
E       scores    relevance 0.50, utilization 0.50, completeness 1.00, adherence 0.00, support 0.50
"""
SUITE = """
    from pytest_trace import Trace, assert_adherent, assert_trace, evaluate

    TRACE = Trace(
        "How long can I return a laptop?",
        ["Laptops can be returned within 30 days. The weather is fine."],
        "You have 30 days. A meteorite extends it to 90 days.",
    )

    def test_returns():
        assert_adherent(TRACE)

    def test_bounds():
        assert_trace(TRACE, relevance=0.9, utilization=0.1, support=0.75)

    def test_plain():
        evaluation = evaluate(TRACE)
        assert evaluation.scores.relevance >= 0.9
"""


@pytest.fixture
def shown(project: pytest.Pytester) -> str:
    """The screen of the failing suite, without trailing spaces."""
    project.makepyfile(test_it=SUITE)
    return "\n".join(line.rstrip() for line in project.runpytest().stdout.lines)


def test_a_hallucination_names_the_sentence_the_evidence_and_the_reason(shown: str) -> None:
    """The traceback ends in the test; the whole text is what stands here."""
    assert ADHERENT in shown


def test_every_missed_bound_is_shown_with_its_sentences(shown: str) -> None:
    """Several misses are numbered, and a met bound is not among them."""
    assert BOUNDS in shown


def test_a_plain_assert_names_the_trace(shown: str) -> None:
    """The rewritten assert shows the score, and which evaluation it belongs to."""
    assert "assert 0.5 >= 0.9" in shown
    assert "<Evaluation of 'How long can I return a laptop?' by fake>.scores" in shown


def test_a_failure_fits_into_100_columns(project: pytest.Pytester) -> None:
    """However long the texts are, and however wide their characters."""
    project.makepyfile(
        test_it="""
        import pytest
        from pytest_trace import Trace, assert_adherent, assert_trace

        TEXTS = ["word " * 400 + "meteorite", "東京" * 300 + "meteorite", "x" * 900 + " meteorite"]

        @pytest.mark.parametrize("text", TEXTS, ids=["words", "wide", "solid"])
        def test_it(text):
            trace = Trace(text, [text + "\\n\\ttab \\x1b[31mred", "weather" + text], text)
            assert_trace(trace, adherent=True, relevance=1.0, completeness=1.0)
        """
    )
    from wcwidth import wcswidth

    lines = project.runpytest().stdout.lines
    failure = [line for line in lines if line.startswith("E  ")]
    assert len(failure) > 30
    assert max(wcswidth(line) for line in failure) <= 100
    assert not any("\x1b" in line for line in failure)


def test_a_wrong_trace_points_at_the_test(project: pytest.Pytester) -> None:
    """An invalid trace is one clear line, and no frame of ours is between it and the test."""
    project.makepyfile(
        test_it="""
        from pytest_trace import Trace

        def test_it():
            Trace("What?", [""], "It is red.")
        """
    )
    shown = project.runpytest().stdout.str()
    assert (
        "E       pytest_trace.errors.InvalidTrace: documents hold no text (1 of 1 are blank)"
        in shown
    )
    assert "trace.py:" not in shown.replace("test_trace.py", "")
