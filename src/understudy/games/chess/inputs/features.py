"""Four planes that tell what is going on in a chess position: check, pins, the centre, and the way to f2 and f7.

The words of the thesis (section 7.1.1) leave room; its figures 7.3, 7.5 and 7.7 do not, so we follow the figures.
The side that goes up counts positive, the other negative, whoever is to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, flipped, highest, lowest, popcount, rest
from understudy.games.chess.attacks import KING, KNIGHT, PAWN, RAYS, diagonal, kind_on, kings, straight
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

FEATURES = 4
"""Planes: check, pins, centre, f2 and f7."""

WORTHS = np.array([1, 3, 3, 5, 9, 10], np.int64)
"""The thesis's worths of pawn, knight, bishop, rook, queen and king."""

CENTRE = np.array([26, 27, 28, 34, 35, 36], np.int64)
"""c4 d4 e4 c5 d5 e5."""

F2, F7 = 13, 53

PAWN_BELOW = np.array([flipped(PAWN[cell ^ 56]) for cell in range(64)], np.uint64)
"""The cells from which a pawn that goes up attacks each cell."""


@kernel
def write_features(seen: Chess, sign_only: bool, out: NDArray[Any]) -> None:
    """Write the four planes [planes, 64]; *out* holds zeros before."""
    out[0] = check(seen)
    _mark(pin_lines(seen, seen.theirs, seen.mine), 1, out[1])
    _mark(pin_lines(seen, seen.mine, seen.theirs), -1, out[1])
    for cell in CENTRE:
        out[2, cell] = control(seen, cell, sign_only)
    _write_ways(seen, F7, seen.mine, 1, out[3])
    _write_ways(seen, F2, seen.theirs, -1, out[3])


@kernel
def check(seen: Chess) -> int:
    """Return 1 if the upper side's king is in check, -1 if the lower side's is, else 0."""
    both = kings(seen)
    for side in range(2):
        king = both & (seen.theirs if side == 0 else seen.mine)
        if king != NONE and attackers(seen, lowest(king)) & (seen.mine if side == 0 else seen.theirs):
            return 1 - 2 * side
    return 0


@kernel
def attackers(seen: Chess, cell: int) -> Mask:
    """Return the pieces of both sides that attack *cell*, pinned or not."""
    occupied = seen.mine | seen.theirs
    pawns = ((PAWN[cell] & seen.theirs) | (PAWN_BELOW[cell] & seen.mine)) & seen.pawns
    leapers = (KNIGHT[cell] & seen.knights) | (KING[cell] & kings(seen)) | pawns
    sliders = straight(cell, occupied) & (seen.rooks | seen.queens)
    found: Mask = leapers | sliders | (diagonal(cell, occupied) & (seen.bishops | seen.queens))
    return found


@kernel
def control(seen: Chess, cell: int, sign_only: bool) -> int:
    """Return how many more attackers of *cell* the lower side has, or only the sign of that."""
    found = attackers(seen, cell)
    more = popcount(found & seen.mine) - popcount(found & seen.theirs)
    return (more > 0) - (more < 0) if sign_only else more


@kernel
def pin_lines(seen: Chess, pinned: Mask, pinning: Mask) -> Mask:
    """Return the lines, from edge to edge, on which a piece of *pinning* pins one of *pinned* to its king."""
    lines, occupied, own = NONE, seen.mine | seen.theirs, kings(seen) & pinned
    if own == NONE:
        return lines
    king = lowest(own)
    for direction in range(8):
        ray = RAYS[direction, king]
        kind = seen.bishops if direction & 2 else seen.rooks
        snipers = ray & pinning & (kind | seen.queens)
        if snipers == NONE:
            continue
        sniper = lowest(snipers) if direction < 4 else highest(snipers)
        between = (ray ^ RAYS[direction, sniper]) & occupied & ~bit(sniper)
        if between & pinned and rest(between) == NONE:
            lines |= ray | RAYS[(direction + 4) & 7, king] | own
    return lines


@kernel
def _write_ways(seen: Chess, target: int, hunters: Mask, sign: int, out: NDArray[Any]) -> None:
    """Add each hunter's worth to the target, to the hunter's cell and to the cells between."""
    found = attackers(seen, target) & hunters
    while found != NONE:
        hunter = lowest(found)
        found = rest(found)
        worth = sign * WORTHS[kind_on(seen, hunter)]
        out[target] += worth
        way = bit(hunter)
        for direction in range(8):
            if RAYS[direction, target] & bit(hunter):
                way = RAYS[direction, target] ^ RAYS[direction, hunter]
        _mark(way, worth, out)


@kernel
def _mark(cells: Mask, number: int, out: NDArray[Any]) -> None:
    """Add *number* to every cell."""
    while cells != NONE:
        out[lowest(cells)] += number
        cells = rest(cells)
