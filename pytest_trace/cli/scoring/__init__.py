"""The parts of `rag-trace score`: what is read, who works on it, what is written and shown."""
