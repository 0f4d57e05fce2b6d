"""Single positions out of a batch of chess, and the two matrices that a batch is made of, for kernels.

Masks are [7, rows], numbers [4, rows], both in the order of the fields of a position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.chess.position import Chess
from understudy.kernels import kernel


def batch_of(masks: NDArray[np.uint64], numbers: NDArray[np.int64]) -> Chess:
    """Return the batch that two matrices hold, without a copy."""
    fields: list[NDArray[np.uint64] | NDArray[np.int64]] = [*masks, *numbers]
    return Chess._make(fields)


def matrices(batch: Chess) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the two matrices of a batch."""
    return np.stack(batch[:7]).astype(np.uint64), np.stack(batch[7:]).astype(np.int64)


@kernel
def row_of(batch: Any, row: int) -> Chess:
    """Return one position of a batch whose masks and numbers have 64 bits."""
    return Chess(
        batch.mine[row],
        batch.theirs[row],
        batch.pawns[row],
        batch.knights[row],
        batch.bishops[row],
        batch.rooks[row],
        batch.queens[row],
        batch.castling[row],
        batch.passant[row],
        batch.clock[row],
        batch.ply[row],
    )


@kernel
def put_row(position: Chess, masks: NDArray[np.uint64], numbers: NDArray[np.int64], row: int) -> None:
    """Write a position into one column of the two matrices that a batch is made of."""
    masks[0, row] = position.mine
    masks[1, row] = position.theirs
    masks[2, row] = position.pawns
    masks[3, row] = position.knights
    masks[4, row] = position.bishops
    masks[5, row] = position.rooks
    masks[6, row] = position.queens
    numbers[0, row] = position.castling
    numbers[1, row] = position.passant
    numbers[2, row] = position.clock
    numbers[3, row] = position.ply


@kernel
def position_at(masks: NDArray[np.uint64], numbers: NDArray[np.int64], row: int) -> Chess:
    """Return the position in one column of the two matrices that a batch is made of."""
    return Chess(
        masks[0, row],
        masks[1, row],
        masks[2, row],
        masks[3, row],
        masks[4, row],
        masks[5, row],
        masks[6, row],
        numbers[0, row],
        numbers[1, row],
        numbers[2, row],
        numbers[3, row],
    )
