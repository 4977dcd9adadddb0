"""Premises: single sentences, runs of neighbours, and what stands in front of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_trace.judges.nli.windows import Premises, has_words, readable
from pytest_trace.sentences import KeyedTrace, Sentence, make_sentencizer
from pytest_trace.trace import Document, Trace


def count(texts):
    return [len(text.split()) for text in texts]


def documents(*texts):
    """Each text one sentence of one document."""
    return [Sentence(f"doc_0_s{n}", text, 0, 0, len(text)) for n, text in enumerate(texts)]


def split(*texts):
    """Documents as the default sentencizer splits them."""
    trace = Trace("What?", texts, "It is.")
    return KeyedTrace.from_trace(trace, make_sentencizer()).documents


def keys_of(premises):
    return [" ".join(key.removeprefix("doc_") for key in premise.keys) for premise in premises]


def test_each_sentence_is_a_premise_of_its_own():
    """In the order of the documents, whole, with its key."""
    premises = list(Premises(documents("It is red.", "It is old."), 10, count).single())
    assert [(premise.keys, premise.text) for premise in premises] == [
        (("doc_0_s0",), "It is red."),
        (("doc_0_s1",), "It is old."),
    ]


def test_runs_overlap_by_half_and_cover_every_three_neighbours():
    """Four at a time, so that a statement that spans three sentences stands whole in one run."""
    premises = Premises(documents(*"abcdefg"), 100, count)
    assert keys_of(premises.runs(4)) == [
        "0_s0 0_s1 0_s2 0_s3",
        "0_s2 0_s3 0_s4 0_s5",
        "0_s4 0_s5 0_s6",
    ]
    assert list(premises.runs(1)) == []


def test_a_run_has_as_many_sentences_as_fit():
    """The room counts in tokens; a sentence that leaves no room stands alone, and is no run."""
    texts = ("one two three", "four five", "six", "a b c d e f", "seven", "eight nine")
    premises = Premises(documents(*texts), 6, count)
    assert keys_of(premises.runs(4)) == ["0_s0 0_s1 0_s2", "0_s1 0_s2", "0_s4 0_s5"]


def test_a_run_does_not_leave_its_document():
    """Neighbours are sentences of one document."""
    premises = Premises(split("It is red. It is old.", "It is new. It is big."), 100, count)
    assert keys_of(premises.runs(4)) == ["0_s0 0_s1", "1_s0 1_s1"]


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(9, 30), st.integers(1, 6))
def test_runs_are_neighbours_that_fit(sizes, room, longest):
    """However long the sentences: no run is too long, none is said twice, and none has a gap."""
    sentences = documents(*(" ".join(["word"] * size) for size in sizes))
    order = [sentence.key for sentence in sentences]
    runs = list(Premises(sentences, room, count).runs(longest))
    assert len({run.keys for run in runs}) == len(runs)
    for run in runs:
        start = order.index(run.keys[0])
        assert list(run.keys) == order[start : start + len(run.keys)]
        assert 2 <= len(run.keys) <= longest
        assert count([run.text])[0] <= room


def test_a_sentence_that_does_not_fit_is_read_in_pieces():
    """Nothing is cut off: each piece is a premise with the sentence's key."""
    words = [f"w{number}" for number in range(25)]
    premises = list(Premises(documents(" ".join(words)), 10, count).single())
    assert {premise.keys for premise in premises} == {("doc_0_s0",)}
    assert all(count([premise.text])[0] <= 10 for premise in premises)
    assert " ".join(premise.text for premise in premises).split() == words


def test_a_text_without_a_space_is_cut_all_the_same():
    """Scripts without spaces are cut between characters."""

    def characters(texts):
        return [len(text) for text in texts]

    premises = list(Premises(documents("返品は三十日以内にできます"), 5, characters).single())
    assert "".join(premise.text for premise in premises) == "返品は三十日以内にできます"


def test_sentences_are_put_together_in_the_order_of_the_documents():
    """Whatever the order they are named in; those named first stay where not all fit."""
    premises = Premises(documents("a b", "c d", "e f", "g h"), 5, count)
    assert premises.together(["doc_0_s3", "doc_0_s0"]).text == "a b g h"
    assert premises.together(["doc_0_s3", "doc_0_s1", "doc_0_s0"]).keys == ("doc_0_s1", "doc_0_s3")


def test_a_list_item_is_read_behind_its_lead_in():
    """Alone "a receipt" says nothing; in a run the lead-in is said once."""
    lead, first, second = split("You need:\n\n- a receipt\n- the box")
    assert readable(first) == "You need: a receipt"
    (run,) = Premises([first, second], 100, count).runs(4)
    assert run.text == "You need: a receipt the box"
    (whole,) = Premises([lead, first, second], 100, count).runs(4)
    assert whole.text == "You need: a receipt the box"


def test_a_table_row_is_read_behind_its_header():
    """The header says what a number is."""
    _, row = split("| Model | Price |\n|---|---|\n| Air | 5 euros |")
    assert readable(row) == "| Model | Price | | Air | 5 euros |"


def test_marks_of_markdown_and_citations_are_no_words():
    """What a model was not fitted to is left out; what a mark stands around stays."""
    (sentence,) = documents("- **Opened** `software` cannot\nbe returned [1].")
    assert readable(sentence) == "Opened software cannot be returned ."
    (link,) = documents("See [1](https://example.org) and 5 * 3.")
    assert readable(link) == "See [1](https://example.org) and 5 * 3."


def test_a_rule_is_no_premise():
    """Dashes say nothing, and a document of nothing else gives no premise."""
    premises = Premises(documents("It is red.", "---", "* * *"), 10, count)
    assert keys_of(premises.single()) == ["0_s0"]
    assert not has_words("| --- |")
    assert has_words("红")


def test_titles_are_premises_too():
    """A title is evidence, and stands in a run with the first sentence."""
    trace = Trace("What?", [Document("The battery lasts 12 hours.", title="Air")], "It is.")
    keyed = KeyedTrace.from_trace(trace, make_sentencizer())
    (run,) = Premises(keyed.documents, 100, count).runs(4)
    assert (run.keys, run.text) == (("doc_0_title", "doc_0_s0"), "Air The battery lasts 12 hours.")
