"""What a search writes on while it thinks: moves, order, table, counters. Made once, used again for every search.

The order of moves in a selective search: the table's, captures that pay, killers, history, losing captures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, ONE, Mask
from understudy.games.rules import exchange, key, promise
from understudy.kernels import kernel

INFINITY = 1e12
"""Beyond every value, a win's too."""
WIN = 1e9
"""A game won now; each ply that it takes costs one. No evaluator says as much (Konane's ratios reach a million), and a
ply more or less is still told apart by a double."""
PROVEN = 0.5 * WIN
"""A value beyond this is a proven win, beyond its negative a proven loss; no win is so far away as to fall below."""

HEIGHTS = 96
"""No line of play in a search is longer than this, quiescence included: searches deepen to half of it and leave the
rest to captures. Chosen by hand; nobody has time for 48 plies."""

NODES, STOP, NODE_LIMIT, GENERATION, DEEPER, BLIND, SEEN, UNAWARE = range(8)
"""Places in the workspace's `tally`. DEEPER: whether a deeper result in the table may stand for a shallower one. BLIND:
whether plain minimax leaves games that are over at its horizon to the evaluator. SEEN: how many positions are drawn.
UNAWARE: whether NegaScout leaves finished games to the evaluator, wherever they are."""

EXACT, AT_LEAST, AT_MOST = range(3)
"""What the value of an entry is: itself, or a bound."""

ENTRY = np.dtype(
    (
        np.record,  # fields by name also where kernels run as plain Python
        [
            ("key", np.uint64),
            ("value", np.float64),
            ("generation", np.int32),
            ("move", np.uint16),
            ("depth", np.int8),
            ("bound", np.int8),
        ],
    )
)
CODES = 1 << 16
"""Codes of moves are below this."""
NO_MOVE = CODES - 1

Workspace: TypeAlias = Any
"""Scratch room of one thread: a record of arrays (see `_layout`)."""
Table: TypeAlias = NDArray[Any]
"""Results of earlier work, by key."""

TABLE_BITS = 20
"""A million entries of 24 bytes, 25 MB for each thread that searches. Chosen by hand."""
DRAWN = 2048
"""Slots for positions already seen; matches are much shorter than half of it."""

OPINIONS = 1 << 15
"""Slots for what an evaluator has said in this search: half a megabyte, so that they stay in the processor's cache.
Chosen by hand."""

_LAST = np.uint64(DRAWN - 1)
PARITY = np.uint64(0x9E3779B97F4A7C15)
"""Tells sides apart: 2^64 over the golden ratio, whose bits are well spread (any such number would do)."""

FROM_TABLE, PAYING, KILLER, LOSING = 1 << 30, 1 << 28, 1 << 26, -(1 << 28)
"""Ranks begin here; history lies around 0, far from all of them. Captures that lose come after every quiet move."""
TACTICAL = 1
"""Added to FROM_TABLE if the table's move is a capture or a new queen."""
MOST_HISTORY = 1 << 14
"""History stays between this and its negative: what is added shrinks as it comes near (see `credit`)."""
BONUS, MOST_BONUS = 16, 1600
"""What a refutation adds to history for each square of its depth, and at most. Chosen by hand; their ratio to
MOST_HISTORY says how fast the past is forgotten."""


def _layout(most_moves: int) -> np.dtype[np.void]:
    """Return the fields of a workspace: one record is one pointer, many arrays would be counted at every node."""
    fields = [
        ("moves", np.int32, (HEIGHTS, most_moves)),
        ("order", np.int32, (HEIGHTS, most_moves)),  # how promising each move looks
        ("killers", np.int32, (HEIGHTS, 2)),  # the latest moves that refuted a sibling
        ("history", np.int32, (2, CODES)),  # for each side, how often a move refuted anything
        ("drawn", np.uint64, (DRAWN,)),  # a hash set of the positions that the match will call a draw
        ("ranks", np.int32, (most_moves,)),  # of equally good root moves the lowest rank is chosen
        ("tally", np.int64, (8,)),
        # What follows is for selective searches only.
        ("line", np.uint64, (HEIGHTS,)),  # the names of the positions that led here
        ("trail", np.int32, (HEIGHTS,)),  # the moves between them, NO_MOVE for passing
        ("statics", np.float64, (HEIGHTS,)),  # what the evaluator said of them
        ("judged", np.uint64, (OPINIONS,)),  # names of positions of which
        ("opinions", np.float64, (OPINIONS,)),  # the evaluator's opinion is known
        # What a search has found so far, for whoever looks on: written as it goes, read by other threads.
        ("best", np.int32, ()),  # the best root move so far
        ("worth", np.float64, ()),  # and its value
        ("reached", np.int32, ()),  # plies looked ahead to the end
        ("course", np.int32, (HEIGHTS,)),  # the best root move at each depth
        ("worths", np.float64, (HEIGHTS,)),  # and its value
    ]
    return np.dtype((np.record, fields))


def make_workspace(most_moves: int) -> Workspace:
    """Return a workspace for a game of at most *most_moves* moves."""
    workspace: Workspace = np.zeros(1, _layout(most_moves))[0]
    return workspace


def make_table() -> Table:
    """Return an empty transposition table."""
    return np.zeros(1 << TABLE_BITS, ENTRY)


