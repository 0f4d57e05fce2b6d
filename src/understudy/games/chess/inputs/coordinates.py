"""Chess positions as a list of pieces with their coordinates, which Sabatelli (2017) describes and never tries.

After Lai (2015): each side has sixteen slots, as many for each kind as the game begins with, and a slot holds whether
its piece is there, and its file and rank. So pieces near each other have numbers near each other, whatever cells they
are on. A side's 48 numbers stand in a plane of their own, one after another; it is no picture of the board. Pieces of
a kind fill their slots from a1 on; a promoted one for which there is no slot is not seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, lowest, rest
from understudy.games.chess.attacks import kings
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

SLOTS = np.array([8, 2, 2, 2, 1, 1], np.int64)
"""Pawns, knights, bishops, rooks, queens, king."""
SIDES = 2
"""Planes: the lower side's pieces, then the other's."""


@kernel
def write_coordinates(seen: Chess, out: NDArray[Any]) -> None:
    """Write the slots of both sides into two planes [planes, 64]; they hold zeros before."""
    kinds = (seen.pawns, seen.knights, seen.bishops, seen.rooks, seen.queens, kings(seen))
    first = 0
    for kind in range(len(SLOTS)):
        _fill_slots(kinds[kind] & seen.mine, first, SLOTS[kind], out[0])
        _fill_slots(kinds[kind] & seen.theirs, first, SLOTS[kind], out[1])
        first += SLOTS[kind]


@kernel
def _fill_slots(pieces: Mask, first: int, slots: int, out: NDArray[Any]) -> None:
    """Write the pieces of a kind: 1 if one is there, then file and rank, from -7 to 7 so that the middle is 0."""
    slot = first
    while pieces != NONE and slot < first + slots:
        cell = lowest(pieces)
        pieces = rest(pieces)
        out[3 * slot] = 1
        out[3 * slot + 1] = 2 * (cell & 7) - 7
        out[3 * slot + 2] = 2 * (cell >> 3) - 7
        slot += 1
