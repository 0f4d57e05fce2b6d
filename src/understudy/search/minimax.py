"""Plain minimax without pruning: the papers' teacher, and the oracle that NegaScout is tested against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.kind import ONGOING
from understudy.games.rules import moves, outcome, play
from understudy.kernels import kernel
from understudy.search.evaluators import begin, follow
from understudy.search.leaves import horizon, leaf, settled
from understudy.search.workspace import BLIND, INFINITY, NODE_LIMIT, NODES, STOP, Workspace, is_drawn, named


@kernel
def minimax(position: Any, evaluator: Any, depth: int, values: NDArray[np.float64], workspace: Workspace) -> int:
    """Write the value of each legal move to *values*; return the place of the best, of equals the lowest in rank."""
    width = moves(position, workspace.moves[0])
    best, below = 0, int(np.int64(1))  # a bare 1 is a literal type, and recursion on one cannot be cached
    begin(evaluator, position)
    for i in range(width):
        follow(evaluator, position, workspace.moves[0, i], 0)
        values[i] = -_minimax(play(position, workspace.moves[0, i]), depth - 1, below, evaluator, workspace)
        if values[i] > values[best] or (values[i] == values[best] and workspace.ranks[i] < workspace.ranks[best]):
            best = i
    return best


@kernel
def _minimax(position: Any, depth: int, height: int, evaluator: Any, workspace: Workspace) -> float:
    tally = workspace.tally
    if tally[STOP] != 0 or tally[NODES] >= tally[NODE_LIMIT]:
        tally[STOP] = 1
        return 0.0
    tally[NODES] += 1
    name = named(position)
    if is_drawn(workspace, name):
        return 0.0
    if depth == 0 and tally[BLIND]:
        return leaf(evaluator, position, height & 1 == 0, -INFINITY, INFINITY, height, workspace)
    if depth == 0:
        return horizon(evaluator, position, -INFINITY, INFINITY, height, workspace)
    width = moves(position, workspace.moves[height])
    result = outcome(position, width)
    if result != ONGOING:
        return settled(result, height)
    best = -INFINITY
    for i in range(width):
        follow(evaluator, position, workspace.moves[height, i], height)
        best = max(
            best, -_minimax(play(position, workspace.moves[height, i]), depth - 1, height + 1, evaluator, workspace)
        )
    return best
