"""FENs written by the hundred thousand; the other half of `fen.py`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import Texts, parted
from understudy.games.bits import NONE, Mask, bit, flipped
from understudy.games.chess.batches import matrices
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

WIDEST = 128
"""Bytes that every FEN fits in."""

SYMBOLS = np.frombuffer(b"PNBRQKpnbrqk", np.uint8)
RIGHTS = np.frombuffer(b"KQkq", np.uint8)
_ZERO, _SPACE, _DASH = (ord(letter) for letter in "0 -")


def write_fens(batch: Chess) -> list[str]:
    """Return the FEN of each position; it names an en passant cell only where such a capture is legal."""
    return parted(write_fen_texts(batch))


def write_fen_texts(batch: Chess) -> Texts:
    """Return the FENs of a batch as one buffer."""
    masks, numbers = matrices(batch)
    letters = np.empty(WIDEST * masks.shape[1], np.uint8)
    offsets = np.zeros(masks.shape[1] + 1, np.int64)
    _write_all(masks, numbers, letters, offsets)
    return Texts(letters[: offsets[-1]].copy(), offsets)


@kernel
def _write_all(
    masks: NDArray[np.uint64], numbers: NDArray[np.int64], letters: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> None:
    board = np.zeros(8, np.uint64)
    place = 0
    for row in range(masks.shape[1]):
        black = numbers[3, row] & 1
        _unturned(masks, row, black, board)
        place = _write_board(board, letters, place)
        place = _put(letters, _put(letters, place, _SPACE), ord("b") if black else ord("w"))
        place = _write_rights(numbers[0, row], black, letters, _put(letters, place, _SPACE))
        place = _write_cell(numbers[1, row], black, letters, _put(letters, place, _SPACE))
        place = _write_number(numbers[2, row], letters, _put(letters, place, _SPACE))
        place = _write_number(numbers[3, row] // 2 + 1, letters, _put(letters, place, _SPACE))
        offsets[row + 1] = place


@kernel
def _unturned(masks: NDArray[np.uint64], row: int, black: int, board: NDArray[np.uint64]) -> None:
    """Fill *board* (white, black, then kinds from pawns to kings) as white sees it."""
    others = NONE
    for field in range(7):
        place = field if field > 1 else field ^ black
        board[place] = flipped(masks[field, row]) if black else masks[field, row]
        if field > 1:
            others |= board[place]
    board[7] = (board[0] | board[1]) & ~others


@kernel
def _put(letters: NDArray[np.uint8], place: int, letter: int) -> int:
    letters[place] = letter
    return place + 1


@kernel
def _write_board(board: NDArray[np.uint64], letters: NDArray[np.uint8], place: int) -> int:
    occupied = board[0] | board[1]
    for rank in range(7, -1, -1):
        empty = 0
        for cell in range(8 * rank, 8 * rank + 8):
            if occupied & bit(cell) == NONE:
                empty += 1
                continue
            if empty:
                place = _put(letters, place, _ZERO + empty)
                empty = 0
            place = _put(letters, place, SYMBOLS[_symbol(board, bit(cell))])
        if empty:
            place = _put(letters, place, _ZERO + empty)
        if rank:
            place = _put(letters, place, ord("/"))
    return place


@kernel
def _symbol(board: NDArray[np.uint64], piece: Mask) -> int:
    """Return the place of a piece in SYMBOLS."""
    colour = 6 if board[1] & piece else 0
    for kind in range(5):
        if board[2 + kind] & piece:
            return colour + kind
    return colour + 5


@kernel
def _write_rights(castling: int, black: int, letters: NDArray[np.uint8], place: int) -> int:
    rights = (castling >> 2) | ((castling & 3) << 2) if black else castling
    if rights == 0:
        return _put(letters, place, _DASH)
    for right in range(4):
        if rights >> right & 1:
            place = _put(letters, place, RIGHTS[right])
    return place


@kernel
def _write_cell(passant: int, black: int, letters: NDArray[np.uint8], place: int) -> int:
    if passant == 0:
        return _put(letters, place, _DASH)
    cell = passant ^ 56 if black else passant
    place = _put(letters, place, ord("a") + (cell & 7))
    return _put(letters, place, ord("1") + (cell >> 3))


@kernel
def _write_number(number: int, letters: NDArray[np.uint8], place: int) -> int:
    size, left = 1, number // 10
    while left > 0:
        size, left = size + 1, left // 10
    for back in range(size):
        letters[place + size - 1 - back] = _ZERO + number % 10
        number //= 10
    return place + size
