"""What can be counted of many Nine Men's Morris records: phases, removals, legal moves, moves that can never be legal.

`authors` counts as the papers' program did: it never lets a stone in a mill be removed, not even where all stones of
the other side stand in mills, and so has no move for a mill closed there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE
from understudy.games.morris.legality import phases
from understudy.games.morris.notation import Morris
from understudy.games.morris.rules import MOST_MOVES, in_mills, moves
from understudy.kernels import kernel

CODES = 25 * 25 * 25
"""Codes of moves are below this."""
FIRST_CODE = 25 * 25
"""Codes below have no TO and are no moves."""
ABSENT = 0
"""The class of a part that a move does not have."""


def by_phase(batch: Morris, counted: NDArray[np.bool_]) -> dict[str, int]:
    """Return how many of the counted rows each phase of the mover has: placing, sliding, flying."""
    counts = np.bincount(phases(batch.mine, batch.hand)[counted], minlength=4)
    return {str(phase): int(counts[phase]) for phase in (1, 2, 3)}


def removing(moves: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell which moves remove a stone."""
    return moves % 25 > 0


def legal_counts(batch: Morris, *, authors: bool = False) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return how many moves each position has [positions], and how many positions each code has [CODES]."""
    per_position, per_move = np.zeros(len(batch.mine), np.int32), np.zeros(CODES, np.int64)  # type: ignore[arg-type]
    masks: Any = batch
    hand, their_hand = (np.asarray(stones, np.int64) for stones in (batch.hand, batch.their_hand))
    _count(masks.mine, masks.theirs, hand, their_hand, authors, per_position, per_move)
    return per_position, per_move


@kernel
def _count(
    mine: NDArray[np.uint64],
    theirs: NDArray[np.uint64],
    hand: NDArray[np.int64],
    their_hand: NDArray[np.int64],
    authors: bool,
    per_position: NDArray[np.int32],
    per_move: NDArray[np.int64],
) -> None:
    out = np.empty(MOST_MOVES, np.int32)
    for row in range(len(mine)):
        position = Morris(mine[row], theirs[row], hand[row], their_hand[row], 0)
        safe = authors and (theirs[row] & ~in_mills(theirs[row])) == NONE
        for place in range(moves(position, out)):
            if safe and out[place] % 25 > 0:
                continue
            per_move[out[place]] += 1
            per_position[row] += 1


def impossible() -> NDArray[np.bool_]:
    """Tell which codes can be legal in no position at all [CODES]; codes without TO are no moves and not counted."""
    to, origin, removed = np.unravel_index(np.arange(CODES), (25, 25, 25))
    same = (to == origin) | (removed == to) | ((removed == origin) & (removed > 0))
    # From one line of TO and removing from the other: neither line can be closed.
    across = np.zeros(CODES, bool)
    lines = _lines()
    for first, second in [(a, b) for a in lines for b in lines if a != b and a & b]:
        (corner,) = first & second
        across |= (to == corner) & np.isin(origin, list(first - {corner})) & np.isin(removed, list(second - {corner}))
    return np.asarray((to > 0) & (same | across))


def _lines() -> list[frozenset[int]]:
    """Return the sixteen lines as cells counted from 1."""
    sides = [{ring + cell, ring + cell + 1, ring + (cell + 2) % 8} for ring in (0, 8, 16) for cell in (0, 2, 4, 6)]
    spokes = [{cell, cell + 8, cell + 16} for cell in (1, 3, 5, 7)]
    return [frozenset(cell + 1 for cell in line) for line in sides + spokes]
