"""What is measured beside TRACe."""
