"""A small network inside the compiled search: one hidden layer, tanh or sigmoid, one output.

The first layer is never multiplied out: its sums are the bias plus one row of weights for each stone present. Inputs
that are sums over stones, such as the counts of small windows, fold into these rows beforehand (`folded`). Where the
game tells what a move changes, the sums are kept for every ply of the line under search and a move only adds and
takes away its rows. The rows are whole numbers, so the order of additions makes no difference and a kept sum equals a
fresh one to the last bit.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as write_tensors

from understudy.errors import BadOption, FileError
from understudy.files import save_file
from understudy.games.kind import kind_of
from understudy.games.rows import MOST_PRESENT, row_of, typed
from understudy.games.rules import changes, features, mirrored, turn
from understudy.kernels import kernel
from understudy.search.evaluators.lanes import INVERSE, NOTHING, UNIT, fire, quick_tanh, shift
from understudy.search.workspace import HEIGHTS
from understudy.sums import BLANK, REMARK, check_sum

TANH, SIGMOID = 0, 1
ACTIVATIONS = {"tanh": TANH, "sigmoid": SIGMOID}
TENSORS = ("first", "bias", "output", "output_bias")
FLOAT_HALF = np.float32(0.5)
ITS_TURN = np.float32(1.0)

LARGEST = 100.0
"""No weight of the first layer may be larger, lest a sum overflow: eighty features may be present with such weights."""

MOST_COUNTED = 32
"""Numbers counted for both sides together; Lines of Action, which has most, counts 28."""
MOST_CHANGES = 16
"""Features that a move takes away, or brings: a jump along the 32 cells of Konane's longest board takes fifteen stones
and leaves its cell."""
WIDTH = 8
"""Numbers that the processor adds at once: eight of 32 bits in a register of 256."""
FRESH = HEIGHTS
"""The place of sums that belong to no line of play."""


class Perceptron(NamedTuple):
    """A network features-hidden-1 with scratch room of its own: give each thread its own copy."""

    net: Any
    """A record (see `_layout`): weights and scratch behind one pointer."""
    kinds: int
    """Which numbers it sees besides the features, for the game's kernel; 0 for none."""
    output_bias: float
    activation: int
    both: int
    """1: the value is my view less the other side's, so that what is good for one is bad for the other."""
    scale: float


@cache
def _layout(features: int, hidden: int) -> np.dtype[np.void]:
    """Return the fields of a network; its sizes are part of its type, so that loops over units are unrolled."""
    fields = [
        ("first", np.int32, (features, hidden)),  # in parts of UNIT
        ("bias", np.int32, (hidden,)),
        ("nothing", np.int32, (hidden,)),  # the row of no feature: zeros
        ("counted", np.float32, (MOST_COUNTED, hidden)),  # rows for the numbers about my stones, then about theirs
        ("output", np.float32, (hidden,)),
        ("sums", np.int32, (HEIGHTS + 1, 2, hidden)),  # for each ply, by the eyes of who judges and of the other side
        ("units", np.float32, (hidden,)),
        ("present", np.int32, (MOST_PRESENT,)),
        ("numbers", np.float32, (MOST_COUNTED,)),
    ]
    return np.dtype((np.record, fields))


@kernel
def perceptron_value(evaluator: Perceptron, position: Any, own: bool) -> float:
    """Return the network's opinion for the side to move, as the side that judges sees the board.

    It is what the last unit adds up: its tanh would change no comparison, and whoever shows a value takes it anyway.
    """
    _sum_up(evaluator, position, FRESH, 0 if own else 1)
    return value_of_sums(evaluator, position, own, FRESH)


@kernel
def begin_sums(evaluator: Perceptron, position: Any) -> None:
    """Write the sums of the position where a line of play starts; its side to move is the one who judges."""
    _sum_up(evaluator, position, 0, 0)


@kernel
def _sum_up(evaluator: Perceptron, position: Any, height: int, eyes: int) -> None:
    """Write the sums of a position; *eyes* are those of its side to move."""
    _present(evaluator, position, evaluator.net.sums[height, eyes])
    _present(evaluator, turn(position), evaluator.net.sums[height, 1 - eyes])


@kernel
def _present(evaluator: Perceptron, position: Any, sums: NDArray[np.int32]) -> None:
    for unit in range(sums.shape[0]):
        sums[unit] = evaluator.net.bias[unit]
    for i in range(features(position, evaluator.net.present)):
        row = evaluator.net.first[evaluator.net.present[i]]
        for unit in range(sums.shape[0]):
            sums[unit] += row[unit]


