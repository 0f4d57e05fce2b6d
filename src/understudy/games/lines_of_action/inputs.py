"""Boards of Lines of Action as numbers, relative to the side that judges: Miller's (2010) board and nonads.

The functions have the names and forms of those for Konane, so that whoever values boards need not know the game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games.bits import NONE, Mask, lowest, rest
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.kernels import kernel

REPRESENTATIONS = ("board", "nonads")
"""board: a cell is 1 (own stone), -1 (enemy's) or 0. nonads: as board, then for each window of 3 x 3 cells the own
stones in it, 1 in the centre, 0.8 at a side, 0.75 in a corner. Both run row by row from the lower left."""

BOARD, NONADS = range(2)

WEIGHTS = np.array([1.0, 0.8, 0.75], np.float32)
"""Of a stone in a nonad, by its steps along rows and columns from the centre: Miller's (2010)."""


def find_representation(name: str, rows: int, columns: int) -> int:
    """Return the number of the representation called *name*."""
    if name not in REPRESENTATIONS:
        raise UnknownName("representation of lines_of_action", name, REPRESENTATIONS)
    return REPRESENTATIONS.index(name)


@kernel
def input_count(representation: int, rows: int, columns: int) -> int:
    """Return how many inputs a board has."""
    return rows * columns + (0 if representation == BOARD else (rows - 2) * (columns - 2))


@kernel
def input_width(representation: int, position: Any) -> int:
    """Return how many inputs the board of a position has."""
    return input_count(representation, position.size, position.size)


@kernel
def encode(representation: int, position: Any, side: int, scratch: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Write the inputs of *position* as *side* sees it: 0 the side to move, 1 the other."""
    own, enemy = (position.mine, position.theirs) if side == 0 else (position.theirs, position.mine)
    for i in range(input_count(representation, position.size, position.size)):
        out[i] = 0.0
    _mark(own, position.size, 1.0, out)
    _mark(enemy, position.size, -1.0, out)
    if representation == NONADS:
        _mark_nonads(own, position.size, out[position.size * position.size :])


@kernel
def _mark(stones: Mask, size: int, number: float, out: NDArray[np.float32]) -> None:
    while stones != NONE:
        cell = lowest(stones)
        out[(cell >> 3) * size + (cell & 7)] = number
        stones = rest(stones)


@kernel
def _mark_nonads(stones: Mask, size: int, out: NDArray[np.float32]) -> None:
    """Add each stone to the windows that hold it; a window is named by its lower left cell."""
    while stones != NONE:
        row, column = lowest(stones) >> 3, lowest(stones) & 7
        for low in range(max(row - 2, 0), min(row, size - 3) + 1):
            for left in range(max(column - 2, 0), min(column, size - 3) + 1):
                out[low * (size - 2) + left] += WEIGHTS[abs(row - low - 1) + abs(column - left - 1)]
        stones = rest(stones)


@kernel
def encode_boards(representation: int, batch: Any, scratch: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Write the inputs of every board of a batch [boards, inputs] as the side sees it that is not to move."""
    for i in range(out.shape[0]):
        position = LinesOfAction(batch.mine[i], batch.theirs[i], batch.size[i], batch.switches[i], batch.ply[i])
        encode(representation, position, 1, scratch, out[i])
