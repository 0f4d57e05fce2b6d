"""The rule that says how a number of ours stands to one that a paper prints, and whether what a paper claims is so.

It is told to readers in docs/reproduced.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from math import hypot
from typing import NamedTuple

from understudy.judges.measures import wilson
from understudy.report.findings import CLEAR

REPRODUCED, BETTER, MISSED = "reproduced", "better", "not reproduced"
UNSURE, UNLIKE = "cannot tell", "not comparable"
VERDICTS = (REPRODUCED, BETTER, MISSED, UNSURE, UNLIKE)
DIRECTIONS = {"more": 1, "less": -1, "": 0}
"""Which of two different numbers is the better one; of some neither is."""


class Ours(NamedTuple):
    """A number of ours with its 95 % interval, and what stands behind it."""

    value: float
    low: float | None = None
    high: float | None = None
    sample: int | None = None
    different: int | None = None
    trusted: bool = True


def judge(
    printed: float, ours: Ours, *, better: str = "more", share: bool = True, sample: int | None = None,
    near: float = 0.0, exact: bool = False,
) -> tuple[str, str]:  # fmt: skip
    """Return how our number stands to a printed one, and why nobody can tell where nobody can.

    The printed one is a sample, too, where it is said of how many games: then it has Wilson's interval. How far numbers
    were rounded is no difference, nor is what is *near*. Numbers without chance in them are *exact*.
    """
    slack = near + round_off(printed, share=share)
    if exact:
        return _place(ours.value - printed, ours.value - printed, slack, better), ""
    if fault := _find_fault([ours]):
        return UNSURE, fault
    span = wilson(printed, sample) if sample is not None else (printed, printed)
    low, high = subtract(ours, Ours(printed, *span))
    far = slack + (CLEAR if share else CLEAR * abs(printed))
    if low <= slack and high >= -slack and (low <= -far or high >= far):
        return UNSURE, "the interval holds what is and what is not the paper's"
    return _place(low, high, slack, better), ""


def round_off(printed: float, *, share: bool) -> float:
    """Return by how much a printed number may be off: half its last digit; shares are told at least in per cents."""
    digits = -int(Decimal(repr(printed)).normalize().as_tuple().exponent)
    return 0.5 * 10.0 ** -max(digits, 2 if share else 0)


def _place(low: float, high: float, slack: float, better: str) -> str:
    """Return the verdict on an interval of differences; one around nothing is a reproduction."""
    if low <= slack and high >= -slack:
        return REPRODUCED
    return BETTER if DIRECTIONS[better] * (low + high) > 0 else MISSED


def _find_fault(ours: Sequence[Ours]) -> str:
    """Return why numbers cannot be judged; nothing if they can."""
    if not all(one.trusted for one in ours):
        return "too few different games"
    return "ours has no interval" if any(None in (one.low, one.high) for one in ours) else ""


def judge_order(ours: Sequence[Ours]) -> tuple[str, str]:
    """Return whether numbers are in the order that a paper claims, the largest first."""
    if fault := _find_fault(ours):
        return UNSURE, fault
    gaps = [subtract(one, other) for one, other in pairwise(ours)]
    if all(low > 0 for low, _ in gaps):
        return REPRODUCED, ""
    return (MISSED, "") if any(high < 0 for _, high in gaps) else (UNSURE, "the intervals overlap")


def judge_likeness(ours: Sequence[Ours], within: float = CLEAR) -> tuple[str, str]:
    """Return whether no two numbers are further from each other than *within*."""
    if fault := _find_fault(ours):
        return UNSURE, fault
    gaps = [subtract(one, other) for one, other in combinations(ours, 2)]
    if all(-within < low and high < within for low, high in gaps):
        return REPRODUCED, ""
    apart = any(low > within or high < -within for low, high in gaps)
    return (MISSED, "") if apart else (UNSURE, "the intervals are too wide")


def subtract(one: Ours, other: Ours) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two numbers that have intervals (Newcombe's)."""
    assert None not in (one.low, one.high, other.low, other.high)
    gap = one.value - other.value
    low = gap - hypot(one.value - one.low, other.high - other.value)
    return low, gap + hypot(one.high - one.value, other.value - other.low)
