"""Endgames of Morris solved by looking back from the ends of games: the kernels.

What is known of a position is one number, its plies: 0 for a draw, else one more than the plies that are left with best
play of both sides. Whoever moves last wins, so odd plies are lost for the side to move and even ones won: 1 has lost
already, 2 wins with the next move. A space and its reverse (4v3 and 3v4) lead to each other and are solved together;
removals lead to spaces with fewer stones, which are solved before.

Level by level, those positions are taken whose plies are certain, and the positions before them hear of it: one that
leads to a loss of the other side wins; one of which every move leads to a win of the other side loses. What nobody has
heard of in the end is a draw: both sides can go on for ever.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.morris.rules import BOARD_MASK, closers, in_mills, mobility, neighbours, removable
from understudy.games.morris.solving.spaces import Space, place, position
from understudy.kernels import kernel

DRAW = 0
LOST = 1
"""Plies of a position that is over: two stones, or no move."""
SAFE = 65_535
"""Stands for the moves that are left where a removal leads to a draw: nothing can be lost. No position has so many."""
IMAGE_BITS = 5
"""Bits of a message that tell how many images its sender has, 1 to 16; the others tell the place."""
_IMAGES = (1 << IMAGE_BITS) - 1


class Known(NamedTuple):
    """What is known of the positions of a space while it is solved."""

    plies: NDArray[np.uint16]
    """What is certain up to the level that was reached, and beyond it what will be certain if nothing better comes."""
    left: NDArray[np.uint16]
    """Moves without a removal that may still turn out well, counted once for each image of the position."""


@kernel
def begin(space: Space, theirs: int, fewer: Space, solved: NDArray[np.uint16], start: int, known: Known) -> int:
    """Look at all positions of a part of a space from the place *start* on, and at moves that remove a stone.

    These lead to the space *fewer*, whose plies are *solved*. Return the highest plies that are certain.
    """
    highest = 0
    for row in range(len(known.plies)):
        mine, others, images = position(space, theirs, start + row)
        plies, left = _look_at_removals(mine, others, fewer, solved)
        if left != SAFE:
            left = images * _count_quiet(mine, others)
        if plies == DRAW and left == 0:
            plies = LOST
        known.plies[row], known.left[row] = plies, left
        if plies & 1 == 0 or left == 0:
            highest = max(highest, plies)
    return highest


@kernel
def _count_quiet(mine: Mask, theirs: Mask) -> int:
    """Return how many moves close no mill."""
    empty = BOARD_MASK & ~(mine | theirs)
    flying = popcount(mine) == 3
    total = 3 * popcount(empty) if flying else mobility(mine, empty)
    closing = closers(mine) & empty
    while closing != NONE:
        target = bit(lowest(closing))
        closing = rest(closing)
        total -= popcount(_find_closers(mine, target, flying))
    return total


@kernel
def _find_closers(mine: Mask, target: Mask, flying: bool) -> Mask:
    """Return the stones that close a mill by moving to *target*."""
    origins, found = mine if flying else mine & neighbours(target), NONE
    while origins != NONE:
        origin = bit(lowest(origins))
        origins = rest(origins)
        if closers(mine & ~origin) & target:
            found |= origin
    return found


@kernel
def _look_at_removals(mine: Mask, theirs: Mask, fewer: Space, solved: NDArray[np.uint16]) -> tuple[int, int]:
    """Return the best that removals lead to, and SAFE if that is a draw, or a win, which needs no further look."""
    empty, flying = BOARD_MASK & ~(mine | theirs), popcount(mine) == 3
    closing = closers(mine) & empty
    won, lost, safe = 0, 0, False
    while closing != NONE:
        target = bit(lowest(closing))
        closing = rest(closing)
        origins = _find_closers(mine, target, flying)
        while origins != NONE:
            after = (mine & ~bit(lowest(origins))) | target
            origins = rest(origins)
            best = _look_at_prey(after, theirs, fewer, solved)
            if best & 1:
                won = best + 1 if won == 0 else min(won, best + 1)
            elif best == DRAW:
                safe = True
            else:
                lost = max(lost, best + 1)
    if won:
        return won, SAFE
    return (DRAW, SAFE) if safe else (lost, 0)


@kernel
def _look_at_prey(mine: Mask, theirs: Mask, fewer: Space, solved: NDArray[np.uint16]) -> int:
    """Return the plies of the other side after the best removal: lost soonest, else a draw, else won latest."""
    if popcount(theirs) == 3:
        return LOST
    prey = removable(theirs)
    lost, drawn, won = 0, False, 0
    while prey != NONE:
        plies = int(solved[place(fewer, theirs & ~bit(lowest(prey)), mine)])
        prey = rest(prey)
        if plies & 1:
            lost = plies if lost == 0 else min(lost, plies)
        elif plies == DRAW:
            drawn = True
        else:
            won = max(won, plies)
    if lost:
        return lost
    return DRAW if drawn else won


@kernel
def find_certain(known: Known, level: int, start: int, out: NDArray[np.int64]) -> tuple[int, int]:
    """Write from the place *start* on where *level* plies are certain; return how many, and where to go on.

    It ends when *out* is full, or at the end of the space.
    """
    total, row = 0, start
    while row < len(known.plies) and total < len(out):
        if known.plies[row] == level and (level & 1 == 0 or known.left[row] == 0):
            out[total] = row
            total += 1
        row += 1
    return total, row


@kernel
def look_back(space: Space, theirs: int, earlier: Space, places: NDArray[np.int64], out: NDArray[np.uint64]) -> int:
    """Write a message to every position from which a move without a removal leads to one of *places*; return how many.

    A message is the place in the space *earlier*, and how many images the sender has.
    """
    total = 0
    for row in range(len(places)):
        mine, others, images = position(space, theirs, places[row])
        empty, arrived = BOARD_MASK & ~(mine | others), others & ~in_mills(others)
        while arrived != NONE:
            stone = bit(lowest(arrived))
            arrived = rest(arrived)
            origins = empty if theirs == 3 else empty & neighbours(stone)
            while origins != NONE:
                before = (others & ~stone) | bit(lowest(origins))
                origins = rest(origins)
                out[total] = np.uint64((place(earlier, before, mine) << IMAGE_BITS) | images)
                total += 1
    return total


@kernel
def hear(known: Known, messages: NDArray[np.uint64], level: int) -> int:
    """Let positions know that a move of theirs leads to *level* plies; return the highest plies now certain."""
    highest = 0
    for message in messages:
        row = np.int64(message >> np.uint64(IMAGE_BITS))
        plies, left = int(known.plies[row]), int(known.left[row])
        if level & 1:
            if plies == DRAW or plies & 1 or plies > level + 1:
                known.plies[row] = level + 1
                highest = level + 1
        elif left != SAFE and (plies & 1 or plies == DRAW):
            left -= int(message & np.uint64(_IMAGES))
            known.left[row] = left
            if left == 0:
                known.plies[row] = max(plies, level + 1)
                highest = max(highest, plies, level + 1)
    return highest


@kernel
def settle(known: Known) -> None:
    """Make a draw of whatever is not certain in the end: some moves lose, but not all of them."""
    for row in range(len(known.plies)):
        if known.plies[row] & 1 and known.left[row] != 0:
            known.plies[row] = DRAW
