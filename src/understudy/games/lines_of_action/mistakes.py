"""What is wrong with an illegal choice in Lines of Action."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, bit, popcount
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.games.lines_of_action.rules import RAYS, WALKS, advances, targets
from understudy.games.mistakes import FINE
from understudy.games.rows import row_of, typed
from understudy.kernels import kernel

MISTAKES = {
    "pass": "passes though there are moves",
    "from_empty": "no stone stands where the move begins",
    "from_theirs": "the other's stone moves",
    "from_stuck": "an own stone moves that has no move",
    "off_board": "the target is not on this board",
    "own_target": "an own stone stands on the target",
    "not_in_line": "the target is in no row, column or diagonal with the stone",
    "wrong_distance": "the stone goes another number of cells than there are stones in its line",
    "jumps_enemy": "the stone jumps over an enemy",
}
"""In the order in which they are looked for: the stone, the target, the way."""

(PASSES, FROM_EMPTY, FROM_THEIRS, FROM_STUCK, OFF_BOARD, OWN_TARGET, NOT_IN_LINE, WRONG_DISTANCE,
 JUMPS_ENEMY) = range(len(MISTAKES))  # fmt: skip


def blame(batch: LinesOfAction, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the mistake of each choice."""
    blamed = np.empty(len(parts), np.int64)
    _blame(typed(batch), parts, blamed)
    return blamed


@kernel
def _blame(batch: LinesOfAction, parts: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    for row in range(len(parts)):
        position, origin, to = row_of(batch, row), parts[row, 0], parts[row, 1]
        if origin == 0 and to == 0:  # how a pass is said
            out[row] = PASSES if advances(position.mine, position.theirs, position.size) > 0 else FINE
        else:
            out[row] = _blame_move(position, origin, to)


@kernel
def _blame_move(position: LinesOfAction, origin: int, to: int) -> int:
    """Return what is wrong with a stone that goes from *origin* to *to*."""
    mine, theirs = position.mine, position.theirs
    if mine & bit(origin) == NONE:
        return FROM_EMPTY if theirs & bit(origin) == NONE else FROM_THEIRS
    if targets(origin, mine, theirs, position.size) == NONE:
        return FROM_STUCK
    if WALKS[position.size, 0] & bit(to) == NONE:
        return OFF_BOARD
    if mine & bit(to) != NONE:
        return OWN_TARGET
    for direction in range(8):
        ahead = RAYS[direction, origin]
        if ahead & bit(to) != NONE:
            back = RAYS[(direction + 4) & 7, origin]
            between = ahead & RAYS[(direction + 4) & 7, to]
            if popcount(between) != popcount((ahead | back) & (mine | theirs)):  # both without the stone's own cell
                return WRONG_DISTANCE
            return FINE if between & theirs == NONE else JUMPS_ENEMY
    return NOT_IN_LINE
