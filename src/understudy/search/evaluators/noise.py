"""Random values at the leaves: what the `stochastic` player sees where the rules do not decide."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from understudy.games.bits import Mask, mixed
from understudy.games.rules import key
from understudy.kernels import kernel

_11 = np.uint64(11)


class Noise(NamedTuple):
    """A value drawn for each position from a seed: the same position has one value within one search."""

    seed: Mask
    scale: float = 1.0


@kernel
def noise_value(evaluator: Noise, position: Any, own: bool) -> float:
    """Return a number in [-1, 1) that depends on nothing but the seed and the position."""
    return (mixed(key(position) ^ evaluator.seed) >> _11) / 4503599627370496.0 - 1.0
