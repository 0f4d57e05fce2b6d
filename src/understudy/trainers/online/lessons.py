"""How pupils learn inside kernels: from a teacher (Thompson 2005), or from themselves by TD(lambda).

A teacher values every successor of the position its pupil stood in, by minimax of some depth, and the pupil takes one
step of back-propagation towards each value; its opponent makes the games. Without a teacher (her section 8) a pupil
plays itself: a board after a move is valued for who made it, the next one is the other side's, so a value turns into
one minus it at each ply; targets are the lambda-returns of a finished game, and moves made only to explore are not
counted against the boards before them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.games.boards import encode
from understudy.games.kind import ONGOING
from understudy.games.rules import count, key, moves, outcome, play
from understudy.kernels import kernel
from understudy.search.choosers import CHANCES, Comparing, Room, Valuing, choose, show_pair
from understudy.search.evaluators import scaled
from understudy.search.memory import below
from understudy.search.minimax import minimax
from understudy.search.workspace import BLIND, PROVEN
from understudy.trainers.online.backpropagation import Changes, Rule, learn

WINDOW = 100
"""Games over which the source counts how many are won."""


class Teacher(NamedTuple):
    """Who says what a board is worth."""

    evaluator: Any
    depth: int


class Progress(NamedTuple):
    """What a training has come to: all but the weights."""

    results: NDArray[np.uint8]
    """For each game 1 if the student won."""
    best: NDArray[np.float32]
    """The weights when most of the last hundred games were won."""
    marks: NDArray[np.int64]
    """Games played; how many of the best hundred were won; after which game that was."""


class Governor(NamedTuple):
    """Who keeps a pupil from learning from the same position too often, as the source wishes (section 5.3.3)."""

    most: int
    """How often a position is learned from; 0: always, and nothing is counted."""
    keys: NDArray[np.uint64]
    """The positions that are counted, each in the slot that the last bits of its key name."""
    counts: NDArray[np.int64]


SLOTS = 1 << 16
"""Positions that a governor counts: all of 4x4, of larger boards those that come often, which are those of openings."""


def make_governor(most: int) -> Governor:
    """Return a governor that has seen nothing."""
    slots = SLOTS if most else 1
    return Governor(most, np.zeros(slots, np.uint64), np.zeros(slots, np.int64))


@kernel
def admit(governor: Governor, position: Any) -> bool:
    """Tell whether a position may still be learned from, and count it.

    Where two positions share a slot the newcomer lowers the count of the other until it takes its place: so whoever
    comes often stays, whoever came once goes, and nobody is turned away who came less often than is allowed.
    """
    if governor.most == 0:
        return True
    name = key(position)
    slot = np.int64(name & np.uint64(len(governor.keys) - 1))
    if governor.counts[slot] == 0:
        governor.keys[slot] = name
    elif governor.keys[slot] != name:
        governor.counts[slot] -= 1
        return True
    if governor.counts[slot] >= governor.most:
        return False
    governor.counts[slot] += 1
    return True


PLAYED, MOST, WHEN = range(3)
EITHER = 2
"""The colour of a student that alternates."""


@kernel
def play_and_learn(
    start: Any,
    student: Any,
    opponent: Any,
    teacher: Teacher,
    rule: Rule,
    changes: Changes,
    governor: Governor,
    progress: Progress,
    colour: int,
    until: int,
    limit: int,
    room: Room,
) -> None:
    """Play games until *until* are played, learning after every turn; *colour* 0 first, 1 second, EITHER alternates.

    A game that is not over after *limit* plies is given up.
    """
    for game in range(progress.marks[PLAYED], until):
        side = game & 1 if colour == EITHER else colour
        position, plies = start, 0
        result = outcome(position, count(position))
        while result == ONGOING and plies < limit:
            if position.ply & 1 == side:
                code = room.codes[choose(student, position, room)]
                if admit(governor, position):
                    study(student, position, teacher, rule, changes, room)
            else:
                code = room.codes[choose(opponent, position, room)]
            position = play(position, code)
            plies += 1
            result = outcome(position, count(position))
        progress.results[game] = result == (1 if position.ply & 1 == side else -1)
        progress.marks[PLAYED] = game + 1
        _keep_best(student, progress, game)


@kernel
def _keep_best(student: Any, progress: Progress, game: int) -> None:
    """Keep the weights if more of the last hundred games were won than ever before."""
    if game + 1 < WINDOW:
        return
    won = 0
    for i in range(game + 1 - WINDOW, game + 1):
        won += progress.results[i]
    if won > progress.marks[MOST]:
        progress.marks[MOST], progress.marks[WHEN] = won, game + 1
        progress.best[:] = student.network.weights


def study(student: Any, position: Any, teacher: Teacher, rule: Rule, changes: Changes, room: Room) -> None:
    """Learn what the teacher says of every successor of *position*; the legal moves stand in `room.codes`."""
    STUDIES[type(student)](student, position, teacher, rule, changes, room)


@overload(study, strict=False)
def _study(student: Any, position: Any, teacher: Any, rule: Any, changes: Any, room: Any) -> Any:
    chosen = STUDIES[student.instance_class]
    return lambda student, position, teacher, rule, changes, room: chosen(
        student, position, teacher, rule, changes, room
    )


@kernel
def _study_values(student: Valuing, position: Any, teacher: Teacher, rule: Rule, changes: Changes, room: Room) -> None:
    network = student.network
    for i in range(ask(teacher, position, room)):
        encode(network.representation, play(position, room.codes[i]), 1, network.scratch, network.units)
        learn(network, room.values[i], rule, changes)


@kernel
def _study_pairs(student: Comparing, position: Any, teacher: Teacher, rule: Rule, changes: Changes, room: Room) -> None:
    """Learn the comparisons that find the teacher's best board, each in both orders."""
    best = 0
    for i in range(1, ask(teacher, position, room)):
        better = room.values[best] - room.values[i]
        target = 0.5 if better == 0.0 else (1.0 if better > 0.0 else 0.0)
        show_pair(student.network, position, room.codes[best], room.codes[i])
        learn(student.network, target, rule, changes)
        show_pair(student.network, position, room.codes[i], room.codes[best])
        learn(student.network, 1.0 - target, rule, changes)
        if better < 0.0:
            best = i


