"""NNMM text, the format of the papers' data: a position, or a position and the teacher's move, on each line.

24 letters and four digits, then `-` and one to three cells FROM, TO and REMOVE without what is absent; lines end with
CR LF. Whatever cannot be read is reported with its line; whether a move is legal is not asked here.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.files import replaced
from understudy.games import batches, find_game
from understudy.games.batches import NO_MOVE
from understudy.games.morris.text import MOVE_WIDTH, WIDTH, check_writable, write_moves, write_rows
from understudy.games.texts import Characters, cut_out
from understudy.records.columns import read_characters
from understudy.records.files import Complaint, check_on_error, read_bytes, settle, shown
from understudy.records.store import Records, TextFormat, lone_pairs

DASH, RETURN, NEWLINE = (np.uint8(ord(letter)) for letter in "-\r\n")
HEAD = 10_000
"""So many characters tell what a file is."""
END = np.frombuffer(b"\r\n", np.uint8)


def load_nnmm(path: Path, *, on_error: str = "refuse") -> tuple[Records, list[Complaint]]:
    """Return the pairs or positions of an NNMM file, and what was wrong with the lines that were skipped."""
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
