"""What a selective search asks of chess: what an exchange wins, whether it is safe to pass, what is a draw."""

from __future__ import annotations

import numpy as np

from understudy.games.bits import NONE, Mask, bit, flipped, lowest, popcount
from understudy.games.chess.attacks import KING, KNIGHT, PAWN, diagonal, kind_on, kings, straight
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

WORTH = np.array([100, 310, 325, 500, 950, 20_000], np.int64)
"""Centipawns of pawn, knight, bishop, rook, queen and king in an exchange."""

DARK = np.uint64(0xAA55_AA55_AA55_AA55)


@kernel
def exchange(position: Chess, move: int, least: int) -> bool:
    """Tell whether *move* wins *least* centipawns or more if both sides then capture on its cell as long as it pays.

    `balance` is what the side that moved last has beyond its goal if the other stops now; the goals of the two exclude
    each other. Pins are not seen.
    """
    cell, to, promotion = move >> 9, (move >> 3) & 63, move & 7
    taken, prey, risk = kind_on(position, to), 0, WORTH[kind_on(position, cell)]
    if taken >= 0:
        prey = WORTH[taken]
    occupied = (position.mine | position.theirs) & ~bit(cell)
    if position.passant > 0 and to == position.passant and position.pawns & bit(cell) != NONE:
        prey = WORTH[0]
        occupied &= ~bit(to - 8)
    if promotion > 0:
        prey += WORTH[promotion] - WORTH[0]
        risk = WORTH[promotion]
    balance, mine = prey - least, True
    while balance >= 0:
        mine = not mine
        balance = risk - balance - 1
        if balance < 0:  # even the whole piece is not enough
            break
        piece, kind = least_attacker(position, to, occupied, occupied, mine)
        if kind < 0:
            break
        occupied &= ~bit(piece)
        risk = WORTH[kind]
        if kind == 5 and least_attacker(position, to, occupied, occupied, not mine)[1] >= 0:
            break  # a king cannot take what is guarded
    return not mine


@kernel
def least_attacker(position: Chess, to: int, able: Mask, occupied: Mask, mine: bool) -> tuple[int, int]:
    """Return the cell and the kind of a side's cheapest piece of the *able* that attacks *to*; kind -1: none does."""
    side = (position.mine if mine else position.theirs) & able
    below = flipped(PAWN[to ^ 56])
    pieces = (below if mine else PAWN[to]) & position.pawns & side
    if pieces:
        return lowest(pieces), 0
    pieces = KNIGHT[to] & position.knights & side
    if pieces:
        return lowest(pieces), 1
    oblique = diagonal(to, occupied) & side
    if oblique & position.bishops:
        return lowest(oblique & position.bishops), 2
    upright = straight(to, occupied) & side
    if upright & position.rooks:
        return lowest(upright & position.rooks), 3
    pieces = (oblique | upright) & position.queens
    if pieces:
        return lowest(pieces), 4
    pieces = KING[to] & kings(position) & side
    if pieces:
        return lowest(pieces), 5
    return 0, -1


@kernel
def may_pass(position: Chess) -> bool:
    """Tell whether I have a rook, a queen or two pieces: with less, to pass may be better than any move."""
    if (position.rooks | position.queens) & position.mine != NONE:
        return True
    return popcount((position.knights | position.bishops) & position.mine) > 1


@kernel
def lifeless(position: Chess) -> bool:
    """Tell whether fifty moves without progress or want of material make a draw of this position if it is no mate."""
    if position.clock >= 100:
        return True
    if position.pawns | position.rooks | position.queens != NONE:
        return False
    if position.knights != NONE:
        return popcount(position.knights) == 1 and position.bishops == NONE
    return bool(position.bishops & DARK == NONE or position.bishops & ~DARK == NONE)
