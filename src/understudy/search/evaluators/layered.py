"""Students that value boards, inside the search: layers of any number over a representation of the board.

Such a network has learned to say of a board what it is worth to whoever has just moved, and so it is asked, whoever
judges: a position is worth to its side to move the contrary of that. It says what its last unit adds up, whose sigmoid
is the share from 0 lost to 1 won: at the `scale` of 2 the expected outcome, tanh(value / 2), is twice the share less 1.

Where the game tells which marks a board has, the sums of the first layer are kept for every ply of the line under
search. They are brought up to date when a position is judged and not before, through the eyes of one side alone: all
leaves of one depth ask the same side, and what the table answers costs nothing. Weights of the first layer are whole
numbers, so that a kept sum equals a fresh one to the last bit. In other games the first layer is multiplied out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.bits import NONE, Mask, lowest, rest
from understudy.games.boards import SCRATCH, Marks, encode, find_boards, mark, tells_marks
from understudy.games.rules import play
from understudy.kernels import kernel
from understudy.search.evaluators.lanes import NOTHING, quick_tanh
from understudy.search.evaluators.perceptron import FLOAT_HALF, WIDTH
from understudy.search.workspace import HEIGHTS

RELU, SIGMOID, TANH = range(3)
UNITS = {"Relu": RELU, "Sigmoid": SIGMOID, "Tanh": TANH}
"""What hidden units make of their sums, by the names that ONNX has for them."""
SCALE = 2.0
"""A sigmoid is a tanh of half its argument: at this scale an expected outcome is exactly what the network says."""
FINEST = 24
"""A weight of 1 is at most 2^24 in whole numbers: single floats, which sums become, are no finer."""
LARGEST = 1e38
"""No unit may add up more than this, in which single floats still have room."""
FRESH = HEIGHTS
"""The place of sums that belong to no line of play."""

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weights [inputs, outputs] and biases [outputs]."""


class Layered(NamedTuple):
    """A network with scratch room of its own: give each thread its own copy."""

    net: Any
    """A record (see `_layout`): weights and scratch behind one pointer."""
    representation: int
    units: int
    """RELU, SIGMOID or TANH."""
    inverse: float
    """What a weight of 1 in the whole numbers of the first layer is to be multiplied by."""
    scale: float


class _Sizes(NamedTuple):
    """What the type of a record depends on."""

    keeps: bool
    rows: int
    """Rows of weights of the first layer."""
    hidden: int
    """Units of the first layer."""
    layers: int
    units: int
    """Units of all layers."""
    later: int
    """Weights of the layers above the first."""


