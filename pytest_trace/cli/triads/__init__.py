"""What `rag-trace triad` reads, scores, compares and writes."""
