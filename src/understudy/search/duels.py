"""Whole matches between two choosers inside one kernel: for the thousands of games of a study."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.kind import ONGOING
from understudy.games.rules import count, outcome, play
from understudy.kernels import kernel
from understudy.search.choosers import Room, choose

LOST, DRAWN, WON = range(3)
ENDLESS = 1 << 40
"""A number of plies that no game reaches."""


@kernel
def duel(start: Any, one: Any, other: Any, games: int, room: Room, results: NDArray[np.int64]) -> None:
    """Play *games* from *start*, sides alternating; count in *results* [first or second, lost drawn won] for *one*."""
    for game in range(games):
        second = game & 1
        result, _ = contest(start, one, other, second, ENDLESS, room)
        results[second, 1 + result] += 1


@kernel
def contest(start: Any, one: Any, other: Any, second: int, limit: int, room: Room) -> tuple[int, int]:
    """Play a game, *one* having the odd plies if *second* is 1; return its outcome for *one* and its plies.

    A game that is not over after *limit* plies is a draw.
    """
    position = start
    result, plies = outcome(position, count(position)), 0
    while result == ONGOING and plies < limit:
        if position.ply & 1 == second:
            place = choose(one, position, room)
        else:
            place = choose(other, position, room)
        position = play(position, room.codes[place])
        plies += 1
        result = outcome(position, count(position))
    if result == ONGOING:
        return 0, plies
    return (result if position.ply & 1 == second else -result), plies
