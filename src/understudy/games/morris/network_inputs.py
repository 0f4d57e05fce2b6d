"""What networks inside the search may see of Morris besides its features: the terms that hand-made evaluators weigh.

A network of one small layer over cells alone would first have to find out what a mill is. `shape` counts for each side
what `evaluators.py` counts, so that a network can begin where a hand-made evaluator ends: with all weights free, and
every term weighed by the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import Mask, popcount
from understudy.games.morris.evaluators import (
    CROSSINGS,
    blocked,
    double_mills,
    mills,
    open_twos,
    threats,
)
from understudy.games.morris.notation import STONES, SYMMETRIES, Morris
from understudy.games.morris.rules import BOARD_MASK, mobility
from understudy.kernels import kernel

TURN, SHAPE = 1, 2
COUNTED = {"turn": TURN, "shape": SHAPE}
COUNTED_WIDTHS = {TURN: 1, SHAPE: 12}
"""One; stones, mills, double mills, open twos, forks, threats, ready, mobility, blocked, crossings, placing, flying."""
NUMBERS = {"turn": ("turn", (0,)), "shape": ("shape", (0, 1))}
"""Inputs that are counted: which numbers, and about which sides (0: mine)."""
LINEAR: dict[str, Callable[[int, tuple[float, float, float]], Any]] = {}
"""No sums over stones of its own: `features` are enough."""

# Factors that bring counts to about 1, where units of tanh tell them apart best. Chosen by hand.
_HALF, _QUARTER, _EIGHTH = np.float32(0.5), np.float32(0.25), np.float32(0.125)
_YES, _NO = np.float32(1.0), np.float32(0.0)


@cache
def turns(size: int) -> list[NDArray[np.int64]]:
    """Return the symmetries of the board as rearrangements of the features; hands stay as they are."""
    hands = np.arange(48, 48 + 2 * STONES)
    return [np.concatenate([cells, 24 + cells, hands]) for cells in SYMMETRIES]


@kernel
def counted(position: Morris, kinds: int, out: NDArray[np.float32]) -> int:
    """Write the chosen kinds of numbers about my stones, then about theirs; return how many for each side."""
    mine, theirs = position.mine, position.theirs
    empty = BOARD_MASK & ~(mine | theirs)
    half = _count_side(mine, position.hand, empty, kinds, True, out)
    return _count_side(theirs, position.their_hand, empty, kinds, False, out[half:])


@kernel
def _count_side(stones: Mask, hand: int, empty: Mask, kinds: int, moving: bool, out: NDArray[np.float32]) -> int:
    total = 0
    if kinds & TURN:
        out[0] = _YES if moving else _NO
        total = 1
    if kinds & SHAPE:
        there = popcount(stones)
        flying = hand == 0 and there <= 3
        twos = open_twos(stones, empty)
        closing = threats(stones, empty, hand > 0 or flying) if twos > 0 else 0
        out[total] = np.float32(there + hand) * _QUARTER
        out[total + 1] = np.float32(mills(stones)) * _HALF
        out[total + 2] = np.float32(double_mills(stones, empty)) * _HALF
        out[total + 3] = np.float32(twos) * _QUARTER
        out[total + 4] = np.float32(max(twos - 1, 0)) * _QUARTER
        out[total + 5] = np.float32(closing) * _HALF
        out[total + 6] = _YES if moving and closing > 0 else _NO
        out[total + 7] = np.float32(mobility(stones, empty)) * _EIGHTH
        out[total + 8] = np.float32(blocked(stones, empty)) * _QUARTER
        out[total + 9] = np.float32(popcount(stones & CROSSINGS)) * _HALF
        out[total + 10] = _YES if hand > 0 else _NO
        out[total + 11] = _YES if flying else _NO
        total += 12
    return total
