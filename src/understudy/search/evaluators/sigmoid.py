"""A network of sigmoid units over a representation of the board, inside compiled code: the students of Thompson (2005).

Weights of all layers lie in one array, layer after layer, for each input a row of weights to the units above and at
last the row of biases: whoever learns or evolves them sees numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.boards import SCRATCH, encode
from understudy.kernels import kernel
from understudy.search.evaluators.lanes import quick_tanh
from understudy.search.evaluators.perceptron import FLOAT_HALF


class Sigmoid(NamedTuple):
    """Layers of sigmoid units, the last of a single one, and scratch room of its own: give each thread its own copy."""

    sizes: NDArray[np.int64]
    """Inputs, hidden units of each layer, 1."""
    weights: NDArray[np.float32]
    wiring: NDArray[np.float32]
    """1 for each weight that is there, 0 for each that is not; empty if all are."""
    units: NDArray[np.float32]
    """What each unit says, inputs first."""
    scratch: NDArray[np.int32]
    representation: int
    scale: float


@kernel
def sigmoid_value(evaluator: Sigmoid, position: Any, own: bool) -> float:
    """Return the network's opinion in [-1, 1] for the side to move, as the side that judges sees the board."""
    encode(evaluator.representation, position, 0 if own else 1, evaluator.scratch, evaluator.units)
    share = forward(evaluator)
    return 2.0 * share - 1.0 if own else 1.0 - 2.0 * share


@kernel
def forward(network: Sigmoid) -> float:
    """Return what the last unit says, given what stands in the first of `units`."""
    sizes, weights, units = network.sizes, network.weights, network.units
    below, row = 0, 0
    for layer in range(sizes.shape[0] - 1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        above = units[below + inputs : below + inputs + outputs]
        bias = weights[row + inputs * outputs : row + (inputs + 1) * outputs]
        for j in range(outputs):
            above[j] = bias[j]
        for i in range(inputs):
            strength = units[below + i]
            if strength != 0.0:
                weights_up = weights[row + i * outputs : row + (i + 1) * outputs]
                for j in range(outputs):
                    above[j] += strength * weights_up[j]
        for j in range(outputs):
            above[j] = FLOAT_HALF + FLOAT_HALF * quick_tanh(FLOAT_HALF * above[j])
        below += inputs
        row += (inputs + 1) * outputs
    return float(units[below])


def weight_count(sizes: Sequence[int]) -> int:
    """Return how many weights a network has, biases included."""
    return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))


def sigmoid(
    sizes: Sequence[int],
    weights: NDArray[np.float32],
    *,
    representation: int,
    wiring: NDArray[np.float32] | None = None,
) -> Sigmoid:
    """Return a network of these layers; it shares the array of *weights* with whoever made it."""
    return Sigmoid(
        np.array(sizes, np.int64),
        weights,
        np.zeros(0, np.float32) if wiring is None else wiring,
        np.zeros(sum(sizes), np.float32),
        np.zeros(SCRATCH, np.int32),
        representation,
        1.0,
    )


def layers(sizes: Sequence[int], weights: NDArray[np.float32]) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return the weights [inputs, outputs] and biases [outputs] of each layer, as views."""
    parts, row = [], 0
    for inputs, outputs in pairwise(sizes):
        end = row + inputs * outputs
        parts.append((weights[row:end].reshape(inputs, outputs), weights[end : end + outputs]))
        row = end + outputs
    return parts
