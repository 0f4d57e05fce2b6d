"""A small network inside the compiled search: one hidden layer, tanh or sigmoid, one output.

The first layer is never multiplied out: its sums are the bias plus one row of weights for each stone present. Inputs
that are sums over stones, such as the counts of small windows, fold into these rows beforehand (`folded`).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from understudy.errors import BadOption, FileError
from understudy.games.rules import features, turn
from understudy.kernels import kernel

TANH, SIGMOID = 0, 1
ACTIVATIONS = {"tanh": TANH, "sigmoid": SIGMOID}
TENSORS = ("first", "bias", "output", "output_bias")
FLOAT_HALF = np.float32(0.5)

# A quotient of polynomials of degree 9 and 8 for tanh on [-9, 9], by reweighted least squares; beyond, tanh is 1.
_FAR = np.float32(9.0)
_P0, _P1, _P2 = np.float32(0.9999999063519311), np.float32(0.13373196765456571), np.float32(0.003486580815553661)
_P3, _P4 = np.float32(2.0471813866385795e-05), np.float32(1.318420270302709e-08)
_Q0, _Q1, _Q2 = np.float32(1.0), np.float32(0.46706493627584583), np.float32(0.02584197502082316)
_Q3, _Q4 = np.float32(0.0003271383671192699), np.float32(7.702654422024355e-07)

MOST_PRESENT = 512
"""No position has more features present than this."""


class Perceptron(NamedTuple):
    """Weights of a network features-hidden-1, and scratch room of its own: give each thread its own copy."""

    first: NDArray[np.float32]
    """[features, hidden]"""
    bias: NDArray[np.float32]
    output: NDArray[np.float32]
    output_bias: float
    activation: int
    scale: float
    sums: NDArray[np.float32]
    present: NDArray[np.int32]


@kernel
def perceptron_value(evaluator: Perceptron, position: Any, own: bool) -> float:
    """Return the network's opinion in [-1, 1] for the side to move, as the side that judges sees the board."""
    if own:
        return _opinion(evaluator, position)
    return -_opinion(evaluator, turn(position))


@kernel
def _opinion(evaluator: Perceptron, position: Any) -> float:
    sums, first, output = evaluator.sums, evaluator.first, evaluator.output
    hidden = sums.shape[0]
    for unit in range(hidden):
        sums[unit] = evaluator.bias[unit]
    for i in range(features(position, evaluator.present)):
        row = first[evaluator.present[i]]
        for unit in range(hidden):
            sums[unit] += row[unit]
    if evaluator.activation == SIGMOID:  # a sigmoid is a tanh of half the width, moved up
        for unit in range(hidden):
            sums[unit] = FLOAT_HALF + FLOAT_HALF * quick_tanh(FLOAT_HALF * sums[unit])
    else:
        for unit in range(hidden):
            sums[unit] = quick_tanh(sums[unit])
    total = evaluator.output_bias
    for unit in range(hidden):
        total += output[unit] * sums[unit]
    return math.tanh(total if evaluator.activation == TANH else 0.5 * total)


@kernel
def quick_tanh(x: np.float32) -> np.float32:
    """Return tanh(x) to within 4e-7: a quotient of polynomials, which runs on all units of a layer at once."""
    x = min(max(x, -_FAR), _FAR)
    y = x * x
    above = _P0 + y * (_P1 + y * (_P2 + y * (_P3 + y * _P4)))
    below = _Q0 + y * (_Q1 + y * (_Q2 + y * (_Q3 + y * _Q4)))
    return x * above / below


def perceptron(
    first: NDArray[Any], bias: NDArray[Any], output: NDArray[Any], *, output_bias: float = 0.0, activation: str = "tanh"
) -> Perceptron:
    """Return a network with these weights: *first* is [features, hidden], *bias* and *output* are [hidden]."""
    if first.ndim != 2 or bias.shape != output.shape or bias.shape != first.shape[1:]:
        shapes = f"{first.shape}, {bias.shape} and {output.shape}"
        raise BadOption(
            f"perceptron: weights of shapes {shapes} do not fit; expected (features, hidden), (hidden,) twice"
        )
    if activation not in ACTIVATIONS:
        raise BadOption(f"perceptron: no activation {activation!r}; there are: {', '.join(ACTIVATIONS)}")
    return Perceptron(
        np.ascontiguousarray(first, np.float32),
        np.ascontiguousarray(bias, np.float32),
        np.ascontiguousarray(output, np.float32),
        float(output_bias),
        ACTIVATIONS[activation],
        0.5,
        np.empty(bias.shape[0], np.float32),
        np.empty(MOST_PRESENT, np.int32),
    )


def folded(weights: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.float64]:
    """Return rows [features, hidden] that do what *weights* [inputs, hidden] do on *inputs* [inputs, features]."""
    rows: NDArray[np.float64] = np.asarray(inputs, np.float64).T @ np.asarray(weights, np.float64)
    return rows


def random_perceptron(feature_count: int, hidden: int, *, rng: np.random.Generator) -> Perceptron:
    """Return a network with every weight uniform in [-1, 1]: the unlearned player of the Lines of Action thesis."""
    weights = rng.uniform(-1, 1, (feature_count + 2, hidden))
    return perceptron(weights[:-2], weights[-2], weights[-1], output_bias=float(rng.uniform(-1, 1)))


def private(evaluator: Any) -> Any:
    """Return *evaluator* with scratch room of its own, safe to use beside others in another thread."""
    if not isinstance(evaluator, Perceptron):
        return evaluator
    return evaluator._replace(sums=np.empty_like(evaluator.sums), present=np.empty_like(evaluator.present))


def save_perceptron(network: Perceptron, path: str | Path) -> None:
    """Save the weights as a safetensors file; a reader never sees half of it."""
    names = {code: name for name, code in ACTIVATIONS.items()}
    arrays = (network.first, network.bias, network.output, np.array([network.output_bias]))
    tensors = dict(zip(TENSORS, arrays, strict=True))
    partial = Path(f"{path}.partial")
    save_file(tensors, partial, metadata={"activation": names[network.activation]})
    partial.replace(path)


def load_perceptron(path: str | Path, feature_count: int) -> Perceptron:
    """Return the network saved at *path*, which must take *feature_count* features."""
    place = f"perceptron weights {str(path)!r}"
    try:
        with safe_open(path, framework="numpy") as file:
            first, bias, output, output_bias = (file.get_tensor(name) for name in TENSORS)
            activation = (file.metadata() or {}).get("activation", "tanh")
    except (OSError, SafetensorError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{place} cannot be read: {' '.join(str(error).split())}") from None
    if first.ndim != 2 or first.shape[0] != feature_count or output_bias.size != 1:
        found = f"shapes {first.shape} and {output_bias.shape}"
        raise FileError(f"{place} have {found}; this game needs ({feature_count}, hidden) and (1,)")
    if not all(np.isfinite(tensor).all() for tensor in (first, bias, output, output_bias)):
        raise FileError(f"{place} hold numbers that are not finite")
    return perceptron(first, bias, output, output_bias=float(output_bias.reshape(-1)[0]), activation=activation)
