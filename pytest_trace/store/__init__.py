"""Verdicts that were paid for are kept: in a committed recording, and in a cache."""
