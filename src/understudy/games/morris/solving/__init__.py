"""Endgames of Morris solved: spaces numbered, looked at from their ends, kept as tables, made by many workers."""
