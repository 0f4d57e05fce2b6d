"""Positions and moves as numbers in columns of a table: for millions of records, where text would take hours.

A position is a struct of its fields, as kernels have them; a move is its code. Nobody but this program can make sense
of them, and a file can hold anything, so all is checked when it is read: names and types of the fields, then whether
the rules know such a position (the game's own `checks`, or its text where it has none), then whether the move is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from understudy.errors import FileError, UnderstudyError
from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE, stacked, taken, unstacked
from understudy.games.parts import part_table
from understudy.games.rows import are_legal, typed
from understudy.records.columns import Column, nothing

PACKED_FROM = 200_000
"""Records from which on a run keeps them packed: as text they take most of a minute in chess, packed a second."""
MOVE = pa.int32()


def may_pack(game: CompiledGame) -> bool:
    """Tell whether packed records of a game are read faster than text: where it checks many positions at once."""
    return game.kind.checks is not None


def pack_positions(positions: Any) -> pa.StructArray:
    """Return a batch as a column of structs."""
    fields = {name: _pack(field) for name, field in typed(positions)._asdict().items()}
    return pa.StructArray.from_arrays(list(fields.values()), list(fields))


def pack_moves(moves: NDArray[np.int32]) -> pa.Array:
    """Return codes as a column; null where nobody moved."""
    return pa.array(moves, MOVE, mask=moves == NO_MOVE)


def position_type(game: CompiledGame) -> pa.StructType:
    """Return the type of a column of packed positions."""
    none: pa.StructType = pack_positions(nothing(game)).type
    return none


def is_packed(kind: pa.DataType) -> bool:
    """Tell whether a column of positions holds numbers and no text."""
    return bool(pa.types.is_struct(kind))


def read_packed(game: CompiledGame, positions: pa.StructArray, moves: pa.Array, *, file: str) -> Column:
    """Return what packed columns hold; *file* names them for errors."""
    wanted = position_type(game)
    if positions.type != wanted:
        raise FileError(f"{file}: column 'position' holds {positions.type}, not a packed position of {game.name}")
    if positions.null_count or any(field.null_count for field in positions.flatten()):
        raise FileError(f"{file}: column 'position' has rows without a value")
    kind = type(game.start())
    batch = kind(*(_unpack(field) for field in positions.flatten()))
    codes = moves.fill_null(NO_MOVE).to_numpy(zero_copy_only=False).astype(np.int32)
    moved = np.asarray(moves.is_valid())
    faults = find_faults(game, batch)
    if faults:  # kernels trust their caller: what is no position goes to none of them
        batch = _mended(game, batch, list(faults))
    return Column(batch, codes, _find_strange(game, batch, codes, moved) | faults)


def find_faults(game: CompiledGame, batch: Any) -> dict[int, str]:
    """Return what is wrong with each position that the rules do not know, by row."""
    if game.kind.checks is not None:
        faults: dict[int, str] = game.kind.load("checks").find_faults(batch)
        return faults
    return {row: fault for row, position in enumerate(unstacked(batch)) if (fault := _find_fault(game, position))}


def _find_fault(game: CompiledGame, position: Any) -> str:
    """Return why a position is not what its own text says, or nothing; the text may not tell the ply."""
    try:
        again = game.read(game.write(position))
    except (UnderstudyError, ValueError, OverflowError, IndexError) as error:
        return f"this is no position of {game.name}: {str(error).partition(chr(10))[0]}"
    same = again._replace(ply=position.ply) == position
    return "" if same else f"this is no position of {game.name}: its text tells another"


def _find_strange(game: CompiledGame, batch: Any, codes: NDArray[np.int32], moved: NDArray[np.bool_]) -> dict[int, str]:
    """Return the rows whose code is no move: of the game, or where text knows legal moves alone, of the position."""
    possible = np.zeros(max(int(codes.max(initial=0)) + 1, 1 << 16), np.bool_)
    possible[part_table(game).codes.ravel()] = True
    strange = moved & ((codes < 0) | ~possible[np.maximum(codes, 0)])
    if game.kind.illegal_code is not None:
        rows = np.flatnonzero(moved & ~strange)
        strange[rows] = ~are_legal(taken(batch, rows), codes[rows], game.most_moves)
    return {row: f"code {codes[row]} is no move of {game.name} here" for row in np.flatnonzero(strange).tolist()}


def _mended(game: CompiledGame, batch: Any, rows: list[int]) -> Any:
    """Return a batch with the start of a game in some rows."""
    start = stacked([game.start()])
    fields = [np.array(field) for field in batch]
    for field, first in zip(fields, start, strict=True):
        field[rows] = first[0]
    return type(batch)(*fields)


def _pack(field: NDArray[Any]) -> pa.Array:
    """Return numbers as a column; several words of a position stay together."""
    numbers = pa.array(field.ravel())
    return numbers if field.ndim == 1 else pa.FixedSizeListArray.from_arrays(numbers, field.shape[1])


def _unpack(column: pa.Array) -> NDArray[Any]:
    if pa.types.is_fixed_size_list(column.type):
        words: NDArray[Any] = column.flatten().to_numpy(zero_copy_only=False)
        return words.reshape(len(column), column.type.list_size).copy()
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers.copy()
