"""Series of measures: smoothed, and with a trend line whose interval knows that neighbours are alike."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from understudy.judges.statistics import student_quantile

WINDOW = 5
LEAST = 3
"""Points that a trend needs."""
ALIKE = 0.95
"""Neighbours are taken to be no more alike than this."""


def smoothed(values: ArrayLike, window: int = WINDOW) -> NDArray[np.float64]:
    """Return the mean of each centred *window* of an odd number of values; nan where the window is not full."""
    exact = np.asarray(values, np.float64)
    found = np.full(len(exact), np.nan)
    if len(exact) >= window:
        half = window // 2
        found[half : len(exact) - half] = np.lib.stride_tricks.sliding_window_view(exact, window).mean(axis=1)
    return found


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
