"""Konane."""
