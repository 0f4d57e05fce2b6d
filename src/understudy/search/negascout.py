"""NegaScout with iterative deepening, a transposition table and move ordering that learns; for every game.

After Reinefeld (1983). Limited by depth alone it returns exactly what plain minimax returns, value and move; where a
clock or a count of nodes limits it, a deeper result from the table may stand for a shallower one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.kind import ONGOING
from understudy.games.rules import moves, outcome, play, promise
from understudy.kernels import kernel
from understudy.search.evaluators import begin, follow
from understudy.search.leaves import horizon, leaf, settled
from understudy.search.workspace import (
    GENERATION,
    HEIGHTS,
    INFINITY,
    NODE_LIMIT,
    NODES,
    PROVEN,
    SEEN,
    STOP,
    UNAWARE,
    Table,
    Workspace,
    conclude,
    is_drawn,
    named,
    recall,
    remember,
)

FROM_TABLE, PROMISING, KILLER = 1 << 30, 1 << 28, 1 << 27
"""Where ranks begin, far enough apart that nothing climbs into the class above: `promise` is small, and history is kept
below KILLER."""
EARLY = 8
"""Moves that are put in order even where the search ends next. Chosen by hand: most refutations are among the first."""


@kernel
def negascout(position: Any, evaluator: Any, depth: int, workspace: Workspace, table: Table) -> tuple[int, float, int]:
    """Return the best move, its value and the depth reached; `workspace.tally[STOP]` ends it from outside."""
    width = moves(position, workspace.moves[0])
    for i in range(width):
        workspace.order[0, i] = promise(position, workspace.moves[0, i])
    begin(evaluator, position)
    best, value, reached = 0, 0.0, 0
    for goal in range(1, min(depth, HEIGHTS // 2) + 1):
        place, gain, searched = _root(position, evaluator, goal, width, workspace, table)
        if searched > 0:
            best, value = place, gain
            workspace.best, workspace.worth = workspace.moves[0, best], value
        if workspace.tally[STOP]:
            break
        reached = goal
        conclude(workspace, goal)
        if abs(value) > PROVEN:
            break
    return workspace.moves[0, best], value, reached


@kernel
def value_moves(
    position: Any, evaluator: Any, depth: int, values: NDArray[np.float64], workspace: Workspace, table: Table
) -> int:
    """Write the exact value of each legal move, best or not, to *values*; return how many were searched to the end."""
    below = int(np.int64(1))  # a bare 1 is a literal type, and recursion on one cannot be cached
    width = moves(position, workspace.moves[0])
    begin(evaluator, position)
    for i in range(width):
        follow(evaluator, position, workspace.moves[0, i], 0)
        child = play(position, workspace.moves[0, i])
        values[i] = -_scout(child, depth - 1, -INFINITY, INFINITY, below, evaluator, workspace, table)
        if workspace.tally[STOP]:
            return i
    return width


@kernel
def _root(
    position: Any, evaluator: Any, depth: int, width: int, workspace: Workspace, table: Table
) -> tuple[int, float, int]:
    """Search every root move; return the best one's place, its value and how many were searched to the end.

    Of equal values the lowest rank wins whatever the order of search, so the choice is the one plain minimax makes.
    """
    order, below = (
        workspace.order[0],
        int(np.int64(1)),
    )  # a bare 1 is a literal type, and recursion on one cannot be cached
    best, value = -1, -INFINITY
    for searched in range(width):
        place = _next(order, width)
        child = play(position, workspace.moves[0, place])
        follow(evaluator, position, workspace.moves[0, place], 0)
        floor = value
        if best >= 0 and workspace.ranks[place] < workspace.ranks[best]:
            floor = value - _step(value)
        gain = INFINITY
        if searched > 0:
            gain = -_scout(child, depth - 1, -floor - _step(floor), -floor, below, evaluator, workspace, table)
        if gain > floor and workspace.tally[STOP] == 0:
            gain = -_scout(child, depth - 1, -INFINITY, -floor, below, evaluator, workspace, table)
        if workspace.tally[STOP]:
            return _ranked(order, width, best), value, searched
        order[place] = -1 - searched
        if gain > value or (gain == value and best >= 0 and workspace.ranks[place] < workspace.ranks[best]):
            best, value = place, gain
    return _ranked(order, width, best), value, width


@kernel
def _next(order: Any, width: int) -> int:
    """Return the place of the root move to search next: those searched in this pass have a negative order."""
    best = -1
    for i in range(width):
        if order[i] >= 0 and (best < 0 or order[i] > order[best]):
            best = i
    return best


@kernel
def _ranked(order: Any, width: int, best: int) -> int:
    """Give the root moves the order of the next pass: the best first, then as they were searched; return *best*."""
    for i in range(width):
        if order[i] < 0:
            order[i] = 2 * width + order[i]
        else:
            order[i] = min(order[i], width - 1)
    if best >= 0:
        order[best] = 3 * width
    return best


@kernel
def _step(value: float) -> float:
    """Return a difference smaller than any between two values that are not equal, or nearly so.

    3e-16 is a little more than the last place of a double (2^-52), 1e-300 serves where the value is 0.
    """
    return abs(value) * 3e-16 + 1e-300


@kernel
def _scout(
    position: Any,
    depth: int,
    alpha: float,
    beta: float,
    height: int,
    evaluator: Any,
    workspace: Workspace,
    table: Table,
) -> float:
    """Return the value of *position* for the side to move, exact within (alpha, beta), else a bound beyond it."""
    tally = workspace.tally
    if tally[STOP] != 0 or tally[NODES] >= tally[NODE_LIMIT]:
        tally[STOP] = 1
        return 0.0
    if depth == 0:
        return _edge(position, alpha, beta, height, evaluator, workspace)
    tally[NODES] += 1
    name = named(position)
    if tally[SEEN] != 0 and is_drawn(workspace, name):
        return 0.0

    hint, stored, answers = recall(name, depth, alpha, beta, height, workspace, table)
    if answers:
        return stored

    width = moves(position, workspace.moves[height])
    if tally[UNAWARE] == 0 or width == 0:
        result = outcome(position, width)
        if result != ONGOING:
            return settled(result, height)
    _arrange(position, width, hint, height, workspace)
    best, value, floor = 0, -INFINITY, alpha
    for i in range(width):
        # Where the search ends next, the order of late moves is not worth its cost.
        move = int(workspace.moves[height, i]) if depth == 1 and i >= EARLY else _pick(width, i, height, workspace)
        child = play(position, move)
        follow(evaluator, position, move, height)
        ceiling = beta if i == 0 else floor + _step(floor)
        if depth == 1:  # most positions are met here: no call of a recursive kernel for them
            gain = -_edge(child, -ceiling, -floor, height + 1, evaluator, workspace)
            if ceiling <= gain < beta:
                gain = -_edge(child, -beta, -floor, height + 1, evaluator, workspace)
        else:
            gain = -_scout(child, depth - 1, -ceiling, -floor, height + 1, evaluator, workspace, table)
            if ceiling <= gain < beta:  # better than thought: look again with the whole window
                gain = -_scout(child, depth - 1, -beta, -floor, height + 1, evaluator, workspace, table)
        if tally[STOP]:
            return 0.0
        if gain > value:
            best, value = move, gain
            if gain > floor:
                floor = gain
                if gain >= beta:
                    _reward(position, move, depth, height, workspace)
                    break
    remember(name, depth, value, alpha, beta, best, height, workspace.tally[GENERATION], table)
    return value


@kernel
def _edge(position: Any, alpha: float, beta: float, height: int, evaluator: Any, workspace: Workspace) -> float:
    """Return the value of a position where the search ends."""
    tally = workspace.tally
    if tally[NODES] >= tally[NODE_LIMIT]:
        tally[STOP] = 1
        return 0.0
    tally[NODES] += 1
    if tally[SEEN] != 0 and is_drawn(workspace, named(position)):
        return 0.0
    if tally[UNAWARE] != 0:
        return leaf(evaluator, position, height & 1 == 0, alpha, beta, height, workspace)
    return horizon(evaluator, position, alpha, beta, height, workspace)


@kernel
def _arrange(position: Any, width: int, hint: int, height: int, workspace: Workspace) -> None:
    """Say of each move how promising it is: the table's, then promising by the game, killers, and by history."""
    order, codes, killers = workspace.order[height], workspace.moves[height], workspace.killers[height]
    history = workspace.history[position.ply & 1]
    for i in range(width):
        move = codes[i]
        rank = history[move]
        if move == hint:
            rank = FROM_TABLE
        else:
            good = promise(position, move)
            if good > 0:
                rank = PROMISING + good
            elif move == killers[0] or move == killers[1]:
                rank = KILLER
        order[i] = rank


@kernel
def _pick(width: int, start: int, height: int, workspace: Workspace) -> int:
    """Swap the most promising of the moves from *start* on to the front and return it."""
    order, codes = workspace.order[height], workspace.moves[height]
    best = start
    for i in range(start + 1, width):
        if order[i] > order[best]:
            best = i
    move = int(codes[best])
    codes[best], order[best] = codes[start], order[start]
    codes[start] = move
    return move


@kernel
def _reward(position: Any, move: int, depth: int, height: int, workspace: Workspace) -> None:
    """Remember that *move* refuted this position, so that it is tried early elsewhere."""
    killers = workspace.killers[height]
    if killers[0] != move:
        killers[1] = killers[0]
        killers[0] = move
    history = workspace.history[position.ply & 1]
    # A refutation near the root has saved more work: its weight grows with the square of the depth, as is usual.
    history[move] = min(history[move] + depth * depth, KILLER - 1)
