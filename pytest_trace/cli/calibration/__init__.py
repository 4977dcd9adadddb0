"""The parts of `rag-trace calibrate`: judging, figures, what is shown and what is written."""
