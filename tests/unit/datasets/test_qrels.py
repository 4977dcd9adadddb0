"""Relevance judgements in TREC's form."""

from __future__ import annotations

import pytest

from pytest_trace.datasets.qrels import read_qrels, relevant_to
from pytest_trace.errors import InvalidCase


def written(folder, text):
    """A file of judgements."""
    path = folder / "qrels.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_tabs_and_spaces(tmp_path):
    """Columns are parted by either; blank lines, a byte order mark and Windows line ends pass."""
    text = "\ufeffq1\t0\tp1\t1\r\nq1 0 p2 0\n\n  q2   Q0  p1  3  \nq3 0 p9 -1\nq1 0 p1 1\n"
    qrels = read_qrels(written(tmp_path, text))
    assert qrels == {"q1": {"p1": 1, "p2": 0}, "q2": {"p1": 3}, "q3": {"p9": -1}}


def test_what_is_relevant(tmp_path):
    """Above 0 is; a query without relevant passages is another thing than one not judged."""
    qrels = read_qrels(written(tmp_path, "q1 0 p1 2\nq1 0 p2 0\nq2 0 p1 -2\n"))
    assert relevant_to("q1", qrels) == {"p1"}
    assert relevant_to("q2", qrels) == frozenset()
    assert relevant_to("q9", qrels) is None


def test_beir(tmp_path):
    """Its head says that there are three columns."""
    text = "query-id\tcorpus-id\tscore\nq1\tp1\t1\nq2\tp1\t0\n"
    assert read_qrels(written(tmp_path, text)) == {"q1": {"p1": 1}, "q2": {"p1": 0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 p1 1\nq1 0 p2\n", r"qrels\.tsv:2 has 3 columns; expected 'query_id 0 passage_id re"),
        ("q1\n", r"qrels\.tsv:1 has 1 column; expected"),
        ("\n\nq1 0 p1 yes\n", r"qrels\.tsv:3 has the relevance 'yes'; expected a whole number"),
        ("q1 0 p1 0.5\n", r"qrels\.tsv:1 has the relevance '0\.5'"),
        ("q1 0 p1 1\nq1 0 p1 0\n", r"qrels\.tsv:2 judges q1 p1 as 0, a line before as 1"),
        (
            "query-id corpus-id score\nq1 0 p1 1\n",
            r"qrels\.tsv:2 has 4 columns; expected 'query_id p",
        ),
        ("", r"holds no judgement; expected lines of 'query_id 0"),
        (b"q1 0 p\xff 1\n", r"qrels\.tsv is not UTF-8"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, message):
    """The first one, by its number, with what was expected."""
    with pytest.raises(InvalidCase, match=message):
        read_qrels(written(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path):
    """It is named."""
    with pytest.raises(InvalidCase, match=r"cannot read the judgements in .*none: No such file"):
        read_qrels(tmp_path / "none")
