"""Thinking: one search for all games, and the evaluators it asks at its leaves."""
