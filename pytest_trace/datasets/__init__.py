"""Cases and labelled traces from files."""
