"""What a person sees on a board of Morris at a glance, as inputs: mills, cells that would close one, room to move.

`raw` leaves it to the network to find lines among cells. Here each cell is told what lies around it, for both sides, by
the rules alone and without playing any move: nothing is looked ahead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.morris.legality import phases
from understudy.games.morris.lines import LINES, NEIGHBOURS, ON_LINE, occupied

Cells = NDArray[np.int8]
"""[positions, 24], in the papers' order."""

CHANNELS = 8
"""Of each side: what `_show_side` tells of each cell."""


class _Side(NamedTuple):
    """One side's stones, and what follows from them alone."""

    stones: Cells
    counts: Cells
    """[positions, 16]: its stones in each line."""
    moving: NDArray[np.bool_]
    """Whether it slides: no stones in hand, and more than three on the board."""


def show_patterns(batch: Any) -> NDArray[np.int8]:
    """Return what each cell is to both sides [positions, 2 * CHANNELS * 24], those of the side to move first."""
    mine, theirs = _look_at(batch.mine, batch.hand), _look_at(batch.theirs, batch.their_hand)
    shown = [*_show_side(mine, theirs), *_show_side(theirs, mine)]
    return np.concatenate([np.asarray(cells, np.int8) for cells in shown], axis=1)


def _look_at(mask: Any, hand: Any) -> _Side:
    stones = occupied(mask)
    return _Side(stones, stones[:, LINES].sum(axis=2, dtype=np.int8), phases(mask, hand) == 2)


def _show_side(side: _Side, other: _Side) -> list[NDArray[Any]]:
    """Return what each cell is to one side, in the order of the channels."""
    empty = 1 - side.stones - other.stones
    lacking = (side.counts == 2) & (other.counts == 0)  # lines in which one stone is missing
    near = side.stones @ NEIGHBOURS
    reached = empty * np.where(side.moving[:, None], near, 1)
    closing = empty * (lacking @ ON_LINE)
    in_mill = side.stones * ((side.counts == 3).astype(np.int8) @ ON_LINE)
    locked = (in_mill > 0).sum(axis=1) == side.stones.sum(axis=1)
    return [
        closing,
        _closing_next(side, lacking, empty),
        reached,
        in_mill,
        side.stones * ((in_mill == 0) | locked[:, None]),  # stones that the other may take
        side.stones * (empty @ NEIGHBOURS),  # free neighbours
        side.stones * (lacking @ ON_LINE),  # lines in which it waits for one more
        empty * (((side.counts == 1) & (other.counts == 0)).astype(np.int8) @ ON_LINE),  # where an open two arises
    ]


def _closing_next(side: _Side, lacking: NDArray[np.bool_], empty: Cells) -> NDArray[np.int8]:
    """Return the empty cells where a side whose turn it is closes a mill: a stone from outside the line gets there."""
    closing = np.zeros_like(empty)
    for line, members in enumerate(LINES):
        for cell in members:
            outside = NEIGHBOURS[:, cell].copy()
            outside[members] = 0
            arrives = ~side.moving | (side.stones @ outside > 0)
            closing[:, cell] |= (lacking[:, line] & arrives & (empty[:, cell] == 1)).astype(np.int8)
    return closing
