"""Konane boards as numbers, relative to the side that judges: A, B and C of Thompson (2005), in 0 to 1, and ours.

The source numbers cells row by row from Black's upper left corner, we from Black's lower left one: the n-th cell is the
same. Where its printed examples contradict its text, docs/games/konane.md tells what is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games.boards import Marks
from understudy.games.konane import large as konane_large
from understudy.games.konane import rules as konane
from understudy.games.rules import RULES, features, moves, turn
from understudy.kernels import kernel

REPRESENTATIONS = ("A", "B", "C", "D", "E", "A_signed")
"""A: a cell is 1 (own stone), 0.5 (empty) or 0. B: own cells, then the other side's, 1 where the stone still stands.
C: all cells with an own stone, then all cells with one of the other side. D: as B with White's boards mirrored, so that
own stones always stand on the same cells, then which stones of both sides can move. E: as D, then in which of the four
directions each can jump. A_signed: as A, with 1, 0 and -1, so that no stone is a 0, behind which a weight learns
nothing (the source's reason for what A lacks)."""

A, B, C, D, E, A_SIGNED = range(6)


def find_representation(name: str, rows: int, columns: int) -> int:
    """Return the number of the representation called *name*, if it fits a board."""
    if name not in REPRESENTATIONS:
        raise UnknownName("representation of konane", name, REPRESENTATIONS)
    if name in ("D", "E") and columns % 2:
        raise BadOption(
            f"representation {name} needs an even number of columns, so that a mirrored board has its colours "
            f"exchanged, and {rows}x{columns} has not"
        )
    return REPRESENTATIONS.index(name)


@kernel
def input_count(representation: int, rows: int, columns: int) -> int:
    """Return how many inputs a board has."""
    narrow = representation in (A, B, A_SIGNED)
    return rows * columns * (1 if narrow else 6 if representation == E else 2)


@kernel
def input_width(representation: int, position: Any) -> int:
    """Return how many inputs the board of a position has."""
    return input_count(representation, position.rows, position.columns)


def input_cells(representation: int, rows: int, columns: int) -> NDArray[np.int64]:
    """Return the cell that each input is about; B shows both colours' cells on the same inputs, so it has none."""
    cells = np.arange(rows * columns)
    if representation in (A, A_SIGNED):
        return cells
    if representation == C:
        return np.tile(cells, 2)
    black = (cells // columns + cells % columns) % 2 == 0
    pairs = np.tile(np.concatenate([cells[black], cells[~black]]), 2)
    return pairs if representation == D else np.concatenate([pairs, np.repeat(pairs[: len(cells)], 4)])


@kernel
def encode(representation: int, position: Any, side: int, scratch: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Write the inputs of *position* as *side* sees it: 0 the side to move, 1 the other."""
    cells = position.rows * position.columns
    empty = np.float32(0.5) if representation == A else np.float32(0.0)
    for i in range(input_count(representation, position.rows, position.columns)):
        out[i] = empty
    black = (position.ply + side) & 1 == 0
    half = konane.CELLS if cells <= konane.CELLS else konane_large.CELLS
    for i in range(features(position, scratch)):
        mine = scratch[i] < half
        cell = scratch[i] if mine else scratch[i] - half
        own = mine == (side == 0)
        _mark(representation, position, cell, own, black, out)
    if representation in (D, E):
        _mark_movable(representation, position, side == 0, black, scratch, out)
        _mark_movable(representation, turn(position), side == 1, black, scratch, out)


@kernel
def _mark(representation: int, position: Any, cell: int, own: bool, black: bool, out: NDArray[np.float32]) -> None:
    """Write that a stone stands on *cell*."""
    cells = position.rows * position.columns
    if representation == A:
        out[cell] = 1.0 if own else 0.0
    elif representation == A_SIGNED:
        out[cell] = 1.0 if own else -1.0
    elif representation == B:
        # Of two neighbours in a row each colour has one, so half a cell's number is its place among its colour.
        out[cell // 2 + (0 if own else (cells + (1 if black else 0)) // 2)] = 1.0
    elif representation == C:
        out[cell if own else cells + cell] = 1.0
    else:
        out[_seen(position, cell, black) // 2 + (0 if own else cells // 2)] = 1.0


@kernel
def _mark_movable(
    representation: int, position: Any, own: bool, black: bool, scratch: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """Write which stones of the side to move can move, and where to."""
    cells = position.rows * position.columns
    first = 0 if own else cells // 2
    for i in range(moves(position, scratch)):
        origin, to = scratch[i] >> 8, scratch[i] & 255
        place = first + _seen(position, origin, black) // 2
        out[cells + place] = 1.0
        if representation == E and origin != to:
            out[2 * cells + 4 * place + _direction(position.columns, origin, to, black)] = 1.0


@kernel
def _direction(columns: int, origin: int, to: int, black: bool) -> int:
    """Return 0 down, 1 left, 2 right or 3 up, as a mirrored board has it for White."""
    if abs(to - origin) >= columns:
        return 3 if to > origin else 0
    return 2 if (to > origin) == black else 1


@kernel
def _seen(position: Any, cell: int, black: bool) -> int:
    """Return where D shows a cell: White's boards are mirrored, left for right."""
    if black:
        return cell
    row = cell // position.columns
    mirrored: int = row * position.columns + position.columns - 1 - (cell - row * position.columns)
    return mirrored


@kernel
def encode_boards(representation: int, batch: Any, scratch: NDArray[np.int32], out: NDArray[Any]) -> None:
    """Write the inputs of every board of a batch [boards, inputs] as the side sees it that is not to move.

    Into whole numbers only what has no halves: all but A. Boards have at most 64 cells.
    """
    row = np.zeros(out.shape[1], np.float32)
    for i in range(out.shape[0]):
        position = konane.Konane(batch.mine[i], batch.theirs[i], batch.rows[i], batch.columns[i], batch.ply[i])
        encode(representation, position, 1, scratch, row)
        for j in range(out.shape[1]):
            out[i, j] = row[j]


# What a board shows to both sides alike, for networks that keep sums along a line of play. On Black's cells stand only
# Black's stones, so whose a stone is need not be said.


@kernel
def mark(representation: int, position: Any, out: NDArray[Any]) -> None:
    """Write which marks of a board there are, 64 to a word: stones, those that can move, and in which directions."""
    _mark_kinds(position, _kinds(representation), out)


@kernel
def _kinds(representation: int) -> int:
    """Return how many kinds of marks a representation is made of; `features` has its stones alone, as C."""
    return 6 if representation == E else 2 if representation == D else 1


def _mark_kinds(position: Any, kinds: int, out: NDArray[Any]) -> None:
    RULES[type(position)].mark(position, kinds, out)


@overload(_mark_kinds, strict=False)
def _mark_kinds_overload(position: Any, kinds: Any, out: Any) -> Any:
    chosen = RULES[position.instance_class].mark
    return lambda position, kinds, out: chosen(position, kinds, out)


def find_marks(representation: int, rows: int, columns: int) -> Marks:
    """Return which input each mark of a board turns, and how far, as Black and as White see it."""
    kinds, cells = _kinds(representation), np.arange(rows * columns)
    bits = 64 if rows * columns <= konane.CELLS else 256
    marks = Marks(
        np.full(_width(representation, rows, columns), 0.5 if representation == A else 0.0),
        np.zeros((2, kinds * bits), np.int64),
        np.zeros((2, kinds * bits)),
    )
    black_cells = (cells // columns + cells % columns) % 2 == 0
    for side in range(2):
        own = black_cells == (side == 0)
        for kind in range(kinds):
            chosen = kind * bits + cells
            marks.places[side, chosen] = _places(representation, kind, cells, own, side == 0, rows, columns)
            marks.amounts[side, chosen] = np.where(own, 0.5, -0.5) if representation == A else 1.0
    return marks


def _width(representation: int, rows: int, columns: int) -> int:
    if representation in range(len(REPRESENTATIONS)):
        return int(input_count(representation, rows, columns))
    return 2 * _half(rows * columns)


def _half(cells: int) -> int:
    """Return how many features are about own stones."""
    return konane.CELLS if cells <= konane.CELLS else konane_large.CELLS


def _places(
    representation: int, kind: int, cells: NDArray[np.int64], own: NDArray[np.bool_], black: bool, rows: int,
    columns: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Return the input of each cell for one kind of marks, as `encode` has it."""
    count = rows * columns
    if representation == A:
        return cells
    if representation == B:
        return cells // 2 + np.where(own, 0, (count + (1 if black else 0)) // 2)
    if representation not in (D, E):
        return cells + np.where(own, 0, count if representation == C else _half(count))
    seen = cells if black else cells // columns * columns + columns - 1 - cells % columns
    places = seen // 2 + np.where(own, 0, count // 2)
    if kind < 2:
        return places + kind * count
    direction = kind - 2 if black else (0, 2, 1, 3)[kind - 2]  # a mirror exchanges left and right
    return 2 * count + 4 * places + direction
