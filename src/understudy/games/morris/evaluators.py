"""What a Morris position is worth: a hand-made evaluator that will be the teacher.

After the terms that DeepMill weighs (docs/games/morris.md): stones, mills, open twos, double mills, mobility and
blocked stones, with weights for each phase. Every term is mine minus theirs, found for all lines at once by rotating
the rings, so the value is the same for both sides with opposite signs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.morris.notation import Morris
from understudy.games.morris.rules import (
    BOARD_MASK,
    CORNERS,
    MIDDLES,
    OUTER_MIDDLES,
    backward,
    closers,
    in_mills,
    mobility,
    neighbours,
    onward,
)
from understudy.kernels import kernel

TERMS = (
    "stones",
    "mills",
    "double_mills",
    "open_twos",
    "forks",
    "threats",
    "mobility",
    "blocked",
    "junctions",
    "ready",
)
PHASES = ("placing", "sliding", "flying")

_8 = np.uint64(8)
_16 = np.uint64(16)
CROSSINGS = np.uint64(0x00AA00)
"""The four cells with four neighbours."""


class Phased(NamedTuple):
    """One weight for each term in each phase of the game [phases, terms]."""

    weights: NDArray[np.float64]
    scale: float


@kernel
def phased_value(evaluator: Phased, position: Morris, own: bool) -> float:
    """Return the value of *position* for the side to move: the weighted difference of every term."""
    mine, theirs = position.mine, position.theirs
    empty = BOARD_MASK & ~(mine | theirs)
    my_stones, their_stones = popcount(mine), popcount(theirs)
    placing = position.hand > 0 or position.their_hand > 0
    phase = 0 if placing else 2 if my_stones == 3 or their_stones == 3 else 1
    weights = evaluator.weights[phase]
    my_twos, their_twos = open_twos(mine, empty), open_twos(theirs, empty)
    my_threats = threats(mine, empty, position.hand > 0 or my_stones == 3) if my_twos > 0 else 0
    their_threats = threats(theirs, empty, position.their_hand > 0 or their_stones == 3) if their_twos > 0 else 0
    total = weights[0] * (my_stones + position.hand - their_stones - position.their_hand)
    total += weights[1] * (mills(mine) - mills(theirs))
    total += weights[2] * (double_mills(mine, empty) - double_mills(theirs, empty))
    total += weights[3] * (my_twos - their_twos)
    total += weights[4] * (max(my_twos - 1, 0) - max(their_twos - 1, 0))
    total += weights[5] * (my_threats - their_threats)
    total += weights[6] * (mobility(mine, empty) - mobility(theirs, empty))
    total -= weights[7] * (blocked(mine, empty) - blocked(theirs, empty))
    total += weights[8] * (popcount(mine & CROSSINGS) - popcount(theirs & CROSSINGS))
    total += weights[9] if my_threats > 0 else 0.0
    return float(total)


@kernel
def threats(stones: Mask, empty: Mask, anywhere: bool) -> int:
    """Return how many empty cells close a mill with the next move of their side, which may come from *anywhere*."""
    closing = closers(stones) & empty
    if anywhere:
        return popcount(closing)
    total = 0
    while closing != NONE:
        target = bit(lowest(closing))
        closing = rest(closing)
        origins = stones & neighbours(target)
        while origins != NONE:
            if closers(stones & ~bit(lowest(origins))) & target:
                total += 1
                break
            origins = rest(origins)
    return total


@kernel
def mills(stones: Mask) -> int:
    """Return how many mills stand."""
    sides = stones & onward(stones) & backward(stones) & MIDDLES
    return popcount(sides) + popcount(stones & (stones >> _8) & (stones >> _16) & OUTER_MIDDLES)


@kernel
def open_twos(stones: Mask, empty: Mask) -> int:
    """Return how many lines hold two stones and an empty cell."""
    before, after = onward(stones), backward(stones)
    middles = stones & MIDDLES
    total = popcount(before & after & MIDDLES & empty)
    total += popcount(before & onward(before) & CORNERS & empty) + popcount(after & backward(after) & CORNERS & empty)
    total += popcount((middles << _8) & (middles >> _8) & empty)
    return (
        total
        + popcount((middles >> _8) & (middles >> _16) & empty)
        + popcount((middles << _8) & (middles << _16) & empty)
    )


@kernel
def double_mills(stones: Mask, empty: Mask) -> int:
    """Return how many stones of a mill stand beside an empty cell that completes another line."""
    milled = in_mills(stones)
    return popcount(milled & neighbours(closers(stones) & empty)) if milled != NONE else 0


@kernel
def blocked(stones: Mask, empty: Mask) -> int:
    """Return how many stones have no empty cell beside them."""
    return popcount(stones & ~neighbours(empty))


# By regression on the results of self-play: hill climbing at few nodes did not carry over to longer thinking, this did.
# Terms go together, so single weights may have the wrong sign. At the scale the expected outcome is tanh(1).
HANDMADE = Phased(
    np.array(
        [  # stones, mills, double_mills, open_twos, forks, threats, mobility, blocked, junctions, ready
            [40.1, 9.2, 0.5, -12.8, 39.4, 11.2, 6.7, 10.5, 1.0, 39.8],  # placing
            [57.0, 27.3, 14.5, 6.3, -2.8, 50.6, 5.2, 13.1, 4.2, 43.2],  # sliding
            [166.0, -52.2, 21.1, 5.3, 37.2, 12.1, 0.6, -13.3, 8.7, 62.6],  # flying
        ]
    ),
    scale=110.0,
)

STONES = Phased(np.array([[float(term == "stones") for term in TERMS] for _ in PHASES]), scale=2.0)


def _weigh(scale: float, **terms: float) -> Phased:
    """Return an evaluator with the same weights in every phase; terms that are not named weigh nothing."""
    return Phased(np.array([[terms.get(term, 0.0) for term in TERMS] for _ in PHASES]), scale)


# Opponents of another character, their weights set by hand and fitted to nothing. Stones outweigh what each of them
# likes, or they would give stones away for it. Scales by eye: two stones ahead.
BLOCKER = _weigh(60.0, stones=30.0, mobility=3.0, blocked=12.0)
"""Likes room: wins by leaving the other side no move."""
MILLER = _weigh(60.0, stones=30.0, mills=15.0, open_twos=8.0, threats=12.0)
"""Likes mills, standing and to come, and does not see that its stones get stuck."""
BUILDER = _weigh(60.0, stones=30.0, double_mills=14.0, forks=8.0, junctions=6.0)
"""Likes crossings, and shapes from which one stone serves two lines."""

EVALUATORS = {"handmade": HANDMADE, "stones": STONES, "blocker": BLOCKER, "miller": MILLER, "builder": BUILDER}
