"""Text of many Nine Men's Morris positions and moves at once, as matrices of characters.

The same text as in `notation.py`, for files of a hundred thousand lines. What these readers doubt they only
mark: the slow reader of one line then says what is wrong with it, or finds that it is well after all.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.files import replaced
from understudy.games import batches, find_game
from understudy.games.batches import NO_MOVE, Characters, cut_out
from understudy.games.morris.batches import moves_of, parts_of
from understudy.games.morris.notation import BIT, CELLS, STONES, Morris
from understudy.records.columns import read_characters
from understudy.records.files import Complaint, check_on_error, read_bytes, settle, shown
from understudy.records.store import Records, TextFormat, lone_pairs

WIDTH = 28
"""Characters of a position: 24 cells and four digits."""
MOVE_WIDTH = 6
"""Characters of a move at most: three cells of two."""
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


DASH, RETURN, NEWLINE = (np.uint8(ord(letter)) for letter in "-\r\n")
HEAD = 10_000
"""So many characters tell what a file is."""
END = np.frombuffer(b"\r\n", np.uint8)


def load_nnmm(path: Path, *, on_error: str = "refuse", limit: int | None = None) -> tuple[Records, list[Complaint]]:
    """Return the pairs or positions of an NNMM file, and what was wrong with the lines that were skipped.

    All of it is read, whatever the *limit*: such files are small.
    """
    check_on_error(on_error)
    path, game = Path(path), find_game("morris")
    data = np.frombuffer(read_bytes(path), np.uint8)
    starts, lengths = _lines(data)
    if not len(starts):
        raise FileError(f"{path} has no line")
    heads = cut_out(data, starts, lengths, WIDTH + 1)
    moved = lengths > WIDTH
    tails = cut_out(data, starts + WIDTH + 1, np.maximum(lengths - WIDTH - 1, 0), MOVE_WIDTH)
    good = (lengths == WIDTH) | (heads.rows[:, WIDTH] == DASH)
    read = read_characters(
        game, heads, tails, moved, good=good, text=lambda row: _split(data, starts[row], lengths[row])
    )
    complaints = [
        Complaint(str(path), row + 1, _reason(fault, data[starts[row] : starts[row] + lengths[row]].tobytes()))
        for row, fault in sorted(read.faults.items())
    ]
    settle(complaints, on_error)
    if len(complaints) == len(starts):
        raise FileError(f"{path} has no line that can be read: {complaints[0].reason}")
    kept = np.setdiff1d(np.arange(len(starts)), list(read.faults))
    positions = batches.taken(read.positions, kept)
    return lone_pairs(game, positions, read.moves[kept], source=path.name), complaints


def save_nnmm(records: Records, path: Path) -> None:
    """Write positions, with their moves where somebody moved, as NNMM text."""
    if records.game.name != "morris":
        raise FileError(f"{path}: NNMM text is for morris, not for {records.game.name}")
    check_writable(records.positions, records.moves)
    with replaced(Path(path)) as file:
        file.write(_written(records).tobytes())


def looks_like_nnmm(path: Path, content: bytes) -> bool:
    """Tell whether a file is NNMM text, be it faulty: it has such a line near its head, or is called text."""
    if re.search(rb"(?m)^[OME]{24}[0-9]{4}", content[:HEAD]):
        return True
    return path.suffix.lower() in (".txt", ".nnmm") and b"\0" not in content


FORMAT = TextFormat("NNMM text", looks_like_nnmm, load_nnmm)


def _written(records: Records) -> NDArray[np.uint8]:
    """Return the characters of all lines, one after the other."""
    tails = write_moves(records.moves)
    moved = records.moves != NO_MOVE
    count = len(records)
    dash = np.full((count, 1), DASH)
    ends = np.broadcast_to(END, (count, 2))
    rows = np.hstack([write_rows(records.positions), dash, tails.rows, ends])
    kept = np.hstack([np.ones((count, WIDTH), bool), moved[:, None], _inside(tails), np.ones((count, 2), bool)])
    return np.asarray(rows[kept])


def _inside(text: Characters) -> NDArray[np.bool_]:
    return np.arange(MOVE_WIDTH) < text.lengths[:, None]


def _lines(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each line starts and how long it is without its end; empty lines at the end of the file are none."""
    ends = np.flatnonzero(data == NEWLINE)
    if len(data) and data[-1] != NEWLINE:
        ends = np.append(ends, len(data))
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64)[: len(ends)]
    lengths = ends - starts
    lengths -= (lengths > 0) & (data[np.maximum(ends - 1, 0)] == RETURN)
    filled = np.flatnonzero(lengths)
    count = filled[-1] + 1 if len(filled) else 0
    return starts[:count], lengths[:count]


def _split(data: NDArray[np.uint8], start: int, length: int) -> tuple[str, str | None]:
    """Return the position and the move that stand on a line."""
    head, dash, tail = data[start : start + length].tobytes().decode("latin-1").partition("-")
    return head, tail if dash else None


def _reason(fault: str, line: bytes) -> str:
    """Return a fault with the line it is about, unless it is too long to show: then only what was expected."""
    if len(line) <= WIDTH + 1 + MOVE_WIDTH and line.isascii():
        return fault
    return f"{shown(line)} is no line of NNMM text"