@kernel
def follow_sums(evaluator: Perceptron, position: Any, move: int, height: int) -> None:
    """Write the sums after a move, one ply further on."""
    gone, come = evaluator.net.present[:MOST_CHANGES], evaluator.net.present[MOST_CHANGES:]
    left, entered = changes(position, move, gone, come)
    mover = height & 1
    if evaluator.both or mover == 0:
        _changed(evaluator, height, mover, gone, left, come, entered)
    if evaluator.both or mover == 1:
        for i in range(left):
            gone[i] = mirrored(position, gone[i])
        for i in range(entered):
            come[i] = mirrored(position, come[i])
        _changed(evaluator, height, 1 - mover, gone, left, come, entered)


@kernel
def keep_sums(evaluator: Perceptron, height: int) -> None:
    """Write the sums after somebody has passed, one ply further on: the same stones."""
    for eyes in range(2):
        before, after = evaluator.net.sums[height, eyes], evaluator.net.sums[height + 1, eyes]
        for unit in range(before.shape[0]):
            after[unit] = before[unit]


@kernel
def _changed(evaluator: Perceptron, height: int, eyes: int, gone: Any, left: int, come: Any, entered: int) -> None:
    net = evaluator.net
    before, after = net.sums[height, eyes], net.sums[height + 1, eyes]
    for i in range(max(left, entered, 1)):
        less = net.first[gone[i]] if i < left else net.nothing[:]
        more = net.first[come[i]] if i < entered else net.nothing[:]
        shift(net, after, before, more, less)
        before = after


@kernel
def value_of_sums(evaluator: Perceptron, position: Any, own: bool, height: int) -> float:
    """Return the opinion for the side to move from the sums at *height*."""
    width = counted(position, evaluator.kinds, evaluator.net.numbers) if evaluator.kinds else 0
    total = _output(evaluator, evaluator.net.sums[height, 0], width, 0 if own else width)
    if evaluator.both:
        total -= _output(evaluator, evaluator.net.sums[height, 1], width, width if own else 0)
    if evaluator.activation == SIGMOID:
        total *= 0.5
    return total if own else -total


@kernel
def _output(evaluator: Perceptron, sums: NDArray[np.int32], width: int, mine: int) -> float:
    """Return what the last unit adds up; the numbers about who looks start at *mine*."""
    if width == 0 and evaluator.activation == TANH:
        return evaluator.output_bias + float(fire(evaluator.net, sums))
    units, output = evaluator.net.units, evaluator.net.output
    hidden = sums.shape[0]
    for unit in range(hidden):
        units[unit] = np.float32(sums[unit]) * INVERSE
    for i in range(width):
        _add(units, evaluator.net.counted[i], evaluator.net.numbers[mine + i])
        _add(units, evaluator.net.counted[width + i], evaluator.net.numbers[width - mine + i])
    if evaluator.activation == SIGMOID:  # a sigmoid is a tanh of half the width, moved up
        for unit in range(hidden):
            units[unit] = FLOAT_HALF + FLOAT_HALF * quick_tanh(FLOAT_HALF * units[unit])
    else:
        for unit in range(hidden):
            units[unit] = quick_tanh(units[unit])
    one, two, three, four = NOTHING, NOTHING, NOTHING, NOTHING  # a single sum would wait for each addition
    for unit in range(0, hidden, 4):
        one += output[unit] * units[unit]
        two += output[unit + 1] * units[unit + 1]
        three += output[unit + 2] * units[unit + 2]
        four += output[unit + 3] * units[unit + 3]
    return evaluator.output_bias + float((one + two) + (three + four))


@kernel
def _add(units: NDArray[np.float32], row: NDArray[np.float32], number: np.float32) -> None:
    for unit in range(units.shape[0]):
        units[unit] += row[unit] * number


def counted(position: Any, kinds: int, out: NDArray[np.float32]) -> int:
    """Write the numbers of *kinds* about my stones, then about theirs; return how many for each side."""
    chosen = kind_of(type(position)).counted or count_turn
    return int(chosen(position, kinds, out))


@overload(counted, strict=False)
def _counted(position: Any, kinds: Any, out: Any) -> Any:
    chosen = kind_of(position.instance_class).counted or count_turn
    return lambda position, kinds, out: chosen(position, kinds, out)


@kernel
def count_turn(position: Any, kinds: int, out: NDArray[np.float32]) -> int:
    """Write the one number that a game has which counts none of its own: 1 for who is to move, 0 for the other."""
    out[0], out[1] = ITS_TURN, NOTHING
    return 1