def clear(workspace: Workspace, *, drawn: Iterable[int] = (), nodes: int = 1 << 60, deeper: bool = False) -> None:
    """Make *workspace* ready for a new search, so that nothing of the one before can change what it finds."""
    workspace["killers"][:] = NO_MOVE
    workspace["history"][:] = 0
    workspace["tally"][[NODES, STOP, NODE_LIMIT, DEEPER, BLIND]] = (0, 0, nodes, deeper, 0)
    workspace["tally"][GENERATION] += 1
    workspace["drawn"][:] = 0
    workspace["tally"][[SEEN, UNAWARE]] = 0
    workspace["reached"] = 0
    for name in drawn:
        workspace["tally"][SEEN] += 1
        place = name % DRAWN
        while workspace["drawn"][place]:
            place = (place + 1) % DRAWN
        workspace["drawn"][place] = name


@kernel
def conclude(workspace: Workspace, depth: int) -> None:
    """Write down what is held best now that the search to this depth is over."""
    workspace.course[depth - 1] = workspace.best
    workspace.worths[depth - 1] = workspace.worth
    workspace.reached = depth  # last: who looks on reads the entries below it


@kernel
def named(position: Any) -> Mask:
    """Return the key by which a search knows a position: the same stones with the other side to move are another."""
    return key(position) ^ PARITY if position.ply & 1 else key(position)


@kernel
def is_drawn(workspace: Workspace, name: Mask) -> bool:
    """Tell whether the match will call the position of this name a draw."""
    place = name & _LAST
    while workspace.drawn[place] != NONE:
        if workspace.drawn[place] == name:
            return True
        place = (place + ONE) & _LAST
    return False


@kernel
def _entry_of(name: Mask, table: Table) -> Any:
    """Return the entry where a position of this name belongs."""
    return table[name & np.uint64(table.shape[0] - 1)]


@kernel
def recall(
    name: Mask, depth: int, alpha: float, beta: float, height: int, workspace: Workspace, table: Table
) -> tuple[int, float, bool]:
    """Return the table's move, its value, and whether that value answers the question."""
    entry, tally = _entry_of(name, table), workspace.tally
    if entry.key != name or entry.generation != tally[GENERATION]:
        return NO_MOVE, 0.0, False
    value = nearer(entry.value, height)
    deep = entry.depth == depth or (tally[DEEPER] != 0 and entry.depth > depth)
    exact = entry.bound == EXACT or (entry.bound == AT_LEAST and value >= beta)
    return int(entry.move), value, deep and (exact or (entry.bound == AT_MOST and value <= alpha))


@kernel
def remember(
    name: Mask,
    depth: int,
    value: float,
    alpha: float,
    beta: float,
    move: int,
    height: int,
    generation: int,
    table: Table,
) -> None:
    """Store a result unless a deeper one of another position of the same search is in its place."""
    entry = _entry_of(name, table)
    if entry.generation == generation and entry.depth > depth and entry.key != name:
        return
    entry.key = name
    entry.generation = generation
    entry.value = _farther(value, height)
    entry.move = move
    entry.depth = depth
    entry.bound = AT_LEAST if value >= beta else AT_MOST if value <= alpha else EXACT


@kernel
def _farther(value: float, height: int) -> float:
    """Return *value* counted from its own position: a proven win is nearer there than from the root."""
    return value + height if value > PROVEN else value - height if value < -PROVEN else value


@kernel
def nearer(value: float, height: int) -> float:
    """Return a stored value counted from the root again."""
    return value - height if value > PROVEN else value + height if value < -PROVEN else value


@kernel
def arrange(position: Any, width: int, hint: int, height: int, workspace: Workspace) -> None:
    """Give each move its rank."""
    order, codes, killers = workspace.order[height], workspace.moves[height], workspace.killers[height]
    history = workspace.history[position.ply & 1]
    for i in range(width):
        move = int(codes[i])
        good = promise(position, move)
        if move == hint:
            order[i] = FROM_TABLE + (TACTICAL if good > 0 else 0)
        elif good > 0:
            order[i] = good + (PAYING if exchange(position, move, 0) else LOSING)
        elif move == killers[0]:
            order[i] = KILLER + 1
        elif move == killers[1]:
            order[i] = KILLER
        else:
            order[i] = history[move]


@kernel
def is_quiet(rank: int) -> bool:
    """Tell whether a move of this rank neither captures nor makes a queen."""
    return rank == FROM_TABLE or (LOSING >> 1) < rank < PAYING


@kernel
def pick(width: int, start: int, height: int, workspace: Workspace) -> int:
    """Swap the move of the highest rank from *start* on to the front, of equals the first, and return it."""
    order, codes = workspace.order[height], workspace.moves[height]
    best = start
    for i in range(start + 1, width):
        if order[i] > order[best]:
            best = i
    codes[start], codes[best] = codes[best], codes[start]
    order[start], order[best] = order[best], order[start]
    return int(codes[start])


@kernel
def by_rank(width: int, workspace: Workspace) -> None:
    """Sort the root moves by the ranks that decide between equals."""
    for i in range(width):
        workspace.order[0, i] = -workspace.ranks[i]
    for i in range(width):
        pick(width, i, 0, workspace)


@kernel
def credit(position: Any, place: int, depth: int, height: int, workspace: Workspace) -> None:
    """Remember that the quiet move at *place* refuted this position and that the quiet ones before it did not."""
    codes, order, killers = workspace.moves[height], workspace.order[height], workspace.killers[height]
    history, bonus = workspace.history[position.ply & 1], min(depth * depth * BONUS, MOST_BONUS)
    if killers[0] != codes[place]:
        killers[1] = killers[0]
        killers[0] = codes[place]
    for i in range(place + 1):
        if is_quiet(order[i]):
            before = int(history[codes[i]])
            history[codes[i]] = before + (bonus if i == place else -bonus) - before * bonus // MOST_HISTORY
