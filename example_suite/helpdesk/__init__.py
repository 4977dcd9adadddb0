"""The help centre assistant of Wattlebird: retrieval by BM25, answers quoted from the pages."""

from helpdesk.assistant import Answer, Assistant

__all__ = ["Answer", "Assistant"]
