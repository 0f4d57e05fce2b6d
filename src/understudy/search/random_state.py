"""Chance inside kernels: 64 bits that can be saved, so that a stopped run goes on as if it had not stopped.

The generator is SplitMix64 (Steele, Lea and Flood 2014): a counter that grows by a constant, each state stirred by
`mixed`. It is short enough for the innermost loops, and any state is a good one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import Mask, mixed
from understudy.kernels import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: SplitMix64's own."""
_SHIFT = np.uint64(32)
"""A product with the upper half of the bits scales them to a range without a division."""


def make_random_state(rng: np.random.Generator) -> NDArray[np.uint64]:
    """Return a fresh state [1]."""
    return rng.integers(0, 1 << 63, 1, np.uint64)


@kernel
def number(random_state: NDArray[np.uint64]) -> Mask:
    """Return 64 random bits."""
    random_state[0] = random_state[0] + _STEP
    return mixed(random_state[0])


@kernel
def below(random_state: NDArray[np.uint64], limit: int) -> int:
    """Return a number from 0 to *limit* - 1, each as likely as the others (to within a billionth)."""
    random_state[0] = random_state[0] + _STEP
    number: int = np.int64(((mixed(random_state[0]) >> _SHIFT) * np.uint64(limit)) >> _SHIFT)  # type: ignore[assignment]
    return number
