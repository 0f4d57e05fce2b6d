"""Moves in SAN, compiled: a word in a position gives the code of the one legal move that fits it.

Read as python-chess reads it: a kind of piece, perhaps the file and the rank that it leaves, a goal, a promotion with
or without `=`; long forms (`Ng1-f3`, `g1f3`) and castling with zeros too. What is over-specified is no fault.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit
from understudy.games.chess.attacks import kings
from understudy.games.chess.position import HOME, Chess
from understudy.games.chess.rules import moves
from understudy.kernels import kernel

FAULTS = (
    "",
    "is no move in SAN",
    "is not legal",
    "fits more than one legal move",
    "lets a side pass",
    "begins a comment that does not end",
    "begins a variation that does not end",
    "ends a variation that did not begin",
)
"""What can be wrong with a word of movetext."""
SOUND, UNREADABLE, ILLEGAL, AMBIGUOUS, PASSING, OPEN_COMMENT, OPEN_VARIATION, CLOSED = range(8)

ANY = -1
"""Stands for a kind, a file or a rank that a word does not name."""

_KINDS = np.full(256, ANY, np.int64)
_KINDS[list(b"PNBRQKnbrqk")] = [0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
_FILE = np.uint64(0x0101_0101_0101_0101)
_RANK = np.uint64(0xFF)


@kernel
def read_san(
    letters: NDArray[np.uint8], start: int, stop: int, position: Chess, legal: NDArray[np.int32]
) -> tuple[int, int]:
    """Return the code of the move that a word names, 0 if none, and the fault; *legal* is scratch for all moves."""
    while stop > start and (letters[stop - 1] == ord("+") or letters[stop - 1] == ord("#")):
        stop -= 1
    if _passes(letters, start, stop):
        return 0, PASSING
    side = _castling(letters, start, stop)
    if side != 0:
        return _only(position, legal, bit(HOME) & kings(position), HOME + 2 * side, 0)
    promotion = 0
    if stop - start > 2 and _KINDS[letters[stop - 1]] > 0:
        promotion = _KINDS[letters[stop - 1]]
        stop -= 2 if letters[stop - 2] == ord("=") else 1
    kind, first = ANY, start
    if stop - start > 2 and letters[start] < ord("a"):
        kind, first = _KINDS[letters[start]], start + 1
        if kind == ANY:
            return 0, UNREADABLE
    goal = _cell(letters, stop - 2) if stop - 2 >= first else -1
    file, rank, place = _origin(letters, first, stop - 2)
    if goal < 0 or place != stop - 2:
        return 0, UNREADABLE
    return _only(position, legal, _candidates(position, kind, file, rank, goal), _seen(position, goal), promotion)


@kernel
def _passes(letters: NDArray[np.uint8], start: int, stop: int) -> bool:
    """Tell whether a word lets a side pass, as notes to games do: `--` or `Z0`."""
    if stop - start != 2:
        return False
    first, second = letters[start], letters[start + 1]
    return bool((first == ord("-") and second == ord("-")) or (first == ord("Z") and second == ord("0")))


@kernel
def _castling(letters: NDArray[np.uint8], start: int, stop: int) -> int:
    """Return 1 for castling on the king's side, -1 on the queen's, 0 for other words."""
    if stop - start != 3 and stop - start != 5:
        return 0
    for place in range(start, stop):
        letter = letters[place]
        circle = letter == ord("O") or letter == ord("0")
        if ((place - start) & 1 == 0) != circle or (not circle and letter != ord("-")):
            return 0
    return 1 if stop - start == 3 else -1


@kernel
def _cell(letters: NDArray[np.uint8], place: int) -> int:
    """Return the cell that two letters name, or -1."""
    file, rank = int(letters[place]) - ord("a"), int(letters[place + 1]) - ord("1")
    return 8 * rank + file if 0 <= file < 8 and 0 <= rank < 8 else -1


@kernel
def _origin(letters: NDArray[np.uint8], place: int, stop: int) -> tuple[int, int, int]:
    """Return the file and rank that a piece leaves, and the place after them and after a sign of capture."""
    file, rank = ANY, ANY
    if place < stop and ord("a") <= letters[place] <= ord("h"):
        file, place = int(letters[place]) - ord("a"), place + 1
    if place < stop and ord("1") <= letters[place] <= ord("8"):
        rank, place = int(letters[place]) - ord("1"), place + 1
    if place < stop and (letters[place] == ord("x") or letters[place] == ord("-") or letters[place] == ord(":")):
        place += 1
    return file, rank, place


@kernel
def _seen(position: Chess, cell: int) -> int:
    """Return a cell of the board as the mover sees it."""
    return cell ^ 56 if position.ply & 1 else cell


@kernel
def _candidates(position: Chess, kind: int, file: int, rank: int, goal: int) -> Mask:
    """Return my pieces that a word can mean: pawns if it names no kind, unless it names a whole cell."""
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    pieces = position.mine
    if kind == ANY and (file == ANY or rank == ANY):
        pieces &= position.pawns
        file = goal & 7 if file == ANY else file
    if kind != ANY:
        pieces &= kinds[kind]
    if file != ANY:
        pieces &= _FILE << np.uint64(file)
    if rank != ANY:
        pieces &= _RANK << np.uint64(_seen(position, 8 * rank) & 56)
    return pieces


@kernel
def _only(position: Chess, legal: NDArray[np.int32], pieces: Mask, goal: int, promotion: int) -> tuple[int, int]:
    """Return the only legal move of *pieces* to the cell *goal*, or why there is none."""
    matches, code = 0, 0
    if pieces & position.mine == NONE:
        return 0, ILLEGAL
    for place in range(moves(position, legal)):
        move = int(legal[place])
        if (move >> 3) & 63 == goal and move & 7 == promotion and bit(move >> 9) & pieces != NONE:
            matches, code = matches + 1, move
    if matches == 1:
        return code, SOUND
    return 0, AMBIGUOUS if matches else ILLEGAL
