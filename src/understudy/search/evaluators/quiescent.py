"""An evaluator asked only in quiet positions; the search plays captures out first (see `leaves.quiescence`)."""

from __future__ import annotations

from typing import Any, NamedTuple


class Quiescent(NamedTuple):
    """Any evaluator of a game with captures in flight, after the captures."""

    inner: Any
    scale: float


def quiescent(inner: Any) -> Quiescent:
    """Return *inner* to be asked in quiet positions only."""
    return Quiescent(inner, inner.scale)
