"""Choosers: players small enough to live inside a kernel, so that whole games and matches are played without Python.

Each is a value whose type picks its code. Equally good moves are chosen between by chance, as Thompson (2005) does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.games.bits import WORD, Mask, mixed
from understudy.games.boards import encode, input_width
from understudy.games.kind import ONGOING
from understudy.games.rules import count, key, moves, outcome, play
from understudy.kernels import kernel
from understudy.search.evaluators import Noise
from understudy.search.evaluators.sigmoid import Sigmoid, forward
from understudy.search.memory import Memory, below, make_random_state, number, recall_value
from understudy.search.minimax import minimax
from understudy.search.negascout import negascout
from understudy.search.workspace import (
    BLIND,
    GENERATION,
    NODES,
    STOP,
    TABLE_BITS,
    UNAWARE,
    Table,
    Workspace,
    make_table,
    make_workspace,
)
from understudy.search.workspace import clear as clear_workspace

CHANCES = 1_000_000
"""Exploration is drawn in millionths."""
LOST, DRAWN, WON = range(3)
"""Columns in which results are counted: 1 + the outcome."""
RESULT = 3
"""The bits of a mark that hold the result of its game, by the columns above."""
_UNMOVED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
"""A game's hash before its first move, and by what it is multiplied after each: one product, because whole games of
some choosers take two microseconds. The first is FNV's, the second odd and without pattern (2^64 over the golden
ratio); the bits are stirred once, at the end."""
FIRST_BITS, PLY_BITS = 2, 3
"""A search has some eight times the nodes of one that is a ply shorter, and with one of three plies (250 nodes that are
no leaves) this many bits make a table of 2 048 entries. Measured: games at 3 plies gain a fourteenth by it, at 5 plies
a twenty-fifth."""
_RESULT_ROOM = np.uint64(3)
"""Bits that a hash gives up for a mark: two for the result, one so that marks are no negative numbers."""


class Anyone(NamedTuple):
    """Chooses at random."""

    kinds: int = 1
    """A kernel knows no empty tuple."""


class Minimax(NamedTuple):
    """Looks *depth* plies ahead without pruning."""

    evaluator: Any
    depth: int
    blind: int = 0
    """1: a game that is over at the horizon is left to the evaluator, as the source's program did."""


class Looking(NamedTuple):
    """Looks *depth* plies ahead with NegaScout: the same choice as minimax in less time."""

    evaluator: Any
    depth: int
    shuffled: int = 0
    """1: of equally good moves one is taken by chance; 0: the first."""
    unaware: int = 0
    """1: the rules are not asked whether a game is over; the evaluator values finished games as any other."""


class Guessing(NamedTuple):
    """Sees wins and losses *depth* plies ahead, and otherwise random values, new ones for every move."""

    depth: int


class Valuing(NamedTuple):
    """Takes the successor that its network values most."""

    network: Sigmoid
    aware: int = 0
    """1: a successor in which the game is over is worth its result; 0: the rules are not asked, as in the source."""


class Comparing(NamedTuple):
    """Compares two successors at a time, the better of them with the next, or all with all."""

    network: Sigmoid
    """Its inputs are two boards, one after the other; above 0.5 the first is the better one."""
    every: int = 0
    """1: every successor meets every other, in both orders, and the one that is preferred most in sum is taken; 0: the
    better of two meets the next, as in the source, so that it matters in which order they come."""


class Recalling(NamedTuple):
    """Takes the successor that its memory values most, one it never met being neutral; now and then a random one."""

    memory: Memory
    explore: float
    """The share of random moves."""


class Room(NamedTuple):
    """What choosers write on, one for each thread."""

    workspace: Workspace
    codes: NDArray[np.int32]
    """The legal moves of the position in question."""
    values: NDArray[np.float64]
    """What each is worth to who thinks about it."""
    random_state: NDArray[np.uint64]
    table: Table


