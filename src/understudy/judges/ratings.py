"""Elo ratings by maximum likelihood, with intervals, and what they promise.

The model of Bradley and Terry: a player scores 1 / (1 + 10 ** (difference / 400)) of the points; a draw is half a win
and half a loss. A little prior, as if each player had drawn one game against an average one, keeps the ratings of
players that won or lost everything finite. Intervals come from the curvature at the maximum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SCALE = 400 / np.log(10)
PRIOR_GAMES = 1.0
Z95 = 1.959964


class Rating(NamedTuple):
    """Elo points around an average of zero, with their 95 % interval."""

    elo: float
    low: float
    high: float


def rate(points: NDArray[np.float64]) -> list[Rating]:
    """Return a rating for each player from *points* [players, players]: what row scored against column."""
    games = points + points.T
    strength = np.zeros(len(points))
    for _ in range(100):
        slope, curvature = _derivatives(strength, points, games)
        step = np.linalg.solve(curvature, slope)
        strength += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    _, curvature = _derivatives(strength, points, games)
    centre = np.eye(len(points)) - 1 / len(points)
    spread = np.sqrt(np.diag(centre @ np.linalg.inv(curvature) @ centre)) * Z95
    middle = strength - strength.mean()
    return [Rating(*(float(SCALE * x) for x in (m, m - s, m + s))) for m, s in zip(middle, spread, strict=True)]


def expected_shares(elo: float, against: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the points that a player rated *elo* should take from others."""
    return np.asarray(1 / (1 + np.exp((against - elo) / SCALE)))


def rating_text(facts: Mapping[str, Any]) -> str:
    """Return a rating by opponents of known strength (rungs) in words, open where the player is off their ladder."""
    lowest, highest = facts["lowest_rung"], facts["highest_rung"]
    elo = None if facts["elo"] is None else f"about {facts['elo']:.0f}, by extension of the ladder"
    if facts["place"] == "below":
        place = f"Elo: below the lowest rung, {lowest} ({elo or 'no points'})"
        return f"{place}; 95 % interval open, up to {facts['high']:.0f}"
    if facts["place"] == "above":
        place = f"Elo: above the highest rung, {highest} ({elo or 'all points'})"
        return f"{place}; 95 % interval open, from {facts['low']:.0f}"
    if facts["elo"] is None:
        return "Elo: unknown, for no game was played"
    return f"Elo: {facts['elo']:.0f}, 95 % interval {facts['low']:.0f} to {facts['high']:.0f}"


def _derivatives(
    strength: NDArray[np.float64], points: NDArray[np.float64], games: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the slope of the log-likelihood and the negative of its curvature."""
    expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    weight = games * expected * (1 - expected)
    average = 1 / (1 + np.exp(-strength))
    slope = (points - games * expected).sum(axis=1) + PRIOR_GAMES * (0.5 - average)
    curvature = np.diag(weight.sum(axis=1) + PRIOR_GAMES * average * (1 - average)) - weight
    return slope, curvature


def wilson(share: float, sample: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of *sample* games (Wilson)."""
    if sample == 0:
        return 0.0, 1.0
    z2 = Z95**2
    middle = (share + z2 / (2 * sample)) / (1 + z2 / sample)
    half = Z95 / (1 + z2 / sample) * np.sqrt(share * (1 - share) / sample + z2 / (4 * sample**2))
    low, high = float(middle - half), float(middle + half)
    return (0.0 if share == 0 else max(low, 0.0)), (1.0 if share == 1 else min(high, 1.0))