@kernel
def ask(teacher: Teacher, position: Any, room: Room) -> int:
    """Write what the teacher says of every successor, from 0 lost to 1 won, to `room.values`; return how many."""
    room.workspace.tally[BLIND] = 0
    minimax(position, teacher.evaluator, teacher.depth, room.values, room.workspace)
    width = count(position)
    for i in range(width):
        value = room.values[i]
        if abs(value) > PROVEN:
            room.values[i] = 1.0 if value > 0 else 0.0
        else:
            room.values[i] = scaled(teacher.evaluator, position, value)
    return width


STUDIES: dict[type, Any] = {Valuing: _study_values, Comparing: _study_pairs}


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
        plies, final = tell(start, student, tale, exploration, room)
        look_back(tale, plies, final, trace)
        for ply in range(plies):
            network.units[: tale.boards.shape[1]] = tale.boards[ply]
            learn(network, tale.targets[ply], rule, changes)


@kernel
def tell(start: Any, student: Valuing, tale: Tale, exploration: float, room: Room) -> tuple[int, float]:
    """Play one game against oneself and write it down; return its plies and what it brought to who moved last.

    A game that is longer than there is room for is a draw.
    """
    position, ply, network = start, 0, student.network
    result = outcome(position, count(position))
    while result == ONGOING and ply < len(tale.values):
        place = choose(student, position, room)
        tale.values[ply] = room.values[place]
        tale.explored[ply] = below(room.random_state, CHANCES) < exploration * CHANCES
        if tale.explored[ply]:
            place = below(room.random_state, moves(position, room.codes))
        position = play(position, room.codes[place])
        encode(network.representation, position, 1, network.scratch, tale.boards[ply])
        ply += 1
        result = outcome(position, count(position))
    return ply, (0.5 if result == ONGOING else 0.5 - 0.5 * result)


@kernel
def look_back(tale: Tale, plies: int, final: float, trace: float) -> None:
    """Write the targets: of the last move what it brought; before it, one minus a mixture of opinion and what came."""
    tale.targets[plies - 1] = final
    for ply in range(plies - 2, -1, -1):
        opinion, came = tale.values[ply + 1], tale.targets[ply + 1]
        follows = opinion if tale.explored[ply + 1] else (1.0 - trace) * opinion + trace * came
        tale.targets[ply] = 1.0 - follows
