"""What a string says, without any knowledge of traces: words, quantities, names, refusals."""
