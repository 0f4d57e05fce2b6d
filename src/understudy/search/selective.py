"""NegaScout that leaves out what is unlikely to matter: for games that tell checks, captures and exchanges.

Passing, if even that is too good, ends a line early (null move); late quiet moves are looked at less deeply, near the
leaves hardly at all; checks are followed further. So it sees far more plies, and no longer equals plain minimax. What
it calls proven is proven: moves are left out only by who already has something better than a loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import Mask
from understudy.games.rules import exchange, in_check, lifeless, may_pass, movable, moves, play, turn
from understudy.kernels import kernel
from understudy.search.evaluators import begin, follow, follow_pass
from understudy.search.leaves import ask_once, selective_quiescence, settled
from understudy.search.workspace import (
    GENERATION,
    HEIGHTS,
    INFINITY,
    KILLER,
    MOST_HISTORY,
    NO_MOVE,
    NODE_LIMIT,
    NODES,
    PAYING,
    PROVEN,
    SEEN,
    STOP,
    WIN,
    Table,
    Workspace,
    arrange,
    by_rank,
    conclude,
    credit,
    is_drawn,
    is_quiet,
    named,
    pick,
    recall,
    remember,
)

HIGHEST = HEIGHTS - 32
"""Extensions end here; beyond is room for captures, of which a game of chess has at most thirty."""

_GRID = np.log(np.arange(1, 65))
REDUCTIONS = np.floor(0.4 + _GRID[:, None] * _GRID[None, :] / 2.0).astype(np.int64)
"""By how many plies a move is looked at less deeply [depth - 1, moves before it]: the product of two logarithms, as is
usual among chess programs; its two constants were chosen by hand."""

# All margins below were chosen by hand, in the sizes that chess programs commonly use, and no record of tuning is kept;
# what was measured is the whole: two to three times the depth of `negascout` in the same time. A pawn is 1 / PAWNS of
# an evaluator's scale, so that the same margins serve evaluators in centipawns and networks.
PAWNS = 3.5
ASPIRATION = 0.1
"""Half the window around the last value, in scales (a third of a pawn), and four times as wide after each miss."""
SETTLED_DEPTH = 4
"""Up to this depth values still jump: the whole window is searched."""
THIN = 1e-4
"""The width of a window that only asks "better or not", in scales: above the noise of floats, below any difference that
matters."""
SHALLOW, HOPELESS, DEEP = 7, 3, 3
"""Up to SHALLOW plies before the leaves moves are left out, up to HOPELESS a position far below alpha is left to its
captures; from DEEP on a pass is tried and late moves are reduced."""


@kernel
def selective(position: Any, evaluator: Any, depth: int, workspace: Workspace, table: Table) -> tuple[int, float, int]:
    """Return the best move found, its value and the depth reached; `workspace.tally[STOP]` ends it from outside."""
    moves(position, workspace.moves[0])
    workspace.best, workspace.worth, reached = workspace.moves[0, 0], 0.0, 0
    workspace.judged[:] = np.uint64(0)
    begin(evaluator, position)
    for goal in range(1, min(depth, HEIGHTS // 2) + 1):
        _deepen(position, evaluator, goal, workspace, table)
        if workspace.tally[STOP]:
            break
        reached = goal
        conclude(workspace, goal)
        if (
            abs(workspace.worth) > PROVEN and WIN - abs(workspace.worth) <= goal
        ):  # until then a shorter way may be found
            break
    return int(workspace.best), float(workspace.worth), reached


@kernel
def value_moves_selectively(
    position: Any, evaluator: Any, depth: int, values: NDArray[np.float64], workspace: Workspace, table: Table
) -> int:
    """Write the value of each legal move, best or not, to *values*; return how many were searched to the end."""
    below = int(np.int64(1))  # as in `_deepen`
    width = moves(position, workspace.moves[0])
    begin(evaluator, position)
    workspace.line[0] = named(position)
    workspace.statics[0] = -INFINITY  # nobody compares with it: whether things got better counts from the next ply on
    for i in range(width):
        follow(evaluator, position, workspace.moves[0, i], 0)
        workspace.trail[0] = workspace.moves[0, i]
        child = play(position, workspace.moves[0, i])
        values[i] = -_probe(child, depth - 1, -INFINITY, INFINITY, below, evaluator, workspace, table)
        if workspace.tally[STOP]:
            return i
    return width


@kernel
def _deepen(position: Any, evaluator: Any, goal: int, workspace: Workspace, table: Table) -> None:
    """Search to the depth *goal* in a window around the last value, widened until it holds the new one."""
    origin = int(np.int64(0))  # a bare 0 is a literal type, and recursion on one cannot be cached
    margin = ASPIRATION * evaluator.scale
    low, high = -INFINITY, INFINITY
    if goal > SETTLED_DEPTH and abs(workspace.worth) < PROVEN:
        low, high = workspace.worth - margin, workspace.worth + margin
    while True:
        value = _probe(position, goal, low, high, origin, evaluator, workspace, table)
        if workspace.tally[STOP] or low < value < high:
            return
        margin *= 4.0
        if value <= low:
            low = value - margin if margin < 4.0 * evaluator.scale else -INFINITY
        else:
            high = value + margin if margin < 4.0 * evaluator.scale else INFINITY


@kernel
def _probe(
    position: Any,
    depth: int,
    alpha: float,
    beta: float,
    height: int,
    evaluator: Any,
    workspace: Workspace,
    table: Table,
) -> float:
    """Return the value of *position* for the side to move, if within (alpha, beta), else a bound beyond it."""
    tally = workspace.tally
    if tally[STOP] != 0 or tally[NODES] >= tally[NODE_LIMIT]:
        tally[STOP] = 1
        return 0.0
    name = named(position)
    workspace.line[height] = name
    if height > 0 and _repeats(position, name, height, workspace):
        return 0.0
    if depth <= 0 or height >= HIGHEST:
        return selective_quiescence(evaluator, position, alpha, beta, height, workspace)
    tally[NODES] += 1
    checked = in_check(position)
    if height > 0 and lifeless(position) and (not checked or movable(position)):
        return 0.0
    thin = THIN * evaluator.scale
    narrow = beta - alpha < 2.0 * thin
    hint, stored, answers = recall(name, depth, alpha, beta, height, workspace, table)
    if answers and narrow and height > 0:
        return stored
    if height == 0 and tally[NODES] > 1:
        hint = int(workspace.best)

    guess = ask_once(evaluator, position, name, height, workspace)
    workspace.statics[height] = -INFINITY if checked else guess
    better = not checked and (height < 2 or guess > workspace.statics[height - 2])
    if narrow and not checked and abs(beta) < PROVEN:
        pawn = evaluator.scale / PAWNS
        if depth <= SHALLOW and guess - 0.8 * pawn * (depth - better) >= beta:  # too good: they will not let it happen
            return guess
        if depth <= HOPELESS and guess + pawn * (1.5 + 1.5 * depth) <= alpha:  # hopeless unless a capture helps
            value = selective_quiescence(evaluator, position, alpha, beta, height, workspace)
            if value <= alpha or tally[STOP]:
                return value
        if depth >= DEEP and guess >= beta and workspace.trail[height - 1] != NO_MOVE and may_pass(position):
            workspace.trail[height] = NO_MOVE
            follow_pass(evaluator, position, height)
            less = 4 + depth // 4 + min(int((guess - beta) / (2.0 * pawn)), 3)
            value = -_probe(turn(position), depth - less, -beta, thin - beta, height + 1, evaluator, workspace, table)
            if tally[STOP] or value >= beta:
                return value if value < PROVEN else beta  # who passed proves nothing
    if hint == NO_MOVE and depth >= 5:
        depth -= 1  # nobody knows yet where to begin, so the next pass will do better

    width = moves(position, workspace.moves[height])
    if width == 0:
        return settled(-1, height) if checked else 0.0
    if height == 0:
        by_rank(width, workspace)
    arrange(position, width, hint, height, workspace)
    best, value, floor = NO_MOVE, -INFINITY, alpha
    for i in range(width):
        move = pick(width, i, height, workspace)
        rank = int(workspace.order[height, i])
        child = play(position, move)
        checks = in_check(child)
        optional = height > 0 and value > -PROVEN and not checked and not checks
        if optional and _skips(position, move, rank, i, depth, floor, guess, better, evaluator):
            continue
        follow(evaluator, position, move, height)
        workspace.trail[height] = move
        ahead = depth - 1
        if checks and exchange(position, move, 0):
            ahead += 1
        less = _less(rank, i, depth, narrow, better, checked or checks) if i > 0 else 0
        ceiling = beta if i == 0 else floor + thin
        gain = -_probe(child, ahead - less, -ceiling, -floor, height + 1, evaluator, workspace, table)
        if less > 0 and gain > floor and tally[STOP] == 0:
            gain = -_probe(child, ahead, -ceiling, -floor, height + 1, evaluator, workspace, table)
        if ceiling <= gain < beta and tally[STOP] == 0:  # better than thought: look again with the whole window
            gain = -_probe(child, ahead, -beta, -floor, height + 1, evaluator, workspace, table)
        if tally[STOP]:
            return 0.0
        if gain > value:
            best, value = move, gain
            if gain > floor:
                floor = gain
                if height == 0:
                    workspace.best, workspace.worth = move, gain
                if gain >= beta:
                    if is_quiet(rank):
                        credit(position, i, depth, height, workspace)
                    break
    remember(name, depth, value, alpha, beta, best, height, tally[GENERATION], table)
    return value


@kernel
def _repeats(position: Any, name: Mask, height: int, workspace: Workspace) -> bool:
    """Tell whether this position was met before in this line, or so often in the game that the match calls a draw."""
    if workspace.tally[SEEN] != 0 and is_drawn(workspace, name):
        return True
    back, most = 4, min(height, int(position.clock))
    while back <= most and workspace.line[height - back] != name:
        back += 2
    return back <= most


@kernel
def _skips(
    position: Any,
    move: int,
    rank: int,
    before: int,
    depth: int,
    floor: float,
    guess: float,
    better: bool,
    evaluator: Any,
) -> bool:
    """Tell whether a move that gives no check is not worth a look near the leaves."""
    if rank >= PAYING or depth > SHALLOW:
        return False
    if not is_quiet(rank):
        return not exchange(position, move, -100 * depth)
    if before >= (3 + depth * depth) // (1 if better else 2) + 1:
        return True
    if rank < KILLER and guess + evaluator.scale / PAWNS * (1.0 + depth) <= floor:
        return True
    return not exchange(position, move, -25 * depth * depth)


@kernel
def _less(rank: int, before: int, depth: int, narrow: bool, better: bool, forced: bool) -> int:
    """Return by how many plies to look less deeply at the move after *before* others."""
    if depth < DEEP or before < 2 or rank >= PAYING:
        return 0
    less = int(REDUCTIONS[min(depth, 64) - 1, min(before, 63)])
    if is_quiet(rank):
        less -= 1 if rank >= KILLER else int(2 * rank / MOST_HISTORY)
    less += (0 if better else 1) - (0 if narrow else 1) - (1 if forced else 0)
    return max(0, min(less, depth - 2))
