"""How near somebody comes to what positions are worth: errors, correlation, who stands better; surest by games.

Positions of one game hang together, so intervals are those of means over games.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.judges.measures import Z95

Numbers = NDArray[Any]


def grade_worths(said: Numbers, worths: Numbers, games: Numbers) -> dict[str, Any]:
    """Return the measures of values from -1 to 1 beside the true ones; drawn positions have no better side."""
    decided = worths != 0
    right = (said[decided] > 0) == (worths[decided] > 0)
    return {
        "error": _measure(np.abs(said - worths), games),
        "squared": _measure((said - worths) ** 2, games),
        "right": _measure(right.astype(float), games[decided]),
        "correlation": correlate(said, worths),
    }


def correlate(one: Numbers, other: Numbers) -> float | None:
    """Return Pearson's correlation; None where either never changes."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _measure(numbers: Numbers, games: Numbers) -> dict[str, Any]:
    """Return a mean over positions with its 95 % interval, games being drawn and not positions."""
    if not len(numbers):
        return {"value": None, "low": None, "high": None, "sample": 0}
    _, places = np.unique(games, return_inverse=True)
    sums, counts = np.bincount(places, numbers), np.bincount(places)
    mean, drawn = float(numbers.mean()), len(counts)
    # The usual estimate for a ratio of sums: each game strays from the mean by what it adds beyond its positions.
    strayed = float(((sums - mean * counts) ** 2).sum())
    half = Z95 * np.sqrt(strayed * drawn / max(drawn - 1, 1)) / counts.sum()
    return {"value": mean, "low": mean - half, "high": mean + half, "sample": drawn}
