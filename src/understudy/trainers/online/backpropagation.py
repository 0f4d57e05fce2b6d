"""One step of back-propagation in compiled code, after each single board, as the source's library Conx 6 takes it.

Conx adds 0.1 to the derivative of every unit so that none gets stuck, and the change of a weight carries on a share of
the change before it. Kernel and PyTorch agree to rounding (tests/trainers/test_backpropagation.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.kernels import kernel
from understudy.search.evaluators.sigmoid import Sigmoid, forward

_TINY = np.float32(1e-30)
"""Changes smaller than this are none: numbers below 1e-38 take the processor a hundred times as long."""
_1 = np.float32(1.0)


class Rule(NamedTuple):
    """How weights change."""

    rate: np.float32
    momentum: np.float32
    offset: np.float32
    """Added to the derivative of each unit."""


class Changes(NamedTuple):
    """What learning writes on beside the weights."""

    last: NDArray[np.float32]
    """The last change of each weight."""
    errors: NDArray[np.float32]
    """The error of each unit, inputs first."""


def make_changes(network: Sigmoid) -> Changes:
    """Return room to learn in; nothing has changed yet."""
    return Changes(np.zeros_like(network.weights), np.zeros_like(network.units))


@kernel
def learn(network: Sigmoid, target: float, rule: Rule, changes: Changes) -> float:
    """Take one step towards *target* for the inputs that stand in `network.units`; return what was said before."""
    said = forward(network)
    spread(network, target, rule, changes)
    follow(network, rule, changes)
    return said


@kernel
def spread(network: Sigmoid, target: float, rule: Rule, changes: Changes) -> None:
    """Write every unit's share of the error, from the last layer down."""
    sizes, units, errors = network.sizes, network.units, changes.errors
    above, row = units.shape[0] - 1, network.weights.shape[0]
    said = units[above]
    errors[above] = (np.float32(target) - said) * (said * (_1 - said) + rule.offset)
    for layer in range(sizes.shape[0] - 2, 0, -1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        row -= (inputs + 1) * outputs
        below = above - inputs
        _blame(network.weights[row:], errors[above : above + outputs], errors[below:above])
        for i in range(below, above):
            errors[i] *= units[i] * (_1 - units[i]) + rule.offset
        above = below


@kernel
def _blame(weights: NDArray[np.float32], errors: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write for each input of a layer the sum of its units' errors, each times the weight between."""
    outputs = errors.shape[0]
    if outputs == 1:  # one row of inputs instead of many rows of one unit
        for i in range(out.shape[0]):
            out[i] = weights[i] * errors[0]
        return
    for i in range(out.shape[0]):
        blame = np.float32(0.0)
        for j in range(outputs):
            blame += weights[i * outputs + j] * errors[j]
        out[i] = blame


@kernel
def follow(network: Sigmoid, rule: Rule, changes: Changes) -> None:
    """Change every weight by its unit's error and what its input said."""
    sizes, units, weights, last = network.sizes, network.units, network.weights, changes.last
    below, row = 0, 0
    for layer in range(sizes.shape[0] - 1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        errors = changes.errors[below + inputs : below + inputs + outputs]
        bias = row + inputs * outputs
        if outputs == 1:
            _change(weights[row:bias], last[row:bias], units[below : below + inputs], rule.rate * errors[0], rule)
        else:
            for i in range(inputs):
                said = units[below + i]
                if said != 0.0 or rule.momentum != 0.0:
                    one, end = row + i * outputs, row + (i + 1) * outputs
                    _change(weights[one:end], last[one:end], errors, rule.rate * said, rule)
        _change(weights[bias : bias + outputs], last[bias : bias + outputs], errors, rule.rate, rule)
        below += inputs
        row = bias + outputs
    for i in range(network.wiring.shape[0]):
        weights[i] *= network.wiring[i]


@kernel
def _change(
    weights: NDArray[np.float32], last: NDArray[np.float32], factors: NDArray[np.float32], step: np.float32, rule: Rule
) -> None:
    for j in range(weights.shape[0]):
        change = step * factors[j] + rule.momentum * last[j]
        change = change if abs(change) > _TINY else np.float32(0.0)
        last[j] = change
        weights[j] += change
