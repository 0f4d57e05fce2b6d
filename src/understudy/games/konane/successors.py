"""All positions after all moves of many positions, so that they can be solved in one go."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import joined, size, stacked, taken
from understudy.games.konane.batches import names, unknown
from understudy.games.konane.rules import MOST_MOVES, Konane, count, moves, play
from understudy.kernels import kernel

FEW_CELLS = 16
"""On so small a board every position can be listed."""


class Successors(NamedTuple):
    """The moves of the i-th position are those from `first[i]` up to `first[i + 1]`."""

    first: NDArray[np.int64]
    moves: NDArray[np.int32]
    after: Any
    """A batch of the positions after each move, seen by the other side."""


def successors(batch: Any) -> Successors:
    """Return every legal move of every position of a batch, and where it leads."""
    first = np.zeros(len(batch.mine) + 1, np.int64)
    _count(batch, first)
    first = first.cumsum()
    codes = np.zeros(first[-1], np.int32)
    after = Konane._make(np.zeros(first[-1], field.dtype) for field in batch)
    _write(batch, codes, after)
    return Successors(first, codes, after)


def every_position(game: CompiledGame) -> Any:
    """Return all positions that can be reached and have a move."""
    fresh, seen = stacked([game.start()]), np.zeros(0, np.uint64)
    found = []
    while size(fresh):
        seen = np.concatenate([seen, names(fresh)])
        first, _, after = successors(fresh)
        found.append(taken(fresh, np.diff(first) > 0))
        fresh = taken(after, unknown(names(after), seen))
    return joined(found)


@kernel
def _at(batch: Any, row: int) -> Konane:
    return Konane(batch.mine[row], batch.theirs[row], batch.rows[row], batch.columns[row], batch.ply[row])


@kernel
def _count(batch: Any, out: NDArray[np.int64]) -> None:
    for row in range(len(batch.mine)):
        out[row + 1] = count(_at(batch, row))


@kernel
def _write(batch: Any, codes: NDArray[np.int32], after: Any) -> None:
    out = np.empty(MOST_MOVES, np.int32)
    total = 0
    for row in range(len(batch.mine)):
        position = _at(batch, row)
        for i in range(moves(position, out)):
            following = play(position, out[i])
            codes[total] = out[i]
            after.mine[total], after.theirs[total] = following.mine, following.theirs
            after.rows[total], after.columns[total] = following.rows, following.columns
            after.ply[total] = following.ply
            total += 1
