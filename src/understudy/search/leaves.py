"""Where a search ends: finished games, evaluators, and quiescence for games with captures in flight."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from understudy.games.kind import ONGOING
from understudy.games.rules import captures, in_check, movable, moves, outcome, play, promise
from understudy.kernels import kernel
from understudy.search.desk import HEIGHTS, NODES, STOP, Desk
from understudy.search.evaluators import follow, judged
from understudy.search.evaluators.quiescent import Quiescent

INFINITY = 1e12
WIN = 1e9
"""A game won now; each ply that it takes costs one."""
PROVEN = 0.5 * WIN
"""A value beyond this is a proven win, beyond its negative a proven loss."""


@kernel
def settled(result: int, height: int) -> float:
    """Return the value of a finished game, so that near wins are better and near losses worse."""
    return result * (WIN - height)


@kernel
def horizon(evaluator: Any, position: Any, alpha: float, beta: float, height: int, desk: Desk) -> float:
    """Return the value of a position at the end of the search: the rules decide, else the evaluator does."""
    result = outcome(position, 1 if movable(position) else 0)
    if result != ONGOING:
        return settled(result, height)
    return leaf(evaluator, position, height & 1 == 0, alpha, beta, height, desk)


def leaf(evaluator: Any, position: Any, own: bool, alpha: float, beta: float, height: int, desk: Desk) -> float:
    """Return the value of a position where the search stops, exact within (alpha, beta)."""
    if isinstance(evaluator, Quiescent):
        return float(quiescence(evaluator, position, own, alpha, beta, height, desk))
    return judged(evaluator, position, own, height)


@overload(leaf, strict=False)
def _leaf(evaluator: Any, position: Any, own: Any, alpha: Any, beta: Any, height: Any, desk: Any) -> Any:
    if evaluator.instance_class is Quiescent:
        return lambda evaluator, position, own, alpha, beta, height, desk: quiescence(
            evaluator, position, own, alpha, beta, height, desk
        )
    return lambda evaluator, position, own, alpha, beta, height, desk: judged(evaluator, position, own, height)


@kernel
def quiescence(
    evaluator: Quiescent, position: Any, own: bool, alpha: float, beta: float, height: int, desk: Desk
) -> float:
    """Return the value after the captures that both sides care to make; in check every reply is looked at."""
    desk.tally[NODES] += 1
    checked = in_check(position)
    best = -INFINITY
    if not checked or height >= HEIGHTS - 2:
        best = judged(evaluator.inner, position, own, height)
        if best >= beta or height >= HEIGHTS - 2:
            return best
    codes, order = desk.moves[height], desk.order[height]
    width = moves(position, codes) if checked else captures(position, codes)
    if checked and width == 0:
        return settled(-1, height)
    for i in range(width):
        order[i] = promise(position, codes[i])
    floor = max(alpha, best)
    for start in range(width):
        _to_front(codes, order, start, width)
        follow(evaluator.inner, position, codes[start], height)
        child = play(position, codes[start])
        gain = -quiescence(evaluator, child, not own, -beta, -floor, height + 1, desk)
        best = max(best, gain)
        floor = max(floor, gain)
        if best >= beta or desk.tally[STOP]:
            break
    return best


@kernel
def _to_front(codes: Any, order: Any, start: int, width: int) -> None:
    best = start
    for i in range(start + 1, width):
        if order[i] > order[best]:
            best = i
    codes[start], codes[best] = codes[best], codes[start]
    order[start], order[best] = order[best], order[start]
