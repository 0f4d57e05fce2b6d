"""Where a search ends: finished games, evaluators, and quiescence for games with captures in flight.

NegaScout plays out all captures (`quiescence`), so that it still equals plain minimax; a selective search only those
that can matter (`selective_quiescence`), and it judges no position twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from understudy.games.bits import Mask
from understudy.games.kind import ONGOING
from understudy.games.rules import (
    captures,
    exchange,
    in_check,
    lifeless,
    may_pass,
    movable,
    moves,
    outcome,
    play,
    promise,
)
from understudy.kernels import kernel
from understudy.search.evaluators import Quiescent, Tabled, follow, judge
from understudy.search.workspace import (
    HEIGHTS,
    INFINITY,
    NODE_LIMIT,
    NODES,
    OPINIONS,
    STOP,
    WIN,
    Workspace,
    named,
    nearer,
    pick,
)

LAST_OPINION = np.uint64(OPINIONS - 1)
CENTIPAWNS = 350.0
"""What an evaluator's `scale` is in centipawns: 1 / 3.5 of it is a pawn, as for our evaluators of chess."""
HOPE = 200
"""Centipawns that a capture may bring beyond the pieces won. Chosen by hand: two pawns of better placement."""


@kernel
def settled(result: int, height: int) -> float:
    """Return the value of a finished game, so that near wins are better and near losses worse."""
    return result * (WIN - height)


@kernel
def horizon(evaluator: Any, position: Any, alpha: float, beta: float, height: int, workspace: Workspace) -> float:
    """Return the value of a position at the end of the search: the rules decide, else the evaluator does."""
    result = outcome(position, 1 if movable(position) else 0)
    if result != ONGOING:
        return settled(result, height)
    return leaf(evaluator, position, height & 1 == 0, alpha, beta, height, workspace)


def leaf(
    evaluator: Any, position: Any, own: bool, alpha: float, beta: float, height: int, workspace: Workspace
) -> float:
    """Return the value of a position where the search stops, exact within (alpha, beta)."""
    if isinstance(evaluator, Quiescent):
        return float(quiescence(evaluator, position, own, alpha, beta, height, workspace))
    if isinstance(evaluator, Tabled):
        return float(nearer(judge(evaluator, position, own, height), height))
    return judge(evaluator, position, own, height)


@overload(leaf, strict=False)
def _leaf(evaluator: Any, position: Any, own: Any, alpha: Any, beta: Any, height: Any, workspace: Any) -> Any:
    if evaluator.instance_class is Quiescent:
        return lambda evaluator, position, own, alpha, beta, height, workspace: quiescence(
            evaluator, position, own, alpha, beta, height, workspace
        )
    if evaluator.instance_class is Tabled:
        return lambda evaluator, position, own, alpha, beta, height, workspace: nearer(
            judge(evaluator, position, own, height), height
        )
    return lambda evaluator, position, own, alpha, beta, height, workspace: judge(evaluator, position, own, height)


@kernel
def quiescence(
    evaluator: Quiescent, position: Any, own: bool, alpha: float, beta: float, height: int, workspace: Workspace
) -> float:
    """Return the value after the captures that both sides care to make; in check every reply is looked at."""
    workspace.tally[NODES] += 1
    checked = in_check(position)
    best = -INFINITY
    if not checked or height >= HEIGHTS - 2:
        best = judge(evaluator.inner, position, own, height)
        if best >= beta or height >= HEIGHTS - 2:
            return best
    width = _listed(position, checked, height, workspace)
    if checked and width == 0:
        return settled(-1, height)
    floor = max(alpha, best)
    for i in range(width):
        move = pick(width, i, height, workspace)
        follow(evaluator.inner, position, move, height)
        gain = -quiescence(evaluator, play(position, move), not own, -beta, -floor, height + 1, workspace)
        best = max(best, gain)
        floor = max(floor, gain)
        if best >= beta or workspace.tally[STOP]:
            break
    return best


@kernel
def ask_once(evaluator: Any, position: Any, name: Mask, height: int, workspace: Workspace) -> float:
    """Return what the evaluator says of the position of this *name*, asked only once if it can be helped."""
    place = name & LAST_OPINION
    if workspace.judged[place] == name:
        return float(workspace.opinions[place])
    value = judge_as_it_stands(evaluator, position, height & 1 == 0, height)
    workspace.judged[place] = name
    workspace.opinions[place] = value
    return value


def judge_as_it_stands(evaluator: Any, position: Any, own: bool, height: int) -> float:
    """Return what the evaluator says of the position as it stands."""
    return judge(evaluator.inner if isinstance(evaluator, Quiescent) else evaluator, position, own, height)


@overload(judge_as_it_stands, strict=False)
def _judge_as_it_stands(evaluator: Any, position: Any, own: Any, height: Any) -> Any:
    if evaluator.instance_class is Quiescent:
        return lambda evaluator, position, own, height: judge(evaluator.inner, position, own, height)
    return lambda evaluator, position, own, height: judge(evaluator, position, own, height)


def plays_out(evaluator: Any) -> bool:
    """Tell whether captures are to be played out before *evaluator* is asked."""
    return isinstance(evaluator, Quiescent)


@overload(plays_out, strict=False)
def _plays_out(evaluator: Any) -> Any:
    answer = evaluator.instance_class is Quiescent
    return lambda evaluator: answer


@kernel
def selective_quiescence(
    evaluator: Any, position: Any, alpha: float, beta: float, height: int, workspace: Workspace
) -> float:
    """Return the value after the captures that pay; in check every reply is looked at."""
    tally, checked = workspace.tally, in_check(position)
    if tally[NODES] >= tally[NODE_LIMIT]:
        tally[STOP] = 1
        return 0.0
    tally[NODES] += 1
    best, plain = -INFINITY, not plays_out(evaluator) or height >= HEIGHTS - 2
    if not checked and _drawn(position):
        return 0.0
    if not checked or plain:
        best = ask_once(evaluator, position, named(position), height, workspace)
        if best >= beta or plain:
            return best
    width = _listed(position, checked, height, workspace)
    if checked and width == 0:
        return settled(-1, height)
    if checked and lifeless(position):
        return 0.0
    floor = max(alpha, best)
    least = max(0, int((floor - best) * CENTIPAWNS / evaluator.scale) - HOPE)
    for i in range(width):
        move = pick(width, i, height, workspace)
        if not checked and not exchange(position, move, least):
            continue
        follow(evaluator, position, move, height)
        gain = -selective_quiescence(evaluator, play(position, move), -beta, -floor, height + 1, workspace)
        if tally[STOP]:
            return 0.0
        best = max(best, gain)
        floor = max(floor, gain)
        if best >= beta:
            break
    return best


@kernel
def _drawn(position: Any) -> bool:
    """Tell whether a position without check is a draw; only who has few pieces left is asked whether he can move."""
    return lifeless(position) or (not may_pass(position) and not movable(position))


@kernel
def _listed(position: Any, checked: bool, height: int, workspace: Workspace) -> int:
    """Write the moves to look at, ranked by promise; return how many."""
    codes, order = workspace.moves[height], workspace.order[height]
    width = moves(position, codes) if checked else captures(position, codes)
    for i in range(width):
        order[i] = promise(position, int(codes[i]))
    return width
