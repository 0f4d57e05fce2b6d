"""What a Morris position is worth to DeepMill, the papers' teacher: its terms and weights, our code.

The weights are those of the public program (M-21 of our notes on the papers; docs/games/morris.md tells how each term
is read). It weighs other terms while stones are placed, while both sides slide, and once a side has three stones.
Every term is mine minus theirs but one: with three stones an enemy stone counts twice as much as one's own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, popcount
from understudy.games.morris.evaluators import CROSSINGS, blocked, mills, open_twos
from understudy.games.morris.notation import FLYING, Morris
from understudy.games.morris.rules import (
    BOARD_MASK,
    CORNERS,
    MIDDLES,
    backward,
    neighbours,
    onward,
)
from understudy.kernels import kernel

_8 = np.uint64(8)
_16 = np.uint64(16)

DEEPMILL_TERMS = {
    "placing": ("stones", "blocked", "potential_threes", "mills", "open_twos", "threes", "degrees"),
    "sliding": ("stones", "blocked", "unblockable", "mills", "double_mills", "reachable"),
    "flying": ("stones", "open_twos", "threes", "reachable"),
}
"""What is weighed in each phase, in the order of the weights."""


class DeepMill(NamedTuple):
    """One weight for each term of each phase."""

    placing: NDArray[np.float64]
    sliding: NDArray[np.float64]
    flying: NDArray[np.float64]
    scale: float


@kernel
def deepmill_value(evaluator: DeepMill, position: Morris, own: bool) -> float:
    """Return the value of *position* for the side to move, by the terms of its phase."""
    mine, theirs = position.mine, position.theirs
    empty = BOARD_MASK & ~(mine | theirs)
    if position.hand > 0 or position.their_hand > 0:
        owned = popcount(mine) + position.hand - popcount(theirs) - position.their_hand
        return _placing_value(evaluator.placing, mine, theirs, empty, owned)
    if popcount(mine) > FLYING and popcount(theirs) > FLYING:
        return _sliding_value(evaluator.sliding, mine, theirs, empty)
    return _flying_value(evaluator.flying, mine, theirs, empty)


@kernel
def _placing_value(weights: NDArray[np.float64], mine: Mask, theirs: Mask, empty: Mask, owned: int) -> float:
    my_pairs, their_pairs = half_lines(mine, empty), half_lines(theirs, empty)
    total = weights[0] * owned
    total += weights[1] * (blocked(theirs, empty) - blocked(mine, empty))
    total += weights[2] * (popcount(my_pairs & empty) - popcount(their_pairs & empty))
    total += weights[3] * (mills(mine) - mills(theirs))
    total += weights[4] * (open_twos(mine, empty) - open_twos(theirs, empty))
    total += weights[5] * (popcount(my_pairs & mine) - popcount(their_pairs & theirs))
    total += weights[6] * (degrees(mine) - degrees(theirs))
    return float(total)


@kernel
def _sliding_value(weights: NDArray[np.float64], mine: Mask, theirs: Mask, empty: Mask) -> float:
    total = weights[0] * (popcount(mine) - popcount(theirs))
    total += weights[1] * (blocked(theirs, empty) - blocked(mine, empty))
    total += weights[2] * (unblockable(mine, theirs, empty) - unblockable(theirs, mine, empty))
    total += weights[3] * (mills(mine) - mills(theirs))
    total += weights[4] * (popcount(crossed_mills(mine)) - popcount(crossed_mills(theirs)))
    total += weights[5] * (popcount(reachable(mine, empty)) - popcount(reachable(theirs, empty)))
    return float(total)


@kernel
def _flying_value(weights: NDArray[np.float64], mine: Mask, theirs: Mask, empty: Mask) -> float:
    total = weights[0] * (4 + popcount(mine) - 2 * popcount(theirs))
    total += weights[1] * (open_twos(mine, empty) - open_twos(theirs, empty))
    my_pairs, their_pairs = half_lines(mine, empty), half_lines(theirs, empty)
    total += weights[2] * (popcount(my_pairs & mine) - popcount(their_pairs & theirs))
    total += weights[3] * (popcount(reachable(mine, empty)) - popcount(reachable(theirs, empty)))
    return float(total)


# Every cell is in two lines. The first goes back along the ring from a corner, or along the side from a mid-side; the
# second goes on from a corner, or along the spoke. Rings turned in a circle show a mid-side the other two of its spoke.


@kernel
def _turned(mask: Mask) -> Mask:
    """Return every cell of *mask* on the next ring inward, the inner ring on the outer one."""
    return ((mask << _8) | (mask >> _16)) & BOARD_MASK


@kernel
def _first_line(mask: Mask) -> tuple[Mask, Mask]:
    """Return the cells whose first line has *mask* at the one place, and at the other place, beside themselves."""
    before = onward(mask)
    return before, (onward(before) & CORNERS) | (backward(mask) & MIDDLES)


@kernel
def _second_line(mask: Mask) -> tuple[Mask, Mask]:
    """Return the cells whose second line has *mask* at the one place, and at the other place, beside themselves."""
    after, inward = backward(mask), _turned(mask)
    return (after & CORNERS) | (inward & MIDDLES), (backward(after) & CORNERS) | (_turned(inward) & MIDDLES)


@kernel
def half_lines(stones: Mask, empty: Mask) -> Mask:
    """Return the cells both of whose lines hold, beside themselves, one of the stones and an empty cell.

    A stone on such a cell makes two open twos at once; an empty one would.
    """
    one, other = _first_line(stones)
    one_empty, other_empty = _first_line(empty)
    third, fourth = _second_line(stones)
    third_empty, fourth_empty = _second_line(empty)
    return ((one & other_empty) | (other & one_empty)) & ((third & fourth_empty) | (fourth & third_empty))


@kernel
def crossed_mills(stones: Mask) -> Mask:
    """Return the stones both of whose lines are mills."""
    one, other = _first_line(stones)
    third, fourth = _second_line(stones)
    return stones & one & other & third & fourth


@kernel
def unblockable(stones: Mask, others: Mask, empty: Mask) -> int:
    """Return how many open twos lack a cell with two of the stones beside it and none of the others."""
    before, after = onward(stones), backward(stones)
    inward, outward = _from_inside(stones), _from_outside(stones)
    two = (before & after) | (inward & outward) | ((before | after) & (inward | outward))
    safe = two & empty & ~neighbours(others)
    one, other = _first_line(stones)
    third, fourth = _second_line(stones)
    return popcount(one & other & safe) + popcount(third & fourth & safe)


@kernel
def _from_inside(stones: Mask) -> Mask:
    """Return the mid-sides one ring outward of the stones."""
    return (stones & MIDDLES) >> _8


@kernel
def _from_outside(stones: Mask) -> Mask:
    """Return the mid-sides one ring inward of the stones."""
    return ((stones & MIDDLES) << _8) & BOARD_MASK


@kernel
def degrees(stones: Mask) -> int:
    """Return how many neighbours the cells of all stones have: two at corners, three or four at mid-sides."""
    return 2 * popcount(stones) + popcount(stones & MIDDLES) + popcount(stones & CROSSINGS)


@kernel
def reachable(stones: Mask, empty: Mask) -> Mask:
    """Return the empty cells that the stones reach by slides; all of them if three stones fly."""
    if popcount(stones) == FLYING:
        return empty
    found, edge = NONE, neighbours(stones) & empty
    while edge != NONE:
        found |= edge
        edge = neighbours(edge) & empty & ~found
    return found


# The scale by a logistic fit to the results of 400 games that it played against itself (300 nodes a move after four
# random plies, 20 159 positions): at the scale the expected outcome is tanh(1). Anything from 160 to 220 fits as well.
DEEPMILL = DeepMill(
    placing=np.array([24.0, 3.0, 11.0, 9.0, 10.0, 7.0, 1.0]),
    sliding=np.array([43.0, 10.0, 8.0, 11.0, 8.0, 1.0]),
    flying=np.array([43.0, 10.0, 1.0, 1.0]),
    scale=185.0,
)
