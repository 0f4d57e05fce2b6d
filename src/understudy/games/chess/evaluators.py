"""What a chess position is worth by its pieces: their values, and where they stand in middle game and end game.

Numbers are centipawns. `material` has the piece values of Sabatelli (2017); the tables of `piece_square` are our own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, lowest, popcount, rest
from understudy.games.chess.attacks import kings
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import KINDS
from understudy.kernels import kernel

FULL = 24
"""The weight of all pieces of both sides: knights and bishops 1, rooks 2, queens 4."""

DARK = np.uint64(0xAA55_AA55_AA55_AA55)


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
    """Return tables of piece values alone, whatever the cell and the phase."""
    values = np.array([100, 300, 300, 500, 900, 0], np.float32)
    return np.tile(values[None, :, None], (2, 1, 64))


RANK = np.arange(64) // 8
FILE = np.minimum(np.arange(64) % 8, 7 - np.arange(64) % 8)
"""Files from the edge, 0, to the centre, 3."""
RING = np.minimum(FILE, np.minimum(RANK, 7 - RANK))
"""Rings of cells from the edge, 0, to the centre, 3."""


def _by(index: NDArray[np.int64], *values: float) -> NDArray[np.float64]:
    return np.array(values, np.float64)[index]


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
    "piece_square": Material(placed(), np.array([28, 48], np.float32), SCALE),
}
