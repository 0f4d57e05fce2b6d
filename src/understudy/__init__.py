"""Understudy: neural networks that learn board games by watching a teacher."""

__version__ = "0.1.0"
