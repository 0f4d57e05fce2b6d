"""What a judge says: measures with intervals, gathered in a verdict, and how they are added up chunk by chunk.

A judge sees a million rows in chunks. From each it takes sums, sums of chunks are added, and only the end makes
measures of them; so nothing but the sums is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.judges.ratings import Z95, wilson


class Measure(NamedTuple):
    """A share or a mean in [0, 1] with its 95 % interval, and over how many rows or games it was taken."""

    value: float | None
    """None where the sample is empty."""
    low: float
    high: float
    sample: int


Verdict: TypeAlias = dict[str, Measure]


class Sums(NamedTuple):
    """What is known of some numbers in [0, 1]: enough to add more and to make a measure of them."""

    total: float
    squares: float
    sample: int


Tally: TypeAlias = dict[str, Sums]


def share(hits: float, sample: int) -> Measure:
    """Return *hits* out of *sample* with Wilson's interval."""
    value = hits / sample if sample else None
    return Measure(value, *wilson(value or 0.0, sample), sample)


def mean(sums: Sums) -> Measure:
    """Return the mean with the interval of a normal distribution, within [0, 1]."""
    total, squares, sample = sums
    if sample < 2:
        return Measure(total if sample else None, 0.0, 1.0, sample)
    value = total / sample
    variance = max(squares / sample - value**2, 0.0) * sample / (sample - 1)
    half = Z95 * (variance / sample) ** 0.5
    return Measure(value, max(value - half, 0.0), min(value + half, 1.0), sample)


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


def read_verdict(data: Any, *, place: str) -> Verdict:
    """Return the verdict written in plain data that came from *place*."""
    try:
        return {str(name): _read_measure(fields) for name, fields in data.items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        wanted = "a name with value, low, high and sample for each measure"
        raise FileError(f"{place}: this is no verdict; expected {wanted}") from None


def _measure(sums: Sums) -> Measure:
    return share(sums.total, sums.sample) if sums.total == sums.squares else mean(sums)


def _read_measure(fields: Any) -> Measure:
    value = fields["value"]
    return Measure(
        None if value is None else float(value), float(fields["low"]), float(fields["high"]), int(fields["sample"])
    )
