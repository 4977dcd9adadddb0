"""Assertions, by what they read: a verdict, or a measure beside TRACe."""
