"""Whole matches between two choosers inside one kernel: for the thousands of games of a study."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.rules import count, outcome, play
from understudy.games.variant import ONGOING
from understudy.kernels import kernel
from understudy.search.choosers import Room, choose

LOST, DRAWN, WON = range(3)


@kernel
def duel(start: Any, one: Any, other: Any, games: int, room: Room, results: NDArray[np.int64]) -> None:
    """Play *games* from *start*, sides alternating; count in *results* [first or second, lost drawn won] for *one*."""
    for game in range(games):
        second = game & 1
        results[second, 1 + played(start, one, other, second, room)] += 1


@kernel
def played(start: Any, one: Any, other: Any, second: int, room: Room) -> int:
    """Play a game, *one* having the odd plies if *second* is 1; return its outcome for *one*: -1, 0 or 1."""
    position = start
    result = outcome(position, count(position))
    while result == ONGOING:
        if position.ply & 1 == second:
            place = choose(one, position, room)
        else:
            place = choose(other, position, room)
        position = play(position, room.codes[place])
        result = outcome(position, count(position))
    return result if position.ply & 1 == second else -result
