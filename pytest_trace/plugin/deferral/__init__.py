"""Verdicts beside the tests: loaded only in a run with `--rag-concurrency` above 1."""
