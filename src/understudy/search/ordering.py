"""The order of moves in a selective search: the table's, captures that pay, killers, history, losing captures."""

from __future__ import annotations

from typing import Any

from understudy.games.rules import exchange, promise
from understudy.kernels import kernel
from understudy.search.workspace import Workspace

FROM_TABLE, PAYING, KILLER, LOSING = 1 << 30, 1 << 28, 1 << 26, -(1 << 28)
"""Ranks begin here; history lies around 0, far from all of them. Captures that lose come after every quiet move."""
TACTICAL = 1
"""Added to FROM_TABLE if the table's move is a capture or a new queen."""
MOST_HISTORY = 1 << 14
"""History stays between this and its negative: what is added shrinks as it comes near (see `credit`)."""
BONUS, MOST_BONUS = 16, 1600
"""What a refutation adds to history for each square of its depth, and at most. Chosen by hand; their ratio to
MOST_HISTORY says how fast the past is forgotten."""


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
