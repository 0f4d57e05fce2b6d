"""Whether positions of chess are some that the rules know, millions at once: for files that hold them as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, popcount
from understudy.games.chess.attacks import kings
from understudy.games.chess.fen import passed, possible
from understudy.games.chess.position import (
    HOME,
    KING_SIDE,
    QUEEN_SIDE,
    THEIR_KING_SIDE,
    THEIR_QUEEN_SIDE,
    Chess,
)
from understudy.games.rows import row_of, typed
from understudy.kernels import kernel

SOUND, CROWDED, KINGS, PAWNS, PIECES, RIGHTS, PASSED, CHECK, NUMBERS = range(9)
FAULTS = {
    CROWDED: "two pieces share a cell, or a piece belongs to no side",
    KINGS: "a side has no king or several",
    PAWNS: "a pawn stands on the first or the last rank",
    PIECES: "a side has more than sixteen pieces or eight pawns",
    RIGHTS: "a right to castle without king and rook at home",
    PASSED: "no pawn can just have passed the cell of passage",
    CHECK: "no last move can have led to these checks",
    NUMBERS: "the clock or the ply is no number of a game",
}
"""What is wrong with a position, in words."""
MOST_PLIES = 1 << 20
"""More than any game has: fifty moves without a capture or a move of a pawn end one long before."""
_ENDS = np.uint64(0xFF000000000000FF)
"""The first and the last rank."""
_HOMES = (
    (KING_SIDE, HOME, 7), (QUEEN_SIDE, HOME, 0), (THEIR_KING_SIDE, HOME + 56, 63), (THEIR_QUEEN_SIDE, HOME + 56, 56),
)  # fmt: skip
"""The bit of each right, and the cells of king and rook that it needs."""
_RIGHTS = np.array([right for right, _, _ in _HOMES], np.int64)
_CELLS = np.array([[king, rook] for _, king, rook in _HOMES], np.uint64)


def find_faults(batch: Any) -> dict[int, str]:
    """Return what is wrong with each position that the rules do not know, by row."""
    faults = np.zeros(len(batch.mine), np.int8)
    _check_all(typed(batch), faults)
    return {row: f"this is no position of chess: {FAULTS[faults[row]]}" for row in np.flatnonzero(faults).tolist()}


@kernel
def _check_all(batch: Any, faults: NDArray[np.int8]) -> None:
    for row in range(len(faults)):
        faults[row] = find_fault(row_of(batch, row))


@kernel
def find_fault(position: Chess) -> int:
    """Return which fault a position has; what is asked first must hold for what is asked later."""
    if _overlapping(position):
        return CROWDED
    for side in (position.mine, position.theirs):
        if popcount(kings(position) & side) != 1:
            return KINGS
        if popcount(side) > 16 or popcount(position.pawns & side) > 8:
            return PIECES
    if position.pawns & _ENDS != NONE:
        return PAWNS
    if not 0 <= position.clock < MOST_PLIES or not 0 <= position.ply < MOST_PLIES:
        return NUMBERS
    if not _may_castle(position):
        return RIGHTS
    if position.passant != 0 and not passed(position, position.passant):
        return PASSED
    return SOUND if possible(position, position.passant) else CHECK


@kernel
def _overlapping(position: Chess) -> bool:
    """Tell whether a cell has two sides or two kinds of pieces, or a kind without a side."""
    if position.mine & position.theirs != NONE:
        return True
    met = NONE
    for kind in (position.pawns, position.knights, position.bishops, position.rooks, position.queens):
        if met & kind != NONE:
            return True
        met |= kind
    return bool(met & ~(position.mine | position.theirs) != NONE)


@kernel
def _may_castle(position: Chess) -> bool:
    """Tell whether king and rook stand at home wherever a right says so."""
    if not 0 <= position.castling < 16:
        return False
    for place in range(4):
        side = position.mine if place < 2 else position.theirs
        if position.castling & _RIGHTS[place]:
            king, rook = np.uint64(1) << _CELLS[place, 0], np.uint64(1) << _CELLS[place, 1]
            if kings(position) & side & king == NONE or position.rooks & side & rook == NONE:
                return False
    return True
