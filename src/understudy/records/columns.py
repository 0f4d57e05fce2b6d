"""Positions and moves of any game as columns of text, and back.

Games whose text has a fixed width go through matrices of characters, a hundred thousand rows in a fraction of a second;
the others row by row. Moves are read without asking whether they are legal: that is a judge's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from understudy.errors import FileError, NotationError, UnderstudyError
from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE, Characters, cut_out, stacked, taken, unstacked


class Column(NamedTuple):
    """What was read: the rows that could be, and why the others could not."""

    positions: Any
    moves: NDArray[np.int32]
    faults: dict[int, str]
    """By row; the batch holds something in these rows, but nothing of use."""


def write_columns(game: CompiledGame, positions: Any, moves: NDArray[np.int32]) -> tuple[pa.Array, pa.Array]:
    """Return positions and moves as text; no text where nobody moved."""
    if game.kind.texts is not None:
        return _write_characters(game, positions, moves)
    rows = unstacked(positions)
    pairs = zip(rows, moves.tolist(), strict=True)
    texts = [_write_move(game, position, move, row) for row, (position, move) in enumerate(pairs)]
    return pa.array([game.write(position) for position in rows], pa.string()), pa.array(texts, pa.string())


def read_columns(game: CompiledGame, positions: pa.StringArray, moves: pa.StringArray) -> Column:
    """Return what columns of text hold."""
    if game.kind.texts is None:
        return _read_rows(game, positions.to_pylist(), moves.to_pylist())
    texts = game.kind.load("texts")
    heads, tails = _characters(positions, texts.WIDTH), _characters(moves, texts.MOVE_WIDTH)
    good, moved = heads.lengths == texts.WIDTH, np.asarray(moves.is_valid())
    return read_characters(
        game, heads, tails, moved, good=good, text=lambda row: (positions[row].as_py(), moves[row].as_py())
    )


def read_characters(
    game: CompiledGame,
    heads: Characters,
    tails: Characters,
    moved: NDArray[np.bool_],
    *,
    good: NDArray[np.bool_],
    text: Callable[[int], tuple[str | None, str | None]],
) -> Column:
    """Return what characters hold; rows in doubt, or not *good*, are read again one by one from their *text*."""
    texts = game.kind.load("texts")
    positions, clear = texts.read_rows(heads)
    codes, sound = texts.read_moves(tails, positions)
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
    rows, codes, faults = [], np.full(len(positions), NO_MOVE, np.int32), {}
    for row, (position, move) in enumerate(zip(positions, moves, strict=True)):
        try:
            here, codes[row] = _read_row(game, position, move)
        except UnderstudyError as error:
            here, faults[row] = game.start(), str(error)
        rows.append(here)
    return Column(stacked(rows) if rows else nothing(game), codes, faults)


def _read_row(game: CompiledGame, position: str | None, move: str | None) -> tuple[Any, int]:
    """Return a position and the code of a move, which need not be legal."""
    if position is None:
        raise NotationError("there is no position")
    here = game.read(position)
    code = NO_MOVE if move is None else int(game.notation.read_move(here, move))
    if move is not None and code == game.kind.illegal_code:
        raise NotationError(f"{game.name} move {move!r} fits no legal move in {position!r}")
    return here, code


def _write_move(game: CompiledGame, position: Any, move: int, row: int) -> str | None:
    if move == NO_MOVE:
        return None
    if game.kind.illegal_code is not None and move not in game.moves(position):
        raise FileError(f"row {row + 1} has no text: {move} is no move in {game.write(position)!r}")
    return game.write_move(position, move)


def _write_characters(game: CompiledGame, positions: Any, moves: NDArray[np.int32]) -> tuple[pa.Array, pa.Array]:
    texts = game.kind.load("texts")
    texts.check_writable(positions, moves)
    rows = texts.write_rows(positions)
    heads = _strings(Characters(rows, np.full(len(rows), texts.WIDTH, np.int64)), None)
    return heads, _strings(texts.write_moves(moves), moves != NO_MOVE)


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
    return cut_out(letters, ends[:-1], np.diff(ends), width)
