"""A network that sees how each piece stands (`games/chess/inputs/standings.py`), inside the compiled search.

Four layers: one row of weights for each standing present, then two layers of 32 rectified units and the value. The
layers after the first may be others in each stage of the game, told by the number of pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games.bits import popcount
from understudy.games.chess.inputs.attacks_seen import MASKS
from understudy.games.chess.inputs.standings import MOST, ROWS, standings
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

MIDDLE = 32
"""Units of the two small layers."""
PIECES = 32
"""As many as there can be."""

FIFTY = 100
"""Plies without a capture or a pawn's move after which a game is a draw; a search asks the rules only for its end."""
NOTHING = np.float32(0.0)
SCALE = 320.0
"""Centipawns: tanh(value / SCALE) is the expected outcome, as the data set `win` has it."""


class Standing(NamedTuple):
    """A network with scratch room of its own: give each thread its own copy."""

    net: Any
    """A record (see `_layout`): weights and scratch behind one pointer."""
    scale: float


@cache
def _layout(hidden: int, heads: int) -> np.dtype[np.void]:
    fields = [
        ("first", np.float32, (ROWS, hidden)),
        ("bias", np.float32, (hidden,)),
        ("second", np.float32, (heads, hidden, MIDDLE)),
        ("second_bias", np.float32, (heads, MIDDLE)),
        ("third", np.float32, (heads, MIDDLE, MIDDLE)),
        ("third_bias", np.float32, (heads, MIDDLE)),
        ("output", np.float32, (heads, MIDDLE)),
        ("output_bias", np.float32, (heads, 1)),
        ("head", np.int64, (PIECES + 1,)),
        ("units", np.float32, (hidden,)),
        ("lower", np.float32, (MIDDLE,)),
        ("upper", np.float32, (MIDDLE,)),
        ("present", np.int32, (MOST,)),
        ("masks", np.uint64, (MASKS,)),
    ]
    return np.dtype((np.record, fields))


@kernel
def standing_value(evaluator: Standing, position: Chess, own: bool) -> float:
    """Return the network's opinion for the side to move, in centipawns; after fifty idle moves the rules decide."""
    if position.clock >= FIFTY:
        return 0.0
    net = evaluator.net
    units, lower, upper = net.units, net.lower, net.upper
    head = net.head[popcount(position.mine | position.theirs)]
    hidden = units.shape[0]
    for unit in range(hidden):
        units[unit] = net.bias[unit]
    for i in range(standings(position, net.present, net.masks)):
        row = net.first[net.present[i]]
        for unit in range(hidden):
            units[unit] += row[unit]
    _layer(units, net.second[head], net.second_bias[head], lower)
    _layer(lower, net.third[head], net.third_bias[head], upper)
    total = net.output_bias[head, 0]
    for unit in range(MIDDLE):
        if upper[unit] > NOTHING:
            total += upper[unit] * net.output[head, unit]
    return float(total)


@kernel
def _layer(below: NDArray[np.float32], weights: Any, bias: Any, above: NDArray[np.float32]) -> None:
    """Add up a layer from rectified units; those that are silent cost nothing."""
    for unit in range(MIDDLE):
        above[unit] = bias[unit]
    for i in range(below.shape[0]):
        if below[i] > NOTHING:
            strength, row = below[i], weights[i]
            for unit in range(MIDDLE):
                above[unit] += strength * row[unit]


FIELDS = ("first", "bias", "second", "second_bias", "third", "third_bias", "output", "output_bias", "stages")
"""The weights of a network and its stages, by the names under which a file keeps them."""


def standing(weights: Mapping[str, NDArray[Any]], *, factor: float, shift: float = 0.0, place: str = "") -> Standing:
    """Return a network with these weights; its last unit times *factor*, plus *shift*, are centipawns."""
    first, stages = weights["first"], weights["stages"]
    if first.ndim != 2 or len(first) != ROWS or first.shape[1] == 0:
        raise FileError(f"the student {place!r} cannot be read: its 'first' has shape {first.shape}, not {ROWS} rows")
    if stages.ndim != 1 or len(stages) > PIECES or stages.dtype.kind != "i":
        raise FileError(f"the student {place!r} cannot be read: its 'stages' have shape {stages.shape}, or no numbers")
    net: Any = np.zeros(1, _layout(first.shape[1], len(stages) + 1))[0]
    for name in FIELDS[:-1]:
        array = weights[name][..., 0] if name == "output" else weights[name]
        if array.shape != net[name].shape or not np.isfinite(array).all():
            raise FileError(
                f"the student {place!r} cannot be read: its {name!r} has shape {array.shape}, or no numbers"
            )
        net[name][...] = array
    net["head"][...] = np.searchsorted(stages, np.arange(PIECES + 1))
    net["output"] *= factor
    net["output_bias"][...] = net["output_bias"] * factor + shift
    return Standing(net, SCALE)


def random_standing(hidden: int, *, rng: np.random.Generator, stages: tuple[int, ...] = ()) -> Standing:
    """Return a network with random weights, for tests and benchmarks."""
    layout: Any = np.zeros(1, _layout(hidden, len(stages) + 1))[0]
    weights = {name: rng.normal(size=layout[name].shape, scale=0.1).astype(np.float32) for name in FIELDS[:-1]}
    weights["output"] = weights["output"][..., None]
    return standing(weights | {"stages": np.array(stages, np.int32)}, factor=100.0)
