"""The bridge from the application's answers to traces."""

from helpdesk import Answer

from pytest_trace import Document, Trace


def trace_of(answer: Answer) -> Trace:
    """The answer as a trace. The headings above a chunk are evidence too, as its title."""
    documents = [Document(chunk.text, id=chunk.id, title=chunk.title) for chunk in answer.chunks]
    return Trace(question=answer.question, documents=documents, response=answer.text)