def make_room(most_moves: int, rng: np.random.Generator) -> Room:
    """Return room for games of at most *most_moves* moves; its chance comes from *rng*."""
    workspace = make_workspace(most_moves)
    clear_workspace(workspace)
    return Room(workspace, np.zeros(most_moves, np.int32), np.zeros(most_moves), make_random_state(rng), make_table())


def choose(chooser: Any, position: Any, room: Room) -> int:
    """Return the place of the chosen move among all legal moves, which are left in `room.codes`."""
    return int(CHOICES[type(chooser)](chooser, position, room))


@overload(choose, strict=False)
def _choose(chooser: Any, position: Any, room: Any) -> Any:
    chosen = CHOICES[chooser.instance_class]
    return lambda chooser, position, room: chosen(chooser, position, room)


@kernel
def _anyone(chooser: Anyone, position: Any, room: Room) -> int:
    return below(room.random_state, moves(position, room.codes))


@kernel
def _minimax(chooser: Minimax, position: Any, room: Room) -> int:
    room.workspace.tally[BLIND] = chooser.blind
    minimax(position, chooser.evaluator, chooser.depth, room.values, room.workspace)
    return best_of(room, moves(position, room.codes))


@kernel
def _looking(chooser: Looking, position: Any, room: Room) -> int:
    room.workspace.tally[UNAWARE] = chooser.unaware
    return look_ahead(chooser.evaluator, chooser.depth, chooser.shuffled, position, room)


@kernel
def _guessing(chooser: Guessing, position: Any, room: Room) -> int:
    room.workspace.tally[UNAWARE] = 0
    return look_ahead(Noise(number(room.random_state), 1.0), chooser.depth, 0, position, room)


@kernel
def look_ahead(evaluator: Any, depth: int, shuffled: int, position: Any, room: Room) -> int:
    """Return the place of the move that NegaScout finds.

    Killers and history stay from the search before: they change how long it takes, never what it finds.
    """
    workspace, width = room.workspace, moves(position, room.codes)
    workspace.tally[NODES], workspace.tally[STOP] = 0, 0
    workspace.tally[GENERATION] += 1
    for i in range(width):
        workspace.ranks[i] = i
    if shuffled:
        for i in range(width - 1, 0, -1):
            j = below(room.random_state, i + 1)
            workspace.ranks[i], workspace.ranks[j] = workspace.ranks[j], workspace.ranks[i]
    move, _, _ = negascout(position, evaluator, depth, workspace, _near(room.table, depth))
    for i in range(width):
        if room.codes[i] == move:
            return i
    return 0


@kernel
def _near(table: Table, depth: int) -> Table:
    """Return as much of a table as a search of so many plies fills: it stays in the processor's caches."""
    return table[: 1 << min(TABLE_BITS, FIRST_BITS + PLY_BITS * depth)]


@kernel
def _valuing(chooser: Valuing, position: Any, room: Room) -> int:
    network = chooser.network
    width = moves(position, room.codes)
    for i in range(width):
        after = play(position, room.codes[i])
        result = outcome(after, count(after)) if chooser.aware else ONGOING
        if result != ONGOING:
            room.values[i] = 0.5 - 0.5 * result
        else:
            encode(network.representation, after, 1, network.scratch, network.units)
            room.values[i] = forward(network)
    return best_of(room, width)


@kernel
def best_of(room: Room, width: int) -> int:
    """Return the place of the highest value, of equals each as likely as the others."""
    best, equals = 0, 1
    for i in range(1, width):
        if room.values[i] > room.values[best]:
            best, equals = i, 1
        elif room.values[i] == room.values[best]:
            equals += 1
            if below(room.random_state, equals) == 0:
                best = i
    return best


@kernel
def _comparing(chooser: Comparing, position: Any, room: Room) -> int:
    width = moves(position, room.codes)
    if chooser.every:
        compare_all(chooser.network, position, room, width)
        return best_of(room, width)
    best = 0
    for i in range(1, width):
        if compare(chooser.network, position, room.codes[best], room.codes[i]) < 0.5:
            best = i
    return best


