"""Positions and moves of any game as columns of text, and back.

Morris goes through matrices of characters, a hundred thousand rows in a fraction of a second; the other games row by
row. Moves are read without asking whether they are legal: that is a judge's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from understudy.errors import FileError, NotationError, UnderstudyError
from understudy.games import CompiledGame, find_game
from understudy.games.batches import NO_MOVE, stacked, taken, unstacked
from understudy.games.morris.notation import Morris
from understudy.games.morris.text import (
    MOVE_WIDTH,
    WIDTH,
    Characters,
    gathered,
    read_moves,
    read_rows,
    writable,
    write_moves,
    write_rows,
)

NEVER = {"chess": 0}
"""What the reader of moves returns for text that fits no legal move, in games that write legal moves only."""


class Column(NamedTuple):
    """What was read: the rows that could be, and why the others could not."""

    positions: Any
    moves: NDArray[np.int32]
    faults: dict[int, str]
    """By row; the batch holds something in these rows, but nothing of use."""


def write_columns(game: CompiledGame, positions: Any, moves: NDArray[np.int32]) -> tuple[pa.Array, pa.Array]:
    """Return positions and moves as text; no text where nobody moved."""
    if game.name == "morris":
        return _write_morris(positions, moves)
    rows = unstacked(positions)
    pairs = zip(rows, moves.tolist(), strict=True)
    texts = [_write_move(game, position, move, row) for row, (position, move) in enumerate(pairs)]
    return pa.array([game.write(position) for position in rows], pa.string()), pa.array(texts, pa.string())


def read_columns(game: CompiledGame, positions: pa.StringArray, moves: pa.StringArray) -> Column:
    """Return what columns of text hold."""
    if game.name == "morris":
        heads, tails = (_characters(column, width) for column, width in ((positions, WIDTH), (moves, MOVE_WIDTH)))
        good = heads.lengths == WIDTH
        moved = np.asarray(moves.is_valid())
        return read_morris(
            heads, tails, moved, good=good, text=lambda row: (positions[row].as_py(), moves[row].as_py())
        )
    return _read_rows(game, positions.to_pylist(), moves.to_pylist())


def read_morris(
    heads: Characters,
    tails: Characters,
    moved: NDArray[np.bool_],
    *,
    good: NDArray[np.bool_],
    text: Callable[[int], tuple[str | None, str | None]],
) -> Column:
    """Return what characters hold; rows in doubt, or not *good*, are read again one by one from their *text*."""
    game = find_game("morris")
    positions: Any
    positions, clear = read_rows(heads)
    codes, sound = read_moves(tails, positions.hand)
    codes[~moved] = NO_MOVE
    faults = {}
    for row in np.flatnonzero(~(good & clear & (sound | ~moved))).tolist():
        try:
            position, codes[row] = _read_row(game, *text(row))
            for field, number in zip(positions, position, strict=True):
                field[row] = number
        except UnderstudyError as error:
            faults[row] = str(error)
    return Column(positions, codes, faults)


def nothing(game: CompiledGame) -> Any:
    """Return a batch of no positions."""
    return taken(stacked([game.start()]), slice(0, 0))


def _read_rows(game: CompiledGame, positions: Sequence[str | None], moves: Sequence[str | None]) -> Column:
    found, codes, faults = [], np.full(len(positions), NO_MOVE, np.int32), {}
    for row, (position, move) in enumerate(zip(positions, moves, strict=True)):
        try:
            here, codes[row] = _read_row(game, position, move)
        except UnderstudyError as error:
            here, faults[row] = game.start(), str(error)
        found.append(here)
    return Column(stacked(found) if found else nothing(game), codes, faults)


def _read_row(game: CompiledGame, position: str | None, move: str | None) -> tuple[Any, int]:
    """Return a position and the code of a move, which need not be legal."""
    if position is None:
        raise NotationError("there is no position")
    here = game.read(position)
    code = NO_MOVE if move is None else int(game.notation.read_move(here, move))
    if move is not None and code == NEVER.get(game.name):
        raise NotationError(f"{game.name} move {move!r} fits no legal move in {position!r}")
    return here, code


def _write_move(game: CompiledGame, position: Any, move: int, row: int) -> str | None:
    if move == NO_MOVE:
        return None
    if game.name in NEVER and move not in game.moves(position):
        raise FileError(f"row {row + 1} has no text: {move} is no move in {game.write(position)!r}")
    return game.write_move(position, move)


def _write_morris(positions: Morris, moves: NDArray[np.int32]) -> tuple[pa.Array, pa.Array]:
    check_writable(positions, moves)
    rows = write_rows(positions)
    heads = _strings(Characters(rows, np.full(len(rows), WIDTH, np.int64)), None)
    return heads, _strings(write_moves(moves), moves != NO_MOVE)


def check_writable(positions: Morris, moves: NDArray[np.int32]) -> None:
    """Raise if a move has not the form of its phase: its text would be read as another move."""
    odd = np.flatnonzero(~writable(positions, moves))
    if len(odd):
        raise FileError(f"row {odd[0] + 1} has no text: move {moves[odd[0]]} has not the form of its phase")


def _strings(text: Characters, valid: NDArray[np.bool_] | None) -> pa.Array:
    """Return lines as an array of strings; null where *valid* says so."""
    offsets = np.concatenate([[0], np.cumsum(text.lengths)]).astype(np.int32)
    data = text.rows[np.arange(text.rows.shape[1]) < text.lengths[:, None]]
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little").tobytes())
    buffers = (pa.py_buffer(offsets.tobytes()), pa.py_buffer(data.tobytes()), bits)
    return pa.StringArray.from_buffers(len(text.lengths), *buffers)


def _characters(column: pa.StringArray, width: int) -> Characters:
    """Return the characters of an array of strings; a null is empty."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    letters = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return gathered(letters, ends[:-1], np.diff(ends), width)
