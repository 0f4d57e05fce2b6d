"""How numbers on any scale spread, whether two samples differ (Welch's test), and where a series of them is going.

A trend line has an interval that knows that neighbours are alike.
The tail of Student's t is an incomplete beta function, which a continued fraction gives to all digits that matter.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEPS = 10_000
"""Of the continued fraction at most; it needs about as many as the root of the degrees of freedom."""
TINY = 1e-300
"""Stands for a denominator of 0 in the fraction, as Lentz proposes: small enough to change no digit."""
MANY = 200.0
"""Degrees of freedom from which on a quantile is taken from the normal one; it is then right to six digits."""

WINDOW = 5
"""Values that are smoothed into one, as in the source of these measures (docs/judges.md)."""
LEAST = 3
"""Points that a trend needs."""
ALIKE = 0.95
"""Neighbours are taken to be no more alike than this."""


class Spread(NamedTuple):
    """What a table of scores tells of one column; unknown numbers are nan."""

    mean: float
    median: float
    most: float
    deviation: float
    """Of single numbers, not of the mean."""
    sample: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean, as if the numbers were independent."""
        if self.sample < 2 or math.isnan(self.deviation):
            return math.nan, math.nan
        half = student_quantile(self.sample - 1) * self.deviation / math.sqrt(self.sample)
        return self.mean - half, self.mean + half


def spread(numbers: ArrayLike) -> Spread:
    """Return the spread of some numbers."""
    exact = np.asarray(numbers, np.float64).ravel()
    if not len(exact):
        return Spread(math.nan, math.nan, math.nan, math.nan, 0)
    deviation = float(exact.std(ddof=1)) if len(exact) > 1 else math.nan
    return Spread(float(exact.mean()), float(np.median(exact)), float(exact.max()), deviation, len(exact))


class Welch(NamedTuple):
    """Two means compared without the assumption that both spread alike."""

    difference: float
    """The first mean less the second."""
    low: float
    high: float
    t: float
    freedom: float
    p: float
    """How probable a difference this large would be if there were none."""


def welch(one: Spread, other: Spread) -> Welch | None:
    """Return the test of the means of two samples, or None where a sample is too small to have one."""
    if min(one.sample, other.sample) < 2 or math.isnan(one.deviation + other.deviation):
        return None
    parts = [sample.deviation**2 / sample.sample for sample in (one, other)]
    difference, variance = one.mean - other.mean, sum(parts)
    if variance == 0:
        return Welch(difference, difference, difference, math.copysign(math.inf, difference) if difference else 0.0,
                     math.inf, 0.0 if difference else 1.0)  # fmt: skip
    freedom = variance**2 / (parts[0] ** 2 / (one.sample - 1) + parts[1] ** 2 / (other.sample - 1))
    t = difference / math.sqrt(variance)
    half = student_quantile(freedom) * math.sqrt(variance)
    return Welch(difference, difference - half, difference + half, t, freedom, student_tail(t, freedom))


def smoothed(values: ArrayLike, window: int = WINDOW) -> NDArray[np.float64]:
    """Return the mean of each centred *window* of an odd number of values; nan where the window is not full."""
    exact = np.asarray(values, np.float64)
    means = np.full(len(exact), np.nan)
    if len(exact) >= window:
        half = window // 2
        means[half : len(exact) - half] = np.lib.stride_tricks.sliding_window_view(exact, window).mean(axis=1)
    return means


class Trend(NamedTuple):
    """A straight line through points, with the 95 % interval of its slope."""

    slope: float
    low: float
    high: float
    error: float
    """The standard error of the slope."""
    middle: tuple[float, float]
    """A point of the line: the means of both coordinates."""
    sample: int
    alike: float
    """The correlation of neighbouring residuals, 0 where it is negative."""

    @property
    def differs(self) -> bool:
        """Whether the interval of the slope leaves 0 out."""
        return self.low > 0 or self.high < 0

    def at(self, x: float) -> float:
        """Return the height of the line."""
        return self.middle[1] + self.slope * (x - self.middle[0])


def trend_line(xs: ArrayLike, ys: ArrayLike) -> Trend | None:
    """Return the line of least squares, or None where there are too few points.

    The populations of neighbouring epochs are relatives, so their measures are not independent. The standard error is
    widened, and the degrees of freedom lowered, as the correlation of neighbouring residuals demands.
    """
    across, upwards = np.asarray(xs, np.float64), np.asarray(ys, np.float64)
    sample, width = len(across), float(((across - across.mean()) ** 2).sum()) if len(across) else 0.0
    if sample < LEAST or width == 0:
        return None
    middle = (float(across.mean()), float(upwards.mean()))
    slope = float(((across - middle[0]) * (upwards - middle[1])).sum() / width)
    residuals = upwards - middle[1] - slope * (across - middle[0])
    alike = _alike(residuals)
    inflation = (1 + alike) / (1 - alike)
    error = math.sqrt(float((residuals**2).sum()) / (sample - 2) / width * inflation)
    half = student_quantile(max(sample / inflation - 2, 1.0)) * error
    return Trend(slope, slope - half, slope + half, error, middle, sample, alike)


def _alike(residuals: NDArray[np.float64]) -> float:
    total = float((residuals**2).sum())
    return min(max(float((residuals[:-1] * residuals[1:]).sum()) / total, 0.0), ALIKE) if total > 0 else 0.0


def student_tail(t: float, freedom: float) -> float:
    """Return the probability that Student's t is at least as far from 0 as *t*, on either side."""
    if math.isinf(freedom):
        return math.erfc(abs(t) / math.sqrt(2))
    if math.isinf(t):
        return 0.0
    whole = freedom + t * t
    return _beta(freedom / 2, 0.5, freedom / whole, t * t / whole)


@lru_cache(maxsize=4096)  # a report asks for the same few sizes of sample again and again
def student_quantile(freedom: float, tail: float = 0.05) -> float:
    """Return how far from 0 Student's t must be for its two tails to hold *tail*."""
    if freedom > MANY:
        return _near_normal(freedom, NormalDist().inv_cdf(1 - tail / 2))
    low, high = 0.0, 1.0
    while student_tail(high, freedom) > tail:
        low, high = high, 2 * high
    for _ in range(50):  # halvings: all the digits that a float has
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > tail else (low, middle)
    return high


def _near_normal(freedom: float, z: float) -> float:
    """Return the quantile from that of the normal distribution, by its expansion for many degrees of freedom."""
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function at *x*; *rest* is 1 - x, given because it may be tiny."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _beta(b, a, rest, x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    return math.exp(logarithm) / a * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, from the front (Lentz)."""
    above, below = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    value = below
    for m in range(1, STEPS):
        twice = a + 2 * m
        for term in (m * (b - m) * x / ((twice - 1) * twice), -(a + m) * (a + b + m) * x / (twice * (twice + 1))):
            below = 1 / _off_zero(1 + term * below)
            above = _off_zero(1 + term / above)
            value *= above * below
        if abs(above * below - 1) < 1e-15:
            break
    return value


def _off_zero(number: float) -> float:
    return number if abs(number) > TINY else TINY