def count_all(batch: Any, kinds: int, out: NDArray[np.float32]) -> None:
    """Write the numbers of *kinds* of many positions [positions, twice the numbers of a side]."""
    _count_all(typed(batch), kinds, out, np.zeros(MOST_COUNTED, np.float32))


@kernel
def _count_all(batch: Any, kinds: int, out: NDArray[np.float32], numbers: NDArray[np.float32]) -> None:
    for row in range(out.shape[0]):
        counted(row_of(batch, row), kinds, numbers)
        for place in range(out.shape[1]):
            out[row, place] = numbers[place]


def perceptron(
    first: NDArray[Any],
    bias: NDArray[Any],
    output: NDArray[Any],
    *,
    output_bias: float = 0.0,
    activation: str = "tanh",
    counted: NDArray[Any] | None = None,
    kinds: int = 0,
    both: bool = False,
) -> Perceptron:
    """Return a network with these weights: *first* is [features, hidden], *bias* and *output* are [hidden]."""
    if first.ndim != 2 or bias.shape != output.shape or bias.shape != first.shape[1:]:
        shapes = f"{first.shape}, {bias.shape} and {output.shape}"
        raise BadOption(
            f"perceptron: weights of shapes {shapes} do not fit; expected (features, hidden), (hidden,) twice"
        )
    if activation not in ACTIVATIONS:
        raise BadOption(f"perceptron: no activation {activation!r}; there are: {', '.join(ACTIVATIONS)}")
    net = np.zeros(1, _layout(first.shape[0], _padded(bias.shape[0])))[0]
    hidden = bias.shape[0]
    net["first"][:, :hidden], net["bias"][:hidden] = _whole(first), _whole(bias)
    net["output"][:hidden] = _single(output)
    if counted is not None:
        net["counted"][: len(counted), :hidden] = _single(counted)
    return Perceptron(net, kinds, float(output_bias), ACTIVATIONS[activation], int(both), 1.0)


def _padded(hidden: int) -> int:
    """Return a number of units that the processor takes in whole steps; units without weights change nothing."""
    return -(-hidden // WIDTH) * WIDTH


def _whole(weights: NDArray[Any]) -> NDArray[np.int32]:
    """Return weights in parts of `UNIT`; those that are too large to add up safely are cut."""
    whole: NDArray[np.int32] = np.rint(np.clip(weights, -LARGEST, LARGEST) * UNIT).astype(np.int32)
    return whole


def _single(weights: NDArray[Any]) -> NDArray[np.float32]:
    """Return weights as single floats; those that are too large to be one, as sums of large ones may be, are cut."""
    largest = np.finfo(np.float32).max
    single: NDArray[np.float32] = np.clip(weights, -largest, largest).astype(np.float32)
    return single


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
    if hasattr(evaluator, "inner"):
        return evaluator._replace(inner=private(evaluator.inner))
    return evaluator._replace(net=evaluator.net.copy()) if hasattr(evaluator, "net") else evaluator


def save_perceptron(network: Perceptron, path: str | Path) -> None:
    """Save the weights as a safetensors file; a reader never sees half of it."""
    names = {code: name for name, code in ACTIVATIONS.items()}
    net = network.net
    arrays = (net["first"] / UNIT, net["bias"] / UNIT, net["output"], np.array([network.output_bias]))
    tensors = dict(zip(TENSORS, arrays, strict=True))
    facts = {"activation": names[network.activation], REMARK: BLANK}
    save_file(Path(path), lambda partial: partial.write_bytes(write_tensors(tensors, facts)), sealed=True)


def load_perceptron(path: str | Path, feature_count: int) -> Perceptron:
    """Return the network saved at *path*, which must take *feature_count* features."""
    place = f"perceptron weights {str(path)!r}"
    check_sum(Path(path), "weights")
    try:
        with safe_open(path, framework="numpy") as file:
            first, bias, output, output_bias = (file.get_tensor(name) for name in TENSORS)
            activation = (file.metadata() or {}).get("activation", "tanh")
    except (OSError, SafetensorError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{place} cannot be read: {' '.join(str(error).split())}") from None
    if first.ndim != 2 or first.shape[0] != feature_count or output_bias.size != 1:
        shapes = f"shapes {first.shape} and {output_bias.shape}"
        raise FileError(f"{place} have {shapes}; this game needs ({feature_count}, hidden) and (1,)")
    if not all(np.isfinite(tensor).all() for tensor in (first, bias, output, output_bias)):
        raise FileError(f"{place} hold numbers that are not finite")
    return perceptron(first, bias, output, output_bias=float(output_bias.reshape(-1)[0]), activation=activation)
