"""Where few pieces are left: how the kings stand to each other, and every other piece to both kings, as rows.

To mate with a rook is a matter of relations, which sums over single pieces tell badly; with four pieces there are few
enough of them to have a row each.
"""

from __future__ import annotations

from typing import Any

from understudy.games.bits import NONE, lowest, popcount, rest
from understudy.games.chess.attacks import kings
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

FEW_PIECES = 4
"""Up to so many pieces these rows are there."""
PAIRS = 32 * 64
"""The cells of both kings; the mover's stands on the files e to h."""
STEPS = 15 * 15
"""Where a piece stands from a king: -7 to 7 ranks up, -7 to 7 files to the right."""
RELATIONS = PAIRS + 2 * 10 * STEPS
"""How many rows there are."""
MOST_RELATIONS = 1 + 2 * (FEW_PIECES - 2)
"""A position brings no more of them than this."""


@kernel
def write_few(position: Chess, first: int, out: Any, total: int) -> int:
    """Write these rows, numbered from *first* on, if few pieces are left; the mover's king stands on the right."""
    if popcount(position.mine | position.theirs) > FEW_PIECES:
        return total
    royal = kings(position)
    one, other = lowest(royal & position.mine), lowest(royal & position.theirs)
    out[total] = first + ((one >> 3) * 4 + (one & 3)) * 64 + other
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens)
    total += 1
    for number in range(10):
        pieces = kinds[number % 5] & (position.mine if number < 5 else position.theirs)
        while pieces != NONE:
            cell = lowest(pieces)
            pieces = rest(pieces)
            out[total] = first + PAIRS + number * STEPS + _step(cell, one)
            out[total + 1] = first + PAIRS + (10 + number) * STEPS + _step(cell, other)
            total += 2
    return total


@kernel
def _step(cell: int, king: int) -> int:
    """Return where a cell lies as seen from a king."""
    return ((cell >> 3) - (king >> 3) + 7) * 15 + (cell & 7) - (king & 7) + 7
