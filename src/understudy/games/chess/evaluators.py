"""What a chess position is worth: by its pieces and where they stand, or by a network that sees how they stand.

Numbers are centipawns. `material` has the piece values of Sabatelli (2017); the tables of `piece_square` are our own.

The network (its inputs are `games/chess/inputs/standings.py`) runs inside the compiled search. Four layers: one row of
weights for each standing present, then two layers of 32 rectified units and the value. The layers after the first may
be others in each stage of the game, told by the number of pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games.bits import NONE, Mask, lowest, popcount, rest
from understudy.games.chess.attacks import DARK, kings
from understudy.games.chess.inputs.attacks_seen import MASKS
from understudy.games.chess.inputs.standings import MOST, ROWS, standings
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import KINDS
from understudy.kernels import kernel

FULL = 24
"""The weight of all pieces of both sides: knights and bishops 1, rooks 2, queens 4, as chess programs usually count how
much of the middle game is left."""


class Material(NamedTuple):
    """Tables for my pieces as I see the board [2 phases, 6 kinds, 64 cells], middle game first."""

    tables: NDArray[np.float32]
    pair: NDArray[np.float32]
    """What bishops of both shades are worth together [2 phases]."""
    scale: float


@kernel
def material_value(evaluator: Material, position: Chess, own: bool) -> float:
    """Return what my pieces are worth more than theirs, between the phases by how many pieces are left."""
    middle, end = _worth(evaluator, position, position.mine, 0)
    their_middle, their_end = _worth(evaluator, position, position.theirs, 56)
    share = phase(position)
    return (middle - their_middle) * share + (end - their_end) * (1.0 - share)


@kernel
def phase(position: Chess) -> float:
    """Return 1 with all pieces on the board, down to 0 with only kings and pawns."""
    light = popcount(position.knights | position.bishops)
    return min(FULL, light + 2 * popcount(position.rooks) + 4 * popcount(position.queens)) / FULL


@kernel
def _worth(evaluator: Material, position: Chess, side: Mask, turned: int) -> tuple[float, float]:
    """Return what the pieces of a side are worth in both phases; *turned* is 56 for the side that goes down."""
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    middle, end = 0.0, 0.0
    for kind in range(KINDS):
        pieces = kinds[kind] & side
        while pieces != NONE:
            cell = lowest(pieces) ^ turned
            middle += float(evaluator.tables[0, kind, cell])
            end += float(evaluator.tables[1, kind, cell])
            pieces = rest(pieces)
    bishops = position.bishops & side
    if bishops & DARK != NONE and bishops & ~DARK != NONE:
        middle += float(evaluator.pair[0])
        end += float(evaluator.pair[1])
    return middle, end


def plain() -> NDArray[np.float32]:
    """Return tables of piece values alone, whatever the cell and the phase: Sabatelli's (2017)."""
    values = np.array([100, 300, 300, 500, 900, 0], np.float32)
    return np.tile(values[None, :, None], (2, 1, 64))


RANK = np.arange(64) // 8
FILE = np.minimum(np.arange(64) % 8, 7 - np.arange(64) % 8)
"""Files from the edge, 0, to the centre, 3."""
RING = np.minimum(FILE, np.minimum(RANK, 7 - RANK))
"""Rings of cells from the edge, 0, to the centre, 3."""


def _by(index: NDArray[np.int64], *values: float) -> NDArray[np.float64]:
    return np.array(values, np.float64)[index]


# The tables of `placed` were written by hand, and no record of tuning is left: pawns want the centre and to go on,
# knights the centre and outposts, rooks the seventh rank, kings shelter in the middle game and the centre in the end
# game. A pawn is worth more in the end game, where it may become a queen.


def placed() -> NDArray[np.float32]:
    """Return tables of piece values with what the cell adds; left and right are alike."""
    return np.stack([_middle_game(), _end_game()]).astype(np.float32)


def _middle_game() -> NDArray[np.float64]:
    centre_pawns = np.where(FILE == 3, _by(RANK, 0, -14, 4, 18, 20, 16, 10, 0), 0) + np.where(FILE == 2, 4, 0)
    outposts = np.where((RING >= 2) & (RANK >= 3) & (RANK <= 5), 8, 0)
    shelter = np.where(RANK == 0, _by(FILE, 18, 30, 6, -4), _by(RANK, 0, -18, -45, -65, -75, -80, -80, -80))
    return np.stack(
        [
            90 + _by(RANK, 0, 0, 2, 6, 14, 28, 55, 0) + centre_pawns,
            318 + _by(RING, -38, -8, 10, 18) + _by(RANK, -8, 0, 0, 0, 4, 4, 0, 0) + outposts,
            328 + _by(RING, -10, 6, 10, 14) + _by(RANK, -8, 2, 2, 0, 0, 0, 0, 0),
            480 + _by(FILE, -4, 0, 5, 10) + _by(RANK, 0, -4, -4, -2, 0, 4, 22, 10),
            950 + _by(RING, -6, 0, 2, 4) + _by(RANK, 0, 4, -2, -6, -6, 0, 4, 0),
            shelter,
        ]
    )


def _end_game() -> NDArray[np.float64]:
    return np.stack(
        [
            110 + _by(RANK, 0, 0, 6, 14, 30, 60, 105, 0) - 2 * FILE,
            300 + _by(RING, -36, -10, 6, 16),
            318 + _by(RING, -10, 0, 6, 10),
            520 + _by(RANK, -4, 0, 0, 2, 4, 8, 16, 8),
            940 + _by(RING, -18, -4, 8, 16),
            _by(RING, -38, -12, 12, 28),
        ]
    )


SCALE = 350.0
"""An edge of 400 centipawns wins ten games of eleven, as 400 Elo points would: tanh(400 / 350) is about 9 / 11."""

EVALUATORS: dict[str, NamedTuple] = {
    "material": Material(plain(), np.zeros(2, np.float32), SCALE),
    "piece_square": Material(placed(), np.array([28, 48], np.float32), SCALE),  # the pair of bishops: by hand, too
}


MIDDLE = 32
"""Units of the two small layers: four registers of eight numbers, small beside the sums of the first layer. Chosen by
hand."""
PIECES = 32
"""As many as there can be."""

FIFTY = 100
"""Plies without a capture or a pawn's move after which a game is a draw; a search asks the rules only for its end."""
NOTHING = np.float32(0.0)
STANDING_SCALE = 320.0
"""Centipawns: tanh(value / STANDING_SCALE) is the expected outcome, as the data set `win` has it (twice its WIDTH)."""


class Standing(NamedTuple):
    """A network with scratch room of its own: give each thread its own copy."""

    net: Any
    """A record (see `lay_out`): weights and scratch behind one pointer."""
    scale: float


@cache
def lay_out(hidden: int, heads: int) -> np.dtype[np.void]:
    """Return what the record of a network holds: its weights, then the room in which it computes."""
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
    net: Any = np.zeros(1, lay_out(first.shape[1], len(stages) + 1))[0]
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
    return Standing(net, STANDING_SCALE)
