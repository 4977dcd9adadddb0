"""Notes on replies: how they are written, and how those of several add up."""

from __future__ import annotations

from collections import Counter

from pytest_trace.llm.notes import counted, summed


def test_only_what_occurred_is_noted():
    """A thing that was looked for and not found is no note."""
    assert counted(Counter({"keys named twice": 2, "asked again": 0})) == ("keys named twice: 2",)


def test_notes_add_up():
    """The same thing in several replies is one note; notes without a count stay, once."""
    notes = ["keys named twice: 2", "odd", "asked again: 1", "keys named twice: 3", "odd"]
    assert summed(notes) == ("keys named twice: 5", "asked again: 1", "odd")
