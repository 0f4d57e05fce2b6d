"""Learning what an engine says of positions, in PyTorch: networks, the objective, files."""
