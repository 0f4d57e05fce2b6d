"""TD(lambda): a student without a teacher plays against itself and learns what its own next opinion says.

Thompson (2005) proposes it in section 8. A board after a move is valued for who made it; the next board is the other
side's, so a value turns into one minus it at each ply. Targets are the lambda-returns of a finished game, and moves
made only to explore are not counted against the boards before them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.boards import encode
from understudy.games.rules import count, moves, play
from understudy.kernels import kernel
from understudy.search.choosers import CHANCES, Room, Valuing, choose
from understudy.search.random_state import below
from understudy.trainers.backpropagation import Changes, Rule, learn


class Tale(NamedTuple):
    """One game, as it is told to the student afterwards."""

    boards: NDArray[np.float32]
    """[plies, inputs]: what the board after each move looked like to who made it."""
    values: NDArray[np.float64]
    """What the best move was thought to be worth at each ply."""
    explored: NDArray[np.bool_]
    """Where another move was made."""
    targets: NDArray[np.float64]


def make_tale(plies: int, inputs: int) -> Tale:
    """Return room for a game."""
    return Tale(np.zeros((plies, inputs), np.float32), np.zeros(plies), np.zeros(plies, np.bool_), np.zeros(plies))


@kernel
def play_itself(
    start: Any,
    student: Valuing,
    rule: Rule,
    changes: Changes,
    tale: Tale,
    trace: float,
    exploration: float,
    games: int,
    room: Room,
) -> None:
    """Play *games* against itself, learning after each; *trace* is lambda, *exploration* the share of random moves."""
    network = student.network
    for _ in range(games):
        plies = tell(start, student, tale, exploration, room)
        look_back(tale, plies, trace)
        for ply in range(plies):
            network.units[: tale.boards.shape[1]] = tale.boards[ply]
            learn(network, tale.targets[ply], rule, changes)


@kernel
def tell(start: Any, student: Valuing, tale: Tale, exploration: float, room: Room) -> int:
    """Play one game against oneself and write it down; return how many plies it took."""
    position, ply, network = start, 0, student.network
    while count(position) > 0:
        place = choose(student, position, room)
        tale.values[ply] = room.values[place]
        tale.explored[ply] = below(room.random_state, CHANCES) < exploration * CHANCES
        if tale.explored[ply]:
            place = below(room.random_state, moves(position, room.codes))
        position = play(position, room.codes[place])
        encode(network.representation, position, 1, network.scratch, tale.boards[ply])
        ply += 1
    return ply


@kernel
def look_back(tale: Tale, plies: int, trace: float) -> None:
    """Write the targets: 1 for the last move, which won; before it, one minus a mixture of opinion and what came."""
    tale.targets[plies - 1] = 1.0
    for ply in range(plies - 2, -1, -1):
        opinion, came = tale.values[ply + 1], tale.targets[ply + 1]
        follows = opinion if tale.explored[ply + 1] else (1.0 - trace) * opinion + trace * came
        tale.targets[ply] = 1.0 - follows
