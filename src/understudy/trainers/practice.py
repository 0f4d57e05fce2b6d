"""Practice: a network plays itself, and its games are kept position by position, to learn from how they ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.kind import ONGOING
from understudy.games.rules import count, moves, outcome, play
from understudy.kernels import kernel
from understudy.search.choosers import Room, choose
from understudy.search.random_state import below
from understudy.trainers.arena import Alleles, Stage, contender_of, ready_for

THOUSAND = 1000


@dataclass(frozen=True, kw_only=True, eq=False)
class Practice:
    """Games of a player against itself."""

    stage: Stage
    player: str | Alleles
    """By name, or a chromosome."""
    games: int
    opening_plies: int
    """At most so many random plies, at least two, come before the player chooses."""
    chance: int
    """Of a thousand later moves so many are random too."""
    seed: tuple[int, ...]


class Practised(NamedTuple):
    """Positions that were played, as the side to move saw them, and how their games ended for it: -1, 0 or 1."""

    mine: NDArray[np.uint64]
    theirs: NDArray[np.uint64]
    results: NDArray[np.int8]


def play_practice(task: Practice) -> Practised:
    """Play the games of a task."""
    stage, rng = task.stage, np.random.default_rng(task.seed)
    ready, player = ready_for(stage, rng), contender_of(stage, task.player, rng)
    most = task.games * stage.limit
    kept = Practised(np.zeros(most, np.uint64), np.zeros(most, np.uint64), np.zeros(most, np.int8))
    filled = 0
    for _ in range(task.games):
        opening = int(rng.integers(2, max(task.opening_plies, 2) + 1))
        filled = practised(ready.game.start(), player, opening, task.chance, stage.limit, ready.room, kept, filled)
    return Practised(kept.mine[:filled], kept.theirs[:filled], kept.results[:filled])


@kernel
def practised(
    start: Any, player: Any, opening: int, chance: int, limit: int, room: Room, kept: Practised, filled: int
) -> int:
    """Play a game and write its positions from *filled* on; return how many are then there in all."""
    position, plies, first = start, 0, filled
    result = outcome(position, count(position))
    while result == ONGOING and plies < limit:
        if plies < opening or below(room.random_state, THOUSAND) < chance:
            place = below(room.random_state, moves(position, room.codes))
        else:
            place = choose(player, position, room)
        position = play(position, room.codes[place])
        plies += 1
        result = outcome(position, count(position))
        if result == ONGOING and plies > opening:
            kept.mine[filled], kept.theirs[filled] = position.mine, position.theirs
            kept.results[filled] = position.ply & 1
            filled += 1
    ending = 0 if result == ONGOING else result
    for row in range(first, filled):
        kept.results[row] = ending if kept.results[row] == position.ply & 1 else -ending
    return filled
