"""What is wrong with an illegal choice in chess: whose piece, where to, how it moves, the king's safety, promotion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest
from understudy.games.chess.attacks import (
    KING,
    KNIGHT,
    PAWN,
    attacked,
    diagonal,
    in_check,
    kings,
    straight,
)
from understudy.games.chess.position import HOME, KING_SIDE, QUEEN_SIDE, Chess
from understudy.games.chess.rules import KING_GAP, QUEEN_GAP
from understudy.games.mistakes import FINE
from understudy.games.rows import row_of, typed
from understudy.kernels import kernel

MISTAKES = {
    "from_empty": "no piece stands where the move begins",
    "from_theirs": "the other's piece moves",
    "own_target": "an own piece stands on the target",
    "castling_right": "castles though king or rook has moved",
    "castling_blocked": "castles though a piece stands between king and rook",
    "castling_check": "castles out of check, or across or into a cell that is attacked",
    "en_passant": "takes a pawn in passing that may not be taken so",
    "pawn_capture": "a pawn goes aslant though there is nothing to take",
    "pawn_blocked": "a pawn goes straight on though a piece stands in its way",
    "pawn_geometry": "a pawn goes as no pawn goes from its cell",
    "geometry": "a piece goes as its kind never goes",
    "path_blocked": "a piece stands in the way of bishop, rook or queen",
    "king_into_check": "the king goes where it is attacked",
    "check_unanswered": "the king is in check and stays so",
    "pinned": "a piece leaves the king open to an attack that there was not before",
    "promotion_missing": "a pawn reaches the last rank and stays a pawn",
    "promotion_wrong": "something is promoted that is no pawn on the last rank",
}
"""In the order in which they are looked for. A capture in passing that would leave the king in check is one that may
not be made: the position does not mark it."""

(FROM_EMPTY, FROM_THEIRS, OWN_TARGET, CASTLING_RIGHT, CASTLING_BLOCKED, CASTLING_CHECK, EN_PASSANT, PAWN_CAPTURE,
 PAWN_BLOCKED, PAWN_GEOMETRY, GEOMETRY, PATH_BLOCKED, KING_INTO_CHECK, CHECK_UNANSWERED, PINNED, PROMOTION_MISSING,
 PROMOTION_WRONG) = range(len(MISTAKES))  # fmt: skip


def blame(batch: Chess, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the mistake of each choice."""
    blamed = np.empty(len(parts), np.int64)
    _blame(typed(batch), parts, blamed)
    return blamed


@kernel
def _blame(batch: Chess, parts: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    for row in range(len(parts)):
        position, origin, to = row_of(batch, row), parts[row, 0], parts[row, 1]
        out[row] = _blame_way(position, origin, to)
        if out[row] == FINE:
            out[row] = _blame_safety(position, origin, to)
        if out[row] == FINE:
            out[row] = _blame_promotion(position, origin, to, parts[row, 2])


@kernel
def _blame_way(position: Chess, origin: int, to: int) -> int:
    """Return what is wrong with how a piece goes from *origin* to *to*, the king's safety aside."""
    piece = bit(origin)
    if position.mine & piece == NONE:
        return FROM_EMPTY if position.theirs & piece == NONE else FROM_THEIRS
    if position.mine & bit(to) != NONE:
        return OWN_TARGET
    if kings(position) & piece != NONE and origin == HOME and (to == HOME + 2 or to == HOME - 2):
        return _blame_castling(position, to)
    if position.pawns & piece != NONE:
        return _blame_pawn(position, origin, to)
    if _reach(position, origin, NONE) & bit(to) == NONE:
        return GEOMETRY
    return FINE if _reach(position, origin, position.mine | position.theirs) & bit(to) != NONE else PATH_BLOCKED


@kernel
def _blame_castling(position: Chess, to: int) -> int:
    """Return what is wrong with a king that goes two cells aside from its home."""
    right, gap = (KING_SIDE, KING_GAP) if to > HOME else (QUEEN_SIDE, QUEEN_GAP)
    occupied = position.mine | position.theirs
    if position.castling & right == 0:
        return CASTLING_RIGHT
    if occupied & gap != NONE:
        return CASTLING_BLOCKED
    for cell in (HOME, (HOME + to) // 2, to):
        if attacked(position, cell, occupied & ~bit(HOME), position.theirs):
            return CASTLING_CHECK
    return FINE


@kernel
def _blame_pawn(position: Chess, origin: int, to: int) -> int:
    """Return what is wrong with how a pawn goes."""
    occupied = position.mine | position.theirs
    if PAWN[origin] & bit(to) != NONE:
        if position.theirs & bit(to) != NONE or (position.passant > 0 and to == position.passant):
            return FINE
        beside = 40 <= to < 48 and position.pawns & position.theirs & bit(to - 8) != NONE
        return EN_PASSANT if beside else PAWN_CAPTURE
    if to == origin + 8:
        return FINE if occupied & bit(to) == NONE else PAWN_BLOCKED
    if to == origin + 16 and origin < 16:  # from the second rank, where pawns start; none stands on the first
        return FINE if occupied & (bit(to) | bit(to - 8)) == NONE else PAWN_BLOCKED
    return PAWN_GEOMETRY


@kernel
def _reach(position: Chess, cell: int, occupied: Mask) -> Mask:
    """Return where a piece that is no pawn goes when the cells *occupied* block its way."""
    piece, reach = bit(cell), NONE
    if position.knights & piece != NONE:
        reach |= KNIGHT[cell]
    if kings(position) & piece != NONE:
        reach |= KING[cell]
    if (position.bishops | position.queens) & piece != NONE:
        reach |= diagonal(cell, occupied)
    if (position.rooks | position.queens) & piece != NONE:
        reach |= straight(cell, occupied)
    return reach


@kernel
def _blame_safety(position: Chess, origin: int, to: int) -> int:
    """Return whether the own king is attacked after a move, and why."""
    own, taken = kings(position) & position.mine, bit(to)
    if position.pawns & bit(origin) != NONE and position.passant > 0 and to == position.passant:
        taken = bit(to - 8)
    king = to if own == bit(origin) else lowest(own)
    occupied = ((position.mine | position.theirs) & ~(bit(origin) | taken)) | bit(to)
    if not attacked(position, king, occupied, position.theirs & ~taken):
        return FINE
    if own == bit(origin):
        return KING_INTO_CHECK
    return CHECK_UNANSWERED if in_check(position) else PINNED


@kernel
def _blame_promotion(position: Chess, origin: int, to: int, promotion: int) -> int:
    """Return whether a pawn on the last rank, and no other piece, becomes something else."""
    due = position.pawns & bit(origin) != NONE and to >= 56
    if due == (promotion > 0):
        return FINE
    return PROMOTION_MISSING if due else PROMOTION_WRONG
