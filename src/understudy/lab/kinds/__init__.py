"""What is done in an experiment of each kind, step by step."""
