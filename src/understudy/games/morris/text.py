"""Text of many Nine Men's Morris positions and moves at once, as matrices of characters.

The same text as in `notation.py`, for files of a hundred thousand lines. What these readers doubt they only
mark: the slow reader of one line then says what is wrong with it, or finds that it is well after all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games.batches import NO_MOVE
from understudy.games.morris.batches import moves_of, parts_of
from understudy.games.morris.notation import BIT, CELLS, STONES, Morris
from understudy.games.texts import Characters

WIDTH = 28
MOVE_WIDTH = 6
_EMPTY, _MINE, _THEIRS, _ZERO = (ord(letter) for letter in "OME0")
_BITS = np.array([bit - 1 for bit in BIT[1:]], np.uint64)
_NAMES = np.frombuffer(("\0\0" + "".join(CELLS)).encode(), np.uint8).reshape(25, 2)


def write_rows(batch: Morris) -> NDArray[np.uint8]:
    """Return the 28 characters of each position [positions, 28]."""
    mine, theirs = (_cells(mask) for mask in (batch.mine, batch.theirs))  # type: ignore[arg-type]
    letters = np.where(mine, _MINE, np.where(theirs, _THEIRS, _EMPTY))
    counts = (batch.hand, batch.their_hand, mine.sum(axis=1), theirs.sum(axis=1))
    return np.hstack([letters, np.stack(counts, axis=1) + _ZERO]).astype(np.uint8)


def read_rows(text: Characters) -> tuple[Morris, NDArray[np.bool_]]:
    """Return the positions of lines of 28 characters or more, and which of them are surely well-formed."""
    letters, digits = text.rows[:, :24], text.rows[:, 24:WIDTH].astype(np.int64) - _ZERO
    mine, theirs = letters == _MINE, letters == _THEIRS
    hand, their_hand, board, their_board = digits.T
    good = (text.lengths >= WIDTH) & (mine | theirs | (letters == _EMPTY)).all(axis=1)
    good &= (board == mine.sum(axis=1)) & (their_board == theirs.sum(axis=1)) & (their_hand >= 0)
    good &= (hand + board <= STONES) & (their_hand + their_board <= STONES)
    good &= (hand - their_hand == 0) | (hand - their_hand == 1)
    fields: Any = (_mask(mine), _mask(theirs), hand, their_hand, 2 * STONES - hand - their_hand)
    return Morris(*fields), good


def write_moves(moves: NDArray[np.int32]) -> Characters:
    """Return each move as FROM, TO and REMOVE without what is absent; nothing where nobody moved."""
    to, origin, removed = parts_of(moves).T
    rows = np.hstack([_NAMES[cells] for cells in (origin, to, removed)])
    placed = origin == 0
    rows[placed, :4], rows[placed, 4:] = rows[placed, 2:], 0
    return Characters(rows, 2 * np.count_nonzero([to, origin, removed], axis=0).astype(np.int64))


def read_moves(text: Characters, batch: Morris) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the codes of moves in these positions, and which of them are surely well-formed."""
    cells = _numbers(text.rows[:, :MOVE_WIDTH])
    placing, count = np.asarray(batch.hand) > 0, text.lengths // 2
    named = (cells > 0).sum(axis=1)
    shifted = np.hstack([np.zeros((len(cells), 1), np.int64), cells[:, :2]])
    origin, to, removed = np.where(placing[:, None], shifted, cells).T
    good = (text.lengths % 2 == 0) & (named == count) & (count >= 2 - placing) & (count <= 3 - placing)
    codes = moves_of(np.stack([to, origin, removed], axis=1))
    return np.where(good, codes, NO_MOVE).astype(np.int32), good


def check_writable(batch: Morris, moves: NDArray[np.int32]) -> None:
    """Raise if a move has not the form of its phase: its text would be read as another move."""
    to, origin, _ = parts_of(moves).T
    good = (moves == NO_MOVE) | ((to > 0) & ((origin == 0) == (np.asarray(batch.hand) > 0)))
    if not good.all():
        row = int(np.argmin(good))
        raise FileError(f"row {row + 1} has no text: move {moves[row]} has not the form of its phase")


def _cells(masks: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which cells, in the papers' order, each mask holds [masks, 24]."""
    return ((masks[:, None] >> _BITS) & np.uint64(1)).astype(bool)


def _mask(cells: NDArray[np.bool_]) -> NDArray[np.uint64]:
    return np.asarray(np.bitwise_or.reduce(cells.astype(np.uint64) << _BITS, axis=1))


def _numbers(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the papers' numbers of the cells that pairs of characters name; 0 for what is no cell."""
    # Below `a` or `1` the difference wraps around to a large number, beyond the board like all others.
    columns, ranks = rows[:, 0::2] - np.uint8(ord("a")), rows[:, 1::2] - np.uint8(ord("1"))
    return np.asarray(_NUMBERS[np.minimum(columns, 7), np.minimum(ranks, 7)])


def _grid() -> NDArray[np.int64]:
    grid = np.zeros((8, 8), np.int64)
    for number, name in enumerate(CELLS):
        grid[ord(name[0]) - ord("a"), int(name[1]) - 1] = number + 1
    return grid


_NUMBERS = _grid()
"""The papers' number by column and row; the eighth of either is beyond the board."""