@cache
def _layout(sizes: _Sizes) -> np.dtype[np.void]:
    """Return the fields of a network; its sizes are part of its type, so that loops over units are unrolled."""
    number = np.int32 if sizes.keeps else np.float32
    lines, words = (HEIGHTS + 1, sizes.rows // 128) if sizes.keeps else (1, 1)
    fields = [
        ("first", number, (sizes.rows, sizes.hidden)),  # for each mark, as the first player sees it, then as the second
        ("bias", number, (sizes.hidden,)),
        ("later", np.float32, (max(sizes.later, 1),)),  # for each layer above a row for each unit below, then biases
        ("sizes", np.int64, (sizes.layers,)),  # units of each layer
        ("marks", np.uint64, (lines, max(words, 1))),  # of the board at each ply
        ("sums", number, (lines, 2, sizes.hidden)),  # at each ply, by the eyes of the first player and of the second
        ("kept", np.int32, (lines, 2)),  # 1 where the sums are up to date
        ("units", np.float32, (sizes.units,)),
        ("inputs", np.float32, (1 if sizes.keeps else sizes.rows,)),
        ("scratch", np.int32, (SCRATCH,)),
    ]
    return np.dtype((np.record, fields))


@kernel
def layered_value(evaluator: Layered, position: Any, own: bool) -> float:
    """Return the network's opinion for the side to move, as the side that has just moved sees the board."""
    add_up(evaluator, position)
    return -_finish(evaluator)


def add_up(evaluator: Layered, position: Any) -> None:
    """Write what the first layer adds up of a board, as who has just moved sees it."""
    (_add_marks if tells_marks(type(position)) else _multiply_out)(evaluator, position)


@overload(add_up, strict=False)
def _add_up(evaluator: Any, position: Any) -> Any:
    if tells_marks(position.instance_class):
        return lambda evaluator, position: _add_marks(evaluator, position)
    return lambda evaluator, position: _multiply_out(evaluator, position)


@kernel
def _add_marks(evaluator: Layered, position: Any) -> None:
    eyes = _just_moved(position)
    mark(evaluator.representation, position, evaluator.net.marks[FRESH])
    _sum_marks(evaluator, FRESH, eyes)
    _use_sums(evaluator, FRESH, eyes)


@kernel
def _just_moved(position: Any) -> int:
    """Return 0 if the first player has just moved, 1 if the second has."""
    return 1 - int(position.ply & 1)


@kernel
def _sum_marks(evaluator: Layered, height: int, eyes: int) -> None:
    """Write the sums of a board from its marks."""
    net = evaluator.net
    sums, marks = net.sums[height, eyes], net.marks[height]
    for unit in range(sums.shape[0]):
        sums[unit] = net.bias[unit]
    first = eyes * 64 * marks.shape[0]
    for word in range(marks.shape[0]):
        _add_rows(net.first, first + 64 * word, marks[word], sums)


@kernel
def _add_rows(rows: NDArray[np.int32], first: int, chosen: Mask, sums: NDArray[np.int32]) -> None:
    while chosen != NONE:
        row = rows[first + lowest(chosen)]
        chosen = rest(chosen)
        for unit in range(sums.shape[0]):
            sums[unit] += row[unit]


@kernel
def _take_rows(rows: NDArray[np.int32], first: int, chosen: Mask, sums: NDArray[np.int32]) -> None:
    while chosen != NONE:
        row = rows[first + lowest(chosen)]
        chosen = rest(chosen)
        for unit in range(sums.shape[0]):
            sums[unit] -= row[unit]


@kernel
def _multiply_out(evaluator: Layered, position: Any) -> None:
    """Write what the first layer adds up, input by input."""
    net = evaluator.net
    encode(evaluator.representation, position, 1, net.scratch, net.inputs)
    units = net.units[: net.bias.shape[0]]
    for unit in range(units.shape[0]):
        units[unit] = net.bias[unit]
    _multiply(net.inputs, net.first, units)


@kernel
def _multiply(strengths: NDArray[np.float32], rows: NDArray[np.float32], sums: NDArray[np.float32]) -> None:
    """Add to each sum its weights times what stands below; much of that is nothing."""
    for i in range(strengths.shape[0]):
        strength, row = strengths[i], rows[i]
        if strength != NOTHING:
            for unit in range(sums.shape[0]):
                sums[unit] += strength * row[unit]


# A line of play.


@kernel
def begin_marks(evaluator: Layered, position: Any) -> None:
    """Write the marks of the position where a line of play starts."""
    mark(evaluator.representation, position, evaluator.net.marks[0])
    _forget(evaluator, 0)


@kernel
def follow_marks(evaluator: Layered, position: Any, move: int, height: int) -> None:
    """Write the marks after a move, one ply further on; sums wait until somebody asks."""
    mark(evaluator.representation, play(position, move), evaluator.net.marks[height + 1])
    _forget(evaluator, height + 1)


@kernel
def keep_marks(evaluator: Layered, height: int) -> None:
    """Write the marks after somebody has passed, one ply further on: the same."""
    before, after = evaluator.net.marks[height], evaluator.net.marks[height + 1]
    for word in range(before.shape[0]):
        after[word] = before[word]
    _forget(evaluator, height + 1)


@kernel
def _forget(evaluator: Layered, height: int) -> None:
    evaluator.net.kept[height, 0] = evaluator.net.kept[height, 1] = 0


@kernel
def value_of_marks(evaluator: Layered, position: Any, own: bool, height: int) -> float:
    """Return the opinion for the side to move, from the nearest sums on the way to *height*."""
    net, eyes = evaluator.net, _just_moved(position)
    reached = height
    while reached > 0 and net.kept[reached, eyes] == 0:
        reached -= 1
    if net.kept[reached, eyes] == 0:
        _sum_marks(evaluator, reached, eyes)
        net.kept[reached, eyes] = 1
    while reached < height:
        _advance(evaluator, reached, eyes)
        reached += 1
        net.kept[reached, eyes] = 1
    _use_sums(evaluator, height, eyes)
    return -_finish(evaluator)


@kernel
def _advance(evaluator: Layered, height: int, eyes: int) -> None:
    """Write the sums one ply further on: those rows are added and taken away whose marks are others there."""
    net = evaluator.net
    before, after = net.marks[height], net.marks[height + 1]
    sums, further = net.sums[height, eyes], net.sums[height + 1, eyes]
    for unit in range(sums.shape[0]):
        further[unit] = sums[unit]
    first = eyes * 64 * before.shape[0]
    for word in range(before.shape[0]):
        _take_rows(net.first, first + 64 * word, before[word] & ~after[word], further)
        _add_rows(net.first, first + 64 * word, after[word] & ~before[word], further)


@kernel
def _use_sums(evaluator: Layered, height: int, eyes: int) -> None:
    """Write whole sums as those of the first hidden units."""
    sums, units, inverse = evaluator.net.sums[height, eyes], evaluator.net.units, np.float32(evaluator.inverse)
    for unit in range(sums.shape[0]):
        units[unit] = np.float32(sums[unit]) * inverse


# The layers above.


@kernel
def _finish(evaluator: Layered) -> float:
    """Return what the last unit adds up, given what the units of the first layer add up."""
    net = evaluator.net
    below, row = 0, 0
    for layer in range(net.sizes.shape[0] - 2):
        inputs, outputs = net.sizes[layer], net.sizes[layer + 1]
        _squash(evaluator.units, net.units[below : below + inputs])
        end = row + inputs * outputs
        sums = net.units[below + inputs : below + inputs + outputs]
        for unit in range(outputs):
            sums[unit] = net.later[end + unit]
        _multiply(net.units[below : below + inputs], net.later[row:end].reshape((inputs, outputs)), sums)
        below, row = below + inputs, end + outputs
    inputs = net.sizes[net.sizes.shape[0] - 2]
    units = net.units[below : below + inputs]
    _squash(evaluator.units, units)
    return float(net.later[row + inputs]) + _product(units, net.later[row : row + inputs])


@kernel
def _squash(kind: int, units: NDArray[np.float32]) -> None:
    """Make of sums what hidden units say."""
    if kind == RELU:
        for unit in range(units.shape[0]):
            units[unit] = max(units[unit], NOTHING)
    elif kind == SIGMOID:  # a tanh of half the width, moved up
        for unit in range(units.shape[0]):
            units[unit] = FLOAT_HALF + FLOAT_HALF * quick_tanh(FLOAT_HALF * units[unit])
    else:
        for unit in range(units.shape[0]):
            units[unit] = quick_tanh(units[unit])


@kernel
def _product(units: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
    one, two, three, four = NOTHING, NOTHING, NOTHING, NOTHING  # a single sum would wait for each addition
    for unit in range(0, units.shape[0], 4):
        one += units[unit] * weights[unit]
        two += units[unit + 1] * weights[unit + 1]
        three += units[unit + 2] * weights[unit + 2]
        four += units[unit + 3] * weights[unit + 3]
    return float((one + two) + (three + four))


# Making one.


def layered(game: CompiledGame, layers: Sequence[Layer], *, representation: str, units: str = "Sigmoid") -> Layered:
    """Return a network of these *layers*, the last of a single unit, over a representation of the boards of *game*."""
    boards = find_boards(game.name)
    number = boards.find_representation(representation, *game.size)
    width = boards.input_count(number, *game.size)
    _check(layers, width, units)
    marks = boards.find_marks(number, *game.size)
    padded = [_padded(weights, biases, last=place == len(layers) - 1) for place, (weights, biases) in enumerate(layers)]
    rows, bias, exponent = _first(padded[0], width, marks)
    counts = [len(biases) for _, biases in padded]
    later = np.concatenate([np.concatenate([weights.ravel(), biases]) for weights, biases in padded[1:]])
    sizes = _Sizes(marks is not None, len(rows), counts[0], len(counts), sum(counts), len(later))
    net = np.zeros(1, _layout(sizes))[0]
    net["first"], net["bias"], net["later"], net["sizes"] = rows, bias, later, counts
    return Layered(net, number, UNITS[units], 2.0**-exponent, SCALE)


def _check(layers: Sequence[Layer], width: int, units: str) -> None:
    """Raise unless layers fit each other, the board, and what is known of units."""
    shapes = [weights.shape for weights, _ in layers]
    widths = [width, *(len(biases) for _, biases in layers)]
    if len(layers) < 2 or shapes != list(pairwise(widths)) or widths[-1] != 1:
        raise BadOption(f"layers of shapes {shapes} do not fit {width} inputs, one another and a single output")
    if units not in UNITS:
        raise BadOption(f"no units {units!r} run inside the search; there are: {', '.join(UNITS)}")
    reach = 1.0
    for weights, biases in layers:
        sums = reach * np.abs(weights).sum(axis=0, dtype=np.float64) + np.abs(biases)
        if not sums.max() < LARGEST:
            raise BadOption("layers hold weights that are not finite, or so large that their sums are not")
        reach = float(sums.max()) if UNITS[units] == RELU else 1.0


def _padded(weights: NDArray[np.float32], biases: NDArray[np.float32], *, last: bool) -> Layer:
    """Return a layer of as many units as the processor takes in whole steps; those without weights change nothing."""
    inputs, outputs = weights.shape
    wide = np.zeros((-(-inputs // WIDTH) * WIDTH, 1 if last else -(-outputs // WIDTH) * WIDTH), np.float32)
    wide[:inputs, :outputs] = weights
    return wide, np.concatenate([biases, np.zeros(wide.shape[1] - outputs, np.float32)])


def _first(layer: Layer, width: int, marks: Marks | None) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Return the rows and biases of the first layer, and the power of two that a weight of 1 is in them.

    That is a row for each of *width* inputs as they are or, where there are marks, one for each of them by each
    player's eyes, in whole numbers: as fine as 32 bits allow when all marks are there at once, so that none overflows.
    """
    weights, bias = layer[0][:width].astype(np.float64), layer[1]
    if marks is None:
        return layer[0][:width], bias, 0
    rows, base = marks.amounts[:, :, None] * weights[marks.places], bias + marks.empty @ weights
    largest = float((np.abs(rows).sum(axis=1).max(axis=0) + np.abs(base)).max())
    room = 2.0**31 - 1 - rows.shape[1]  # rounding may add a half for each mark
    exponent = FINEST if largest == 0 else min(FINEST, math.floor(math.log2(room / largest)))
    whole = [np.rint(part * 2.0**exponent).astype(np.int32) for part in (rows.reshape(-1, rows.shape[2]), base)]
    return whole[0], whole[1], exponent
