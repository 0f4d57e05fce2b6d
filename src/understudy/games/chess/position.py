"""A chess position and the board: what the kernels and the text of chess share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from understudy.games.bits import Mask
from understudy.protocols import Board

HOME = 4
"""The cell of the mover's king before it moves: e1."""

KING_SIDE, QUEEN_SIDE, THEIR_KING_SIDE, THEIR_QUEEN_SIDE = 1, 2, 4, 8
"""Bits of `castling`."""


class Chess(NamedTuple):
    """A position seen by the side to move, whose pieces go up; masks of pieces hold both sides, kings are the rest."""

    mine: Mask
    theirs: Mask
    pawns: Mask
    knights: Mask
    bishops: Mask
    rooks: Mask
    queens: Mask
    castling: int
    passant: int
    """The cell behind a pawn that may be taken in passing (40 to 47), only if some such capture is legal; else 0."""
    clock: int
    """Plies since the last capture or move of a pawn."""
    ply: int


START = Chess(
    mine=np.uint64(0x000000000000FFFF),
    theirs=np.uint64(0xFFFF000000000000),
    pawns=np.uint64(0x00FF00000000FF00),
    knights=np.uint64(0x4200000000000042),
    bishops=np.uint64(0x2400000000000024),
    rooks=np.uint64(0x8100000000000081),
    queens=np.uint64(0x0800000000000008),
    castling=KING_SIDE | QUEEN_SIDE | THEIR_KING_SIDE | THEIR_QUEEN_SIDE,
    passant=0,
    clock=0,
    ply=0,
)


def board() -> Board:
    """Return the board as a person draws it, white below."""
    places = tuple((float(cell % 8), float(cell // 8)) for cell in range(64))
    return Board(tuple(f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh"), places, ())
