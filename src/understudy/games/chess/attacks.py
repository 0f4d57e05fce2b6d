"""Who attacks what in chess: rays, leaps, checks and pins; what an exchange wins; what a selective search asks besides.

A ray is cut off at its nearest piece by taking away the ray that starts there; that needs one table of 4 KB and no
search for magic numbers. Positions are seen by the side to move, so `theirs` go down the board.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, ONE, Mask, bit, flipped, highest, lowest, popcount, rest
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

ALL = ~NONE
TOP = bit(63)
WORTH = np.array([100, 310, 325, 500, 950, 20_000], np.int64)
"""Centipawns of pawn, knight, bishop, rook, queen and king in an exchange. Chosen by hand near the usual
values: a bishop a little above a knight, a king above all that can be won for it."""
DARK = np.uint64(0xAA55_AA55_AA55_AA55)
"""The dark cells: bishops of one shade alone cannot mate."""


def _walk(steps: list[tuple[int, int]], length: int) -> NDArray[np.uint64]:
    """Return the cells met from each cell within *length* steps [steps, cells]; a step is of files and of ranks."""
    table = np.zeros((len(steps), 64), np.uint64)
    for (across, up), row in zip(steps, table, strict=True):
        for cell in range(64):
            for far in range(1, length + 1):
                file, rank = cell % 8 + far * across, cell // 8 + far * up
                if file in range(8) and rank in range(8):
                    row[cell] |= bit(8 * rank + file)
    return table


def _leaps(steps: list[tuple[int, int]]) -> NDArray[np.uint64]:
    table: NDArray[np.uint64] = np.bitwise_or.reduce(_walk(steps, 1))
    return table


UP = [(0, 1), (1, 0), (1, 1), (-1, 1)]
DOWN = [(-across, -up) for across, up in UP]
RAYS = _walk(UP + DOWN, 7)
"""The cells in eight directions [directions, cells]: 0 to 3 lead to higher cells; 2, 3, 6 and 7 are diagonal."""

KING = _leaps(UP + DOWN)
KNIGHT = _leaps([(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)])
PAWN = _leaps([(-1, 1), (1, 1)])


@kernel
def _up(direction: int, cell: int, occupied: Mask) -> Mask:
    """Return the ray to higher cells as far as the first piece; beyond the last cell there is no ray to cut off."""
    ray: Mask = RAYS[direction, cell]
    beyond: Mask = RAYS[direction, lowest((ray & occupied) | TOP)]
    return ray ^ beyond


@kernel
def _down(direction: int, cell: int, occupied: Mask) -> Mask:
    """Return the ray to lower cells as far as the first piece."""
    ray: Mask = RAYS[direction, cell]
    beyond: Mask = RAYS[direction, highest((ray & occupied) | ONE)]
    return ray ^ beyond


@kernel
def straight(cell: int, occupied: Mask) -> Mask:
    """Return the cells that a rook attacks."""
    return _up(0, cell, occupied) | _up(1, cell, occupied) | _down(4, cell, occupied) | _down(5, cell, occupied)


@kernel
def diagonal(cell: int, occupied: Mask) -> Mask:
    """Return the cells that a bishop attacks."""
    return _up(2, cell, occupied) | _up(3, cell, occupied) | _down(6, cell, occupied) | _down(7, cell, occupied)


@kernel
def kings(position: Chess) -> Mask:
    """Return both kings."""
    others = position.pawns | position.knights | position.bishops | position.rooks | position.queens
    return (position.mine | position.theirs) & ~others


@kernel
def kind_on(position: Chess, cell: int) -> int:
    """Return the kind of the piece on a cell: pawn 0, knight, bishop, rook, queen, king 5; none -1."""
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    for kind in range(6):
        if kinds[kind] & bit(cell):
            return kind
    return -1


@kernel
def attacked(position: Chess, cell: int, occupied: Mask, theirs: Mask) -> bool:
    """Tell whether one of *theirs* attacks *cell* when the cells *occupied* block rays."""
    leapers = (KNIGHT[cell] & position.knights) | (PAWN[cell] & position.pawns) | (KING[cell] & kings(position))
    if leapers & theirs:
        return True
    if straight(cell, occupied) & (position.rooks | position.queens) & theirs:
        return True
    return bool(diagonal(cell, occupied) & (position.bishops | position.queens) & theirs != NONE)


@kernel
def in_check(position: Chess) -> bool:
    """Tell whether the king of the side to move is attacked."""
    king = lowest(kings(position) & position.mine)
    return attacked(position, king, position.mine | position.theirs, position.theirs)


@kernel
def guard(position: Chess, king: int) -> tuple[Mask, Mask]:
    """Return the cells where a piece answers every check (all cells without check), and my pinned pieces."""
    theirs, occupied = position.theirs, position.mine | position.theirs
    answers = ((KNIGHT[king] & position.knights) | (PAWN[king] & position.pawns)) & theirs
    checks, pinned = popcount(answers), NONE
    for direction in range(8):
        ray = RAYS[direction, king]
        kind = position.bishops if direction & 2 else position.rooks
        snipers = ray & theirs & (kind | position.queens)
        if snipers == NONE:
            continue
        sniper = lowest(snipers) if direction < 4 else highest(snipers)
        line = ray ^ RAYS[direction, sniper]
        between = line & occupied & ~bit(sniper)
        if between == NONE:
            answers |= line
            checks += 1
        elif rest(between) == NONE:
            pinned |= between & position.mine
    if checks == 0:
        return ALL, pinned
    return answers if checks == 1 else NONE, pinned


@kernel
def along(king: int, cell: int) -> Mask:
    """Return the ray from the king through *cell*: where a pinned piece may go."""
    for direction in range(8):
        ray: Mask = RAYS[direction, king]
        if ray & bit(cell):
            return ray
    return NONE


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
