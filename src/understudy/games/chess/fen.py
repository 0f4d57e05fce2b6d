"""FENs by the hundred thousand: compiled readers and writers that say the same as `notation.py`.

A row that cannot be read is marked and holds the start of a game, so that no kernel trips over it; what is wrong with
it, `notation.read` says in words. What python-chess objects to in a position is objected to here as well; it also asks
whether a position can have come about by its last move.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import Texts, gathered
from understudy.games.bits import NONE, Mask, bit, flipped, highest, lowest, popcount
from understudy.games.chess.attacks import KNIGHT, PAWN, RAYS, attacked, diagonal, in_check, kings, straight
from understudy.games.chess.batches import batch_of, put_row
from understudy.games.chess.fen_writer import SYMBOLS, write_fen_texts, write_fens
from understudy.games.chess.position import HOME, START, Chess
from understudy.games.chess.rules import passing, turn
from understudy.kernels import kernel

__all__ = ["read_fens", "write_fen_texts", "write_fens"]

_SLASH, _MARK, _PIECE = 9, 10, 16  # beyond the digits, which mean themselves
_CODES = np.zeros(256, np.int64)
"""What a byte means in the first field: cells left empty, end of a row, promoted before, a piece; 0 is nonsense."""
_CODES[list(b"12345678/~")] = [*range(1, 9), _SLASH, _MARK]
_CODES[SYMBOLS] = _PIECE + np.arange(12)

_BLANK = np.zeros(256, np.bool_)
_BLANK[[9, 10, 11, 12, 13, 28, 29, 30, 31, 32]] = True  # those of Python's `split`, as in `notation.py`

_BACK_RANKS = np.uint64(0xFF000000000000FF)
_START_MASKS = np.array(START[:7], np.uint64)
_START_NUMBERS = np.array(START[7:], np.int64)
_ZERO, _NINE, _DASH = (ord(letter) for letter in "09-")


def read_fens(texts: Sequence[str] | Texts) -> tuple[Chess, NDArray[np.bool_]]:
    """Return the batch of the positions that FENs describe, and which of them could be read."""
    letters, offsets = texts if isinstance(texts, Texts) else gathered(texts)
    masks = np.zeros((7, len(offsets) - 1), np.uint64)
    numbers = np.zeros((4, len(offsets) - 1), np.int64)
    good = np.zeros(len(offsets) - 1, np.bool_)
    letters = letters.view()
    letters.flags.writeable = False  # Arrow's are, or are not: as two types of array they would be compiled twice
    _read_all(letters, offsets, masks, numbers, good)
    return batch_of(masks, numbers), good


@kernel
def _read_all(
    letters: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    masks: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    good: NDArray[np.bool_],
) -> None:
    board, fields = np.zeros(8, np.uint64), np.zeros((7, 2), np.int64)
    for row in range(len(good)):
        position, good[row] = read_fen(letters, offsets[row], offsets[row + 1], board, fields)
        for field in range(7):
            masks[field, row] = _START_MASKS[field]
        for field in range(4):
            numbers[field, row] = _START_NUMBERS[field]
        if good[row]:
            put_row(position, masks, numbers, row)


@kernel
def read_fen(
    letters: NDArray[np.uint8], start: int, stop: int, board: NDArray[np.uint64], fields: NDArray[np.int64]
) -> tuple[Chess, bool]:
    """Return the position of one FEN and whether it is one; *board* [8] and *fields* [7, 2] are scratch."""
    count = _split(letters, start, stop, fields)
    if (count != 4 and count != 6) or not _read_board(letters, fields[0, 0], fields[0, 1], board) or not _manned(board):
        return _made(board, 0, 0, 0, 0), False
    side = _side(letters, fields[1, 0], fields[1, 1])
    rights = _read_rights(letters, fields[2, 0], fields[2, 1], board)
    passant = _read_cell(letters, fields[3, 0], fields[3, 1])
    clock, number = 0, 1
    if count == 6:
        clock = _read_number(letters, fields[4, 0], fields[4, 1])
        number = _read_number(letters, fields[5, 0], fields[5, 1])
    if side < 0 or rights < 0 or passant < 0 or clock < 0 or number < 0:
        return _made(board, 0, 0, 0, 0), False
    position = _made(board, side, rights, clock, max(number, 1))
    if passant == 64:
        return position, possible(position, 0)
    behind = passant ^ 56 if side == 1 else passant
    if not passed(position, behind) or not possible(position, behind):
        return position, False
    return passing(position, behind - 8), True


@kernel
def _split(letters: NDArray[np.uint8], start: int, stop: int, fields: NDArray[np.int64]) -> int:
    """Write where the first seven words begin and end; return how many there are, at most seven."""
    count, place = 0, start
    while place < stop and count < 7:
        if _BLANK[letters[place]]:
            place += 1
            continue
        fields[count, 0] = place
        while place < stop and not _BLANK[letters[place]]:
            place += 1
        fields[count, 1] = place
        count += 1
    return count


@kernel
def _read_board(letters: NDArray[np.uint8], start: int, stop: int, board: NDArray[np.uint64]) -> bool:
    """Fill *board* (white, black, then kinds from pawns to kings) from the first field; tell whether it makes sense."""
    board[:] = NONE
    rank, file, last = 7, 0, 0
    for place in range(start, stop):
        code = _CODES[letters[place]]
        if code == 0 or (code < _SLASH and 0 < last < _SLASH):
            return False
        if code == _MARK and (last < _PIECE or (last - _PIECE) % 6 == 5):
            return False
        if code < _SLASH:
            file += code
        elif code == _SLASH:
            if file != 8 or rank == 0:
                return False
            rank, file = rank - 1, 0
        elif code >= _PIECE:
            if file > 7:
                return False
            colour, kind = (code - _PIECE) // 6, (code - _PIECE) % 6
            board[colour] |= bit(8 * rank + file)
            board[2 + kind] |= bit(8 * rank + file)
            file += 1
        last = code
    return rank == 0 and file == 8


@kernel
def _manned(board: NDArray[np.uint64]) -> bool:
    """Tell whether each side has a king and no more pieces and pawns than a game can give it."""
    for side in range(2):
        own = board[side]
        if popcount(own) > 16 or popcount(own & board[2]) > 8 or popcount(own & board[7]) != 1:
            return False
    return bool(board[2] & _BACK_RANKS == NONE)


@kernel
def _side(letters: NDArray[np.uint8], start: int, stop: int) -> int:
    if stop - start != 1:
        return -1
    return 0 if letters[start] == ord("w") else 1 if letters[start] == ord("b") else -1


@kernel
def _read_rights(letters: NDArray[np.uint8], start: int, stop: int, board: NDArray[np.uint64]) -> int:
    """Return the rights to castle, white's in bits 0 and 1, black's in 2 and 3; -1 if they are not those of a game."""
    if stop - start == 1 and letters[start] == _DASH:
        return 0
    rights, given, last = 0, np.zeros(2, np.int64), 0
    for place in range(start, stop):
        letter = int(letters[place])
        colour = 1 if letter >= ord("a") else 0
        flag = letter - 32 * colour
        given[colour] += 1
        if colour < last or given[colour] > 2 or not (flag == ord("K") or flag == ord("Q") or 65 <= flag <= 72):
            return -1
        right = _right(flag, colour, board)
        if right < 0:
            return -1
        rights, last = rights | (right << (2 * colour)), colour
    return rights


@kernel
def _right(flag: int, colour: int, board: NDArray[np.uint64]) -> int:
    """Return the right that a capital letter gives: 1 king's side, 2 queen's side, 0 none for want of a rook; or -1."""
    row = 56 * colour
    rooks = board[5] & board[colour] & (np.uint64(0xFF) << np.uint64(row))
    king = lowest(board[7] & board[colour])
    if flag == ord("Q"):
        if rooks == NONE:
            return 0
        cell = lowest(rooks) if lowest(rooks) < king else row
    elif flag == ord("K"):
        cell = highest(rooks) if rooks != NONE and highest(rooks) > king else row + 7
    else:
        cell = row + flag - 65
    if king != row + HOME or rooks & bit(cell) == NONE or (cell != row and cell != row + 7):
        return -1
    return 2 if cell == row else 1


@kernel
def _read_cell(letters: NDArray[np.uint8], start: int, stop: int) -> int:
    """Return a cell by its name, 64 for a dash, -1 for neither."""
    if stop - start == 1 and letters[start] == _DASH:
        return 64
    if stop - start != 2:
        return -1
    file, rank = int(letters[start]) - ord("a"), int(letters[start + 1]) - ord("1")
    return 8 * rank + file if 0 <= file < 8 and 0 <= rank < 8 else -1


@kernel
def _read_number(letters: NDArray[np.uint8], start: int, stop: int) -> int:
    """Return a number of at most four digits, or -1."""
    if stop - start > 4:
        return -1
    number = 0
    for place in range(start, stop):
        if not _ZERO <= letters[place] <= _NINE:
            return -1
        number = 10 * number + int(letters[place]) - _ZERO
    return number


@kernel
def _made(board: NDArray[np.uint64], side: int, rights: int, clock: int, number: int) -> Chess:
    """Return a board and its numbers as a position seen by *side*, yet without a cell of passage."""
    ply = 2 * (number - 1) + side
    if side == 0:
        return Chess(board[0], board[1], board[2], board[3], board[4], board[5], board[6], rights, 0, clock, ply)
    return Chess(
        flipped(board[1]),
        flipped(board[0]),
        flipped(board[2]),
        flipped(board[3]),
        flipped(board[4]),
        flipped(board[5]),
        flipped(board[6]),
        (rights >> 2) | ((rights & 3) << 2),
        0,
        clock,
        ply,
    )


@kernel
def passed(position: Chess, behind: int) -> bool:
    """Tell whether a pawn of theirs can just have passed the cell *behind* it."""
    occupied = position.mine | position.theirs
    if not 40 <= behind < 48 or occupied & (bit(behind) | bit(behind + 8)) != NONE:
        return False
    return bool(position.pawns & position.theirs & bit(behind - 8) != NONE)


@kernel
def possible(position: Chess, behind: int) -> bool:
    """Tell whether the last move can have been one: nobody left in check, no check that none gives."""
    if in_check(turn(position)):
        return False
    king = lowest(kings(position) & position.mine)
    checkers = _checkers(position, king)
    if checkers == NONE:
        return True
    count = popcount(checkers)
    if behind == 0:
        return count == 1 or (count == 2 and not _aligned(lowest(checkers), highest(checkers), king))
    before = ((position.mine | position.theirs) & ~bit(behind - 8)) | bit(behind + 8)
    pushed = highest(checkers) == behind - 8
    return count == 1 and (pushed or not attacked(position, king, before, position.theirs))


@kernel
def _checkers(position: Chess, king: int) -> Mask:
    """Return their pieces that attack my king."""
    occupied = position.mine | position.theirs
    leapers = (KNIGHT[king] & position.knights) | (PAWN[king] & position.pawns)
    lines = straight(king, occupied) & (position.rooks | position.queens)
    lines |= diagonal(king, occupied) & (position.bishops | position.queens)
    checkers: Mask = (leapers | lines) & position.theirs
    return checkers


@kernel
def _aligned(one: int, other: int, cell: int) -> bool:
    """Tell whether *cell* lies on the line through two others."""
    for direction in range(4):
        line = RAYS[direction, one] | RAYS[direction + 4, one]
        if line & bit(other):
            return bool(line & bit(cell) != NONE)
    return False
