"""What is wrong with an illegal choice in Konane, on boards of all sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import occupied
from understudy.games.konane.large import is_first
from understudy.games.mistakes import FINE
from understudy.kernels import kernel

MISTAKES = {
    "from_empty": "no stone stands where the move begins",
    "from_theirs": "the other's stone moves",
    "opening_jump": "a stone jumps though the opening is not over: two stones are removed first",
    "opening_cell": "the stone may not be removed: the first stands in a corner or in the middle, the second beside it",
    "late_removal": "a stone is removed though the opening is over",
    "from_stuck": "an own stone that cannot jump moves",
    "occupied": "a stone stands on the target",
    "not_in_line": "the target is in another row and another column",
    "odd_distance": "the target is an odd number of cells away: jumps go two by two",
    "nothing_to_jump": "a cell that is to be jumped over is empty",
    "blocked": "a stone stands where the first of several jumps would end",
}
"""In the order in which they are looked for: the stone, the opening, the target, the way."""

(FROM_EMPTY, FROM_THEIRS, OPENING_JUMP, OPENING_CELL, LATE_REMOVAL, FROM_STUCK, OCCUPIED, NOT_IN_LINE,
 ODD_DISTANCE, NOTHING_TO_JUMP, BLOCKED) = range(len(MISTAKES))  # fmt: skip

MINE, THEIRS = 1, 2
"""What a cell of a board holds, besides 0: nothing."""


def blame(batch: Any, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the mistake of each choice; boards are looked at cell by cell, so that one kernel serves all sizes."""
    rows, columns = int(batch.rows[0]), int(batch.columns[0])
    boards = MINE * occupied(batch.mine, rows * columns) + THEIRS * occupied(batch.theirs, rows * columns)
    blamed = np.empty(len(parts), np.int64)
    _blame(boards, rows, columns, parts, blamed)
    return blamed


@kernel
def _blame(boards: NDArray[np.int8], rows: int, columns: int, parts: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    for row in range(len(parts)):
        board, origin, to = boards[row], parts[row, 0], parts[row, 1]
        holes = 0
        for cell in range(rows * columns):
            holes += 1 if board[cell] == 0 else 0
        if board[origin] != MINE:
            out[row] = FROM_EMPTY if board[origin] == 0 else FROM_THEIRS
        elif holes <= 1:
            out[row] = _blame_opening(board, rows, columns, origin, to, holes)
        else:
            out[row] = _blame_jump(board, rows, columns, origin, to)


@kernel
def _blame_opening(board: NDArray[np.int8], rows: int, columns: int, origin: int, to: int, holes: int) -> int:
    """Return what is wrong with what an own stone does while stones are still removed."""
    if origin != to:
        return OPENING_JUMP
    row, column = origin // columns, origin % columns
    if holes == 0:
        return FINE if is_first(row, column, rows, columns) else OPENING_CELL
    beside = (
        (row > 0 and board[origin - columns] == 0)
        or (column > 0 and board[origin - 1] == 0)
        or (column < columns - 1 and board[origin + 1] == 0)
        or (row < rows - 1 and board[origin + columns] == 0)
    )
    return FINE if beside else OPENING_CELL


@kernel
def _blame_jump(board: NDArray[np.int8], rows: int, columns: int, origin: int, to: int) -> int:
    """Return what is wrong with an own stone that goes from *origin* to *to* after the opening."""
    if origin == to:
        return LATE_REMOVAL
    if not _can_jump(board, rows, columns, origin):
        return FROM_STUCK
    if board[to] != 0:
        return OCCUPIED
    up, across = to // columns - origin // columns, to % columns - origin % columns
    if up != 0 and across != 0:
        return NOT_IN_LINE
    if (up + across) & 1:
        return ODD_DISTANCE
    step = (columns if up != 0 else 1) * (1 if to > origin else -1)
    for cell in range(origin, to, 2 * step):
        if board[cell + step] == 0:
            return NOTHING_TO_JUMP
        if board[cell + 2 * step] != 0:
            return BLOCKED
    return FINE


@kernel
def _can_jump(board: NDArray[np.int8], rows: int, columns: int, origin: int) -> bool:
    """Tell whether the next cell in some direction is taken and the one behind it empty."""
    row, column = origin // columns, origin % columns
    return (
        (row > 1 and board[origin - columns] != 0 and board[origin - 2 * columns] == 0)
        or (column > 1 and board[origin - 1] != 0 and board[origin - 2] == 0)
        or (column < columns - 2 and board[origin + 1] != 0 and board[origin + 2] == 0)
        or (row < rows - 2 and board[origin + columns] != 0 and board[origin + 2 * columns] == 0)
    )
