"""Rows of a batch inside kernels: one position of many, in any game, as the kernels of its rules take it.

So what every game has (moves, features, keys) is asked of a million positions at the speed of a loop that was written
for the game.
"""

from __future__ import annotations

from typing import Any, get_type_hints

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.games.batches import size
from understudy.games.rules import features, key, moves, play, sealed, turn
from understudy.kernels import kernel


def row_of(batch: Any, row: int) -> Any:
    """Return one position of a batch that is `typed`."""
    return sealed(type(batch)(*(tuple(field[row]) if field.ndim > 1 else field[row] for field in batch)))


@overload(row_of, strict=False)
def _row_of(batch: Any, row: Any) -> Any:
    kind = batch.instance_class
    fields = ", ".join(_field_code(name, words) for name, words in _words_of(kind).items())
    # Fields differ from game to game, and compiled code cannot loop over them: so the call is written out.
    return eval(f"lambda batch, row: kind({fields})", {"kind": kind})


def _field_code(name: str, words: int) -> str:
    """Return how one field of a row is taken: a number, or a tuple of several words."""
    several = ", ".join(f"batch.{name}[row, {word}]" for word in range(words))
    return f"({several})" if words else f"batch.{name}[row]"


def _words_of(kind: type) -> dict[str, int]:
    """Return of how many words each field of a position is a tuple; 0 for those that are plain numbers."""
    return {name: len(getattr(hint, "__args__", ())) for name, hint in get_type_hints(kind).items()}


def put_row(batch: Any, row: int, position: Any) -> None:
    """Write one position into a batch that is `typed`."""
    for field, value in zip(batch, position, strict=True):
        field[row] = value


@overload(put_row, strict=False)
def _put_row(batch: Any, row: Any, position: Any) -> Any:
    lines = [
        f"batch.{name}[row, {word}] = position.{name}[{word}]" if words else f"batch.{name}[row] = position.{name}"
        for name, words in _words_of(batch.instance_class).items()
        for word in range(max(words, 1))
    ]
    scope: dict[str, Any] = {}
    exec("def write(batch, row, position):\n    " + "\n    ".join(lines), scope)  # fields differ, as in `_row_of`
    return scope["write"]


def play_rows(batch: Any, rows: NDArray[np.int64], codes: NDArray[np.int32]) -> Any:
    """Return what comes of playing each move in the position at its row."""
    ready = typed(batch)
    after = type(ready)(*(np.empty((len(rows), *field.shape[1:]), field.dtype) for field in ready))
    _play_rows(ready, rows, codes, after)
    return after


@kernel
def _play_rows(batch: Any, rows: NDArray[np.int64], codes: NDArray[np.int32], after: Any) -> None:
    for place in range(len(rows)):
        put_row(after, place, play(row_of(batch, rows[place]), codes[place]))


def typed(batch: Any) -> Any:
    """Return a batch with fields of the types that kernels expect, so that none is compiled twice."""
    hints = get_type_hints(type(batch)).values()
    kinds = (np.int64 if hint is int else np.uint64 for hint in hints)
    return type(batch)(*(np.ascontiguousarray(field, kind) for field, kind in zip(batch, kinds, strict=True)))


def keys_of(batch: Any) -> NDArray[np.uint64]:
    """Return the key of each position, as the rules give it."""
    keys = np.zeros(size(batch), np.uint64)
    _write_keys(typed(batch), keys)
    return keys


@kernel
def _write_keys(batch: Any, out: NDArray[np.uint64]) -> None:
    for row in range(len(out)):
        out[row] = key(row_of(batch, row))


def features_of(batch: Any, count: int) -> NDArray[np.int8]:
    """Return which of *count* features hold in each position [positions, features], as zeros and ones."""
    held = np.zeros((size(batch), count), np.int8)
    _write_features(typed(batch), held)
    return held


@kernel
def _write_features(batch: Any, out: NDArray[np.int8]) -> None:
    places = np.empty(out.shape[1], np.int32)
    for row in range(len(out)):
        for place in range(features(row_of(batch, row), places)):
            out[row, places[place]] = 1


def count_moves(batch: Any, most: int, codes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many legal moves each position has, and in how many positions each of *codes* codes is legal."""
    per_position, per_code = np.zeros(size(batch), np.int64), np.zeros(codes, np.int64)
    _count_moves(typed(batch), np.empty(most, np.int32), per_position, per_code)
    return per_position, per_code


@kernel
def _count_moves(
    batch: Any, scratch: NDArray[np.int32], per_position: NDArray[np.int64], per_code: NDArray[np.int64]
) -> None:
    for row in range(len(per_position)):
        per_position[row] = moves(row_of(batch, row), scratch)
        for place in range(per_position[row]):
            per_code[scratch[place]] += 1


def are_legal(batch: Any, codes: NDArray[np.int32], most: int) -> NDArray[np.bool_]:
    """Tell of each position whether the move with its code is legal; *most* moves has none of them more than."""
    legal = np.zeros(size(batch), np.bool_)
    _find_legal(typed(batch), np.empty(most, np.int32), codes, legal)
    return legal


@kernel
def _find_legal(batch: Any, scratch: NDArray[np.int32], codes: NDArray[np.int32], out: NDArray[np.bool_]) -> None:
    for row in range(len(out)):
        for place in range(moves(row_of(batch, row), scratch)):
            out[row] |= scratch[place] == codes[row]


MOST_PRESENT = 512
"""No position has more features present than this: the largest board of Konane has 196 stones."""


def present_of(batch: Any, count: int, *, turned: bool = False) -> NDArray[np.int16]:
    """Return the features that hold in each position [positions, most], as numbers below *count*, filled up with it.

    Where most features never hold at once, as in chess, this takes a tenth of the room of zeros and ones. Positions
    that are *turned* are seen by who is not to move.
    """
    ready = typed(batch)
    counts = np.zeros(size(batch), np.int64)
    _count_present(ready, counts)
    present = np.full((size(batch), int(counts.max(initial=1))), count, np.int16)
    _write_present(ready, turned, present)
    return present


@kernel
def _count_present(batch: Any, out: NDArray[np.int64]) -> None:
    places = np.empty(MOST_PRESENT, np.int32)
    for row in range(len(out)):
        out[row] = features(row_of(batch, row), places)


@kernel
def _write_present(batch: Any, turned: bool, out: NDArray[np.int16]) -> None:
    places = np.empty(MOST_PRESENT, np.int32)
    for row in range(len(out)):
        position = row_of(batch, row)
        if turned:
            position = turn(position)
        for place in range(features(position, places)):
            out[row, place] = places[place]
