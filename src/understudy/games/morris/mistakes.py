"""What is wrong with an illegal choice in Nine Men's Morris."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, bit, popcount
from understudy.games.mistakes import FINE
from understudy.games.morris.notation import BIT, Morris
from understudy.games.morris.rules import closers, neighbours, removable
from understudy.games.rows import row_of, typed
from understudy.kernels import kernel

MISTAKES = {
    "no_target": "the stone goes nowhere",
    "occupied": "a stone stands on the target",
    "from_while_placing": "a stone of the board moves though stones are in hand",
    "no_from": "no stone of the board moves though none is in hand",
    "from_empty": "no stone stands where the move begins",
    "from_theirs": "the other's stone moves",
    "not_adjacent": "the stone goes further than to the next cell, with more than three stones left",
    "removal_without_mill": "a stone is removed though no mill is closed",
    "no_removal": "a mill is closed and nothing removed",
    "removed_own": "an own stone is removed",
    "removed_empty": "the cell is empty from which a stone is removed",
    "removed_protected": "a stone is removed from a mill though others stand outside of mills",
}
"""In the order in which they are looked for: the target, the stone that moves, its way, what it removes."""

(NO_TARGET, OCCUPIED, FROM_WHILE_PLACING, NO_FROM, FROM_EMPTY, FROM_THEIRS, NOT_ADJACENT,
 REMOVAL_WITHOUT_MILL, NO_REMOVAL, REMOVED_OWN, REMOVED_EMPTY, REMOVED_PROTECTED) = range(len(MISTAKES))  # fmt: skip

_BIT = np.array(BIT)
"""Of the papers' numbers, in which parts come: the bit of the cell plus one, 0 for none."""


def blame(batch: Morris, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the mistake of each choice."""
    blamed = np.empty(len(parts), np.int64)
    _blame(typed(batch), parts, blamed)
    return blamed


@kernel
def _blame(batch: Morris, parts: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    for row in range(len(parts)):
        to, origin, removed = _BIT[parts[row, 0]], _BIT[parts[row, 1]], _BIT[parts[row, 2]]
        position = row_of(batch, row)
        out[row] = _blame_way(position, to, origin)
        if out[row] == FINE:
            out[row] = _blame_removal(position, to, origin, removed)


@kernel
def _blame_way(position: Morris, to: int, origin: int) -> int:
    """Return what is wrong with a stone that comes from *origin* to *to*, cells plus one."""
    if to == 0:
        return NO_TARGET
    if (position.mine | position.theirs) & bit(to - 1) != NONE:
        return OCCUPIED
    if position.hand > 0:
        return FINE if origin == 0 else FROM_WHILE_PLACING
    if origin == 0:
        return NO_FROM
    if position.mine & bit(origin - 1) == NONE:
        return FROM_EMPTY if position.theirs & bit(origin - 1) == NONE else FROM_THEIRS
    near = popcount(position.mine) == 3 or neighbours(bit(to - 1)) & bit(origin - 1) != NONE
    return FINE if near else NOT_ADJACENT


@kernel
def _blame_removal(position: Morris, to: int, origin: int, removed: int) -> int:
    """Return what is wrong with what is removed after a stone has come to *to*."""
    stay = position.mine if origin == 0 else position.mine & ~bit(origin - 1)
    if closers(stay) & bit(to - 1) == NONE:
        return FINE if removed == 0 else REMOVAL_WITHOUT_MILL
    if removed == 0:
        return FINE if position.theirs == NONE else NO_REMOVAL
    stone = bit(removed - 1)
    if (stay | bit(to - 1)) & stone != NONE:
        return REMOVED_OWN
    if position.theirs & stone == NONE:
        return REMOVED_EMPTY
    return FINE if removable(position.theirs) & stone != NONE else REMOVED_PROTECTED
