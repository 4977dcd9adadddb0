"""The command `rag-trace`: one module for each group of commands."""
