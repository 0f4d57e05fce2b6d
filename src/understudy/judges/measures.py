"""What a judge says, with intervals: measures, gathered in a verdict and added up chunk by chunk; and ratings.

A judge sees a million rows in chunks. From each it takes sums, sums of chunks are added, and only the end makes
measures of them; so nothing but the sums is kept.

Ratings are Elo's by maximum likelihood, in the model of Bradley and Terry: a player scores
1 / (1 + 10 ** (difference / 400)) of the points; a draw is half a win and half a loss. Intervals come from the
curvature at the maximum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959964
"""How many standard deviations from the mean of a normal distribution hold 95 % of it."""


class Measure(NamedTuple):
    """A share or a mean in [0, 1] with its 95 % interval, and over how many rows or games it was taken."""

    value: float | None
    """None where the sample is empty."""
    low: float
    high: float
    sample: int


Verdict: TypeAlias = dict[str, Measure]
"""Measures by name: the judge, then what is measured, as in `accuracy.whole`."""


class Sums(NamedTuple):
    """What is known of some numbers in [0, 1]: enough to add more and to make a measure of them."""

    total: float
    squares: float
    sample: int


Tally: TypeAlias = dict[str, Sums]
"""Sums by the name of the measure that they become."""


def share(hits: float, sample: int) -> Measure:
    """Return *hits* out of *sample* with Wilson's interval."""
    value = hits / sample if sample else None
    return Measure(value, *wilson(value or 0.0, sample), sample)


def wilson(share: float, sample: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of *sample* games (Wilson)."""
    if sample == 0:
        return 0.0, 1.0
    z2 = Z95**2
    middle = (share + z2 / (2 * sample)) / (1 + z2 / sample)
    half = Z95 / (1 + z2 / sample) * np.sqrt(share * (1 - share) / sample + z2 / (4 * sample**2))
    low, high = float(middle - half), float(middle + half)
    return (0.0 if share == 0 else max(low, 0.0)), (1.0 if share == 1 else min(high, 1.0))


def mean(sums: Sums) -> Measure:
    """Return the mean with the interval of a normal distribution, within [0, 1]."""
    total, squares, sample = sums
    if sample < 2:
        return Measure(total if sample else None, 0.0, 1.0, sample)
    value = total / sample
    variance = max(squares / sample - value**2, 0.0) * sample / (sample - 1)
    half = Z95 * (variance / sample) ** 0.5
    return Measure(value, max(value - half, 0.0), min(value + half, 1.0), sample)


def spread(numbers: NDArray[Any]) -> Measure:
    """Return the mean of any numbers with the interval of a normal distribution."""
    value, sample = float(np.mean(numbers)), len(numbers)
    half = Z95 * float(np.std(numbers, ddof=1)) / sample**0.5 if sample > 1 else 0.0
    return Measure(value, value - half, value + half, sample)


def counted(flags: NDArray[np.bool_]) -> Sums:
    """Return the sums of flags: how many hold."""
    hits = float(np.count_nonzero(flags))
    return Sums(hits, hits, len(flags))


def summed(numbers: NDArray[Any]) -> Sums:
    """Return the sums of numbers in [0, 1]."""
    exact = np.asarray(numbers, np.float64)
    return Sums(float(exact.sum()), float((exact**2).sum()), len(exact))


def add(tally: Tally, more: Mapping[str, Sums]) -> None:
    """Add the sums of one more chunk to *tally*."""
    for name, sums in more.items():
        so_far = tally.get(name, Sums(0.0, 0.0, 0))
        tally[name] = Sums(so_far.total + sums.total, so_far.squares + sums.squares, so_far.sample + sums.sample)


def measured(tally: Mapping[str, Sums]) -> Verdict:
    """Return the measures of all sums; where every number was 0 or 1 the mean is a share."""
    return {name: _measure(sums) for name, sums in tally.items()}


def write_verdict(verdict: Verdict) -> dict[str, dict[str, float | int | None]]:
    """Return a verdict as plain data for JSON."""
    return {name: measure._asdict() for name, measure in verdict.items()}


def _measure(sums: Sums) -> Measure:
    return share(sums.total, sums.sample) if sums.total == sums.squares else mean(sums)


SCALE = 400 / np.log(10)
"""Elo points for each unit of the model's logarithm: 400 points are odds of ten to one."""
PRIOR_GAMES = 1.0
"""As if each player had drawn one game against an average one: ratings of who won or lost everything stay finite."""
NEWTON_STEPS = 100
"""Of Newton's method at most; it takes a handful."""


DRAWN_ANEW = 400
"""Tournaments whose openings are drawn anew: the ends of an interval then move by a few points from draw to draw."""


class Rating(NamedTuple):
    """Elo points around an average of zero, or from a player's, with their 95 % interval."""

    elo: float
    low: float
    high: float


def rate(points: NDArray[np.float64], *, zero: int | None = None) -> list[Rating]:
    """Return a rating for each player from *points* [players, players]: what row scored against column.

    They are counted from the player of place *zero*, if there is one, and their intervals are of the difference to it.
    """
    strength, curvature = _fit_strengths(points)
    centre = np.eye(len(points)) - (1 / len(points) if zero is None else np.eye(len(points))[zero])
    spread = np.sqrt(np.maximum(np.diag(centre @ np.linalg.inv(curvature) @ centre.T), 0.0)) * Z95
    middle = strength - (strength.mean() if zero is None else strength[zero])
    return [Rating(*(float(SCALE * x) for x in (m, m - s, m + s))) for m, s in zip(middle, spread, strict=True)]


def rate_openings(points: NDArray[np.float64], *, zero: int, seed: int) -> list[Rating]:
    """Return ratings from *points* [openings, players, players], counted from the player *zero*.

    All pairings share their openings, so what an opening gives somebody it gives in several of them: the interval holds
    what tournaments with openings drawn anew give. Where these are too sure, since somebody won or lost everything, it
    is as wide as the likelihood has it.
    """
    shape, rng = len(points), np.random.default_rng(seed)
    rated = rate(points.sum(axis=0), zero=zero)
    weights = rng.multinomial(shape, np.full(shape, 1 / shape), DRAWN_ANEW).astype(np.float64)
    drawn = np.array([_differ(np.tensordot(weight, points, 1), zero) for weight in weights])
    lows, highs = np.quantile(drawn, [0.025, 0.975], axis=0)
    return [
        Rating(one.elo, min(one.low, float(low)), max(one.high, float(high)))
        for one, low, high in zip(rated, lows, highs, strict=True)
    ]


def _differ(points: NDArray[np.float64], zero: int) -> NDArray[np.float64]:
    """Return the Elo points of each player from those of the player *zero*."""
    strength, _ = _fit_strengths(points)
    return np.asarray(SCALE * (strength - strength[zero]))


def _fit_strengths(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the strengths of greatest likelihood, and the negative of its curvature there."""
    games = points + points.T
    strength = np.zeros(len(points))
    for _ in range(NEWTON_STEPS):
        slope, curvature = _derivatives(strength, points, games)
        step = np.linalg.solve(curvature, slope)
        strength += np.clip(step, -2, 2)  # about 350 points: far from the maximum a whole step may overshoot
        if np.abs(step).max() < 1e-10:
            break
    return strength, _derivatives(strength, points, games)[1]


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
