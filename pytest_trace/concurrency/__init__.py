"""Threads and event loops: how calls are made beside those who wait for them."""
