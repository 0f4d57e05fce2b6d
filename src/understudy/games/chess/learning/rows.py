"""Rows of weights added up for what is present, and gradients given back to them: the first layer of sparse networks.

A list of rows ends at the first number that is no row. PyTorch's bag of embeddings takes about three times as long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.kernels import kernel


@kernel
def add_rows(present: NDArray[np.int32], weights: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Add to each row of *out* the weights of what is *present* in it."""
    for i in range(len(present)):
        units = out[i]
        for row in present[i]:
            if row >= len(weights):
                break
            strength = weights[row]
            for unit in range(len(units)):
                units[unit] += strength[unit]


@kernel
def spread_rows(present: NDArray[np.int32], gradients: NDArray[np.float32], own: int, out: NDArray[np.float32]) -> None:
    """Add to each weight in *out* the gradients of the sums in which its row was present.

    Sums whose last row is *own* or beyond give theirs to such rows alone.
    """
    for i in range(len(present)):
        gradient, count = gradients[i], _count(present[i], len(out))
        apart = count > 0 and present[i, count - 1] >= own
        for row in present[i, :count]:
            if row >= own or not apart:
                weights = out[row]
                for unit in range(len(weights)):
                    weights[unit] += gradient[unit]


@kernel
def _count(present: NDArray[np.int32], rows: int) -> int:
    """Return how many rows a list has."""
    for place in range(len(present)):
        if present[place] >= rows:
            return place
    return len(present)