@kernel
def compare_all(network: Sigmoid, position: Any, room: Room, width: int) -> None:
    """Write to `room.values` how much each successor is preferred to the others: the sum over both orders."""
    for i in range(width):
        room.values[i] = 0.0
    for i in range(width):
        for j in range(width):
            if i != j:
                preferred = compare(network, position, room.codes[i], room.codes[j])
                room.values[i] += preferred
                room.values[j] += 1.0 - preferred


@kernel
def compare(network: Sigmoid, position: Any, one: int, other: int) -> float:
    """Return how much the network prefers the successor after move *one* to that after move *other*: 0 to 1."""
    show_pair(network, position, one, other)
    return forward(network)


@kernel
def show_pair(network: Sigmoid, position: Any, one: int, other: int) -> None:
    """Write two successors side by side where the network sees them."""
    width = input_width(network.representation, position)
    encode(network.representation, play(position, one), 1, network.scratch, network.units)
    encode(network.representation, play(position, other), 1, network.scratch, network.units[width:])


@kernel
def _recalling(chooser: Recalling, position: Any, room: Room) -> int:
    width = moves(position, room.codes)
    if below(room.random_state, CHANCES) < chooser.explore * CHANCES:
        return below(room.random_state, width)
    for i in range(width):
        room.values[i] = recall_value(chooser.memory, key(play(position, room.codes[i])))
    return best_of(room, width)


CHOICES: dict[type, Any] = {
    Anyone: _anyone,
    Minimax: _minimax,
    Looking: _looking,
    Guessing: _guessing,
    Valuing: _valuing,
    Comparing: _comparing,
    Recalling: _recalling,
}


@kernel
def duel(
    start: Any, begun: Mask, one: Any, other: Any, games: int, limit: int, room: Room, marks: NDArray[np.int64]
) -> None:
    """Play *games* from *start*, sides alternating; write to *marks* the mark of each, with its result for *one*.

    A game that is not over after *limit* plies is a draw.
    """
    for game in range(games):
        _, _, marks[game] = contest(start, begun, one, other, game & 1, limit, room)


@kernel
def contest(start: Any, begun: Mask, one: Any, other: Any, second: int, limit: int, room: Room) -> tuple[int, int, int]:
    """Play a game, *one* having the odd plies if *second* is 1; return its outcome for *one*, its plies and its mark.

    *begun* names the moves that led to *start* (`name_moves`). A game that is not over after *limit* plies is a draw.
    """
    position, name = start, begun
    result, plies = outcome(position, count(position)), 0
    while result == ONGOING and plies < limit:
        if position.ply & 1 == second:
            place = choose(one, position, room)
        else:
            place = choose(other, position, room)
        name = (name ^ np.uint64(room.codes[place])) * _FACTOR
        position = play(position, room.codes[place])
        plies += 1
        result = outcome(position, count(position))
    if result == ONGOING:
        return 0, plies, mark_game(name, second, 0)
    ours = result if position.ply & 1 == second else -result
    return ours, plies, mark_game(name, second, ours)


@kernel
def mark_game(name: Mask, second: int, result: int) -> int:
    """Return what a game is known by: 61 bits of the hash of its moves and colours, then two of its result.

    So a mark is never negative, and two of a million games have the same one by chance once in four million times.
    """
    mark: int = np.int64(mixed(name ^ np.uint64(second)) >> _RESULT_ROOM) * 4 + 1 + result  # type: ignore[assignment]
    return mark


def name_moves(moves: Iterable[int]) -> Mask:
    """Return the hash of an opening's *moves*, with which kernels go on."""
    name = int(_UNMOVED)
    for move in moves:
        name = (name ^ int(move)) * int(_FACTOR) & WORD
    return np.uint64(name)
