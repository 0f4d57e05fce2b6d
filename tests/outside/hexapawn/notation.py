"""Hexapawn as text: rows from the top, then who is to move; moves as `a1-a2` or `a1xb2`."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from hexapawn.rules import CELLS, Hexapawn, turned
from understudy.errors import NotationError
from understudy.games.bits import Mask
from understudy.protocols import Move


def _sides(position: Hexapawn) -> tuple[int, int]:
    """Return White's and Black's pawns as White sees them."""
    if position.ply % 2 == 0:
        return int(position.mine), int(position.theirs)
    white, black = (int(turned(np.uint64(side), position.size)) for side in (position.theirs, position.mine))
    return white, black


def stones(position: Hexapawn) -> tuple[str, ...]:
    white, black = _sides(position)
    cells = range(position.size**2)
    return tuple("white" if white >> cell & 1 else "black" if black >> cell & 1 else "" for cell in cells)


def write(position: Hexapawn) -> str:
    letters, size = [{"white": "W", "black": "B", "": "."}[stone] for stone in stones(position)], position.size
    rows = ["".join(letters[row * size : row * size + size]) for row in reversed(range(size))]
    return "/".join(rows) + (" W" if position.ply % 2 == 0 else " B")


def read(text: str, start: Hexapawn) -> Hexapawn:
    size, text = start.size, text.strip()
    if not re.fullmatch(rf"(?:[WB.]{{{size}}}/){{{size - 1}}}[WB.]{{{size}}} [WB]", text):
        raise NotationError(f"hexapawn position {text!r}: expected {size} rows of W, B or '.', then W or B")
    rows = "".join(reversed(text[:-2].split("/")))
    white, black = (np.uint64(sum(1 << cell for cell in range(size * size) if rows[cell] == side)) for side in "WB")
    if text.endswith("W"):
        return Hexapawn(white, black, size, 0)
    return Hexapawn(np.uint64(turned(black, size)), np.uint64(turned(white, size)), size, 1)


def _name(cell: int, position: Hexapawn) -> str:
    row, column = divmod(cell, position.size)
    return f"{'abcde'[column]}{(row if position.ply % 2 == 0 else position.size - 1 - row) + 1}"


def write_move(position: Hexapawn, move: Move) -> str:
    origin, to = parts(move)
    sign = "x" if int(position.theirs) >> to & 1 else "-"
    return _name(origin, position) + sign + _name(to, position)


def read_move(position: Hexapawn, text: str) -> Move:
    found = re.fullmatch(r"([a-e][1-5])[-x]?([a-e][1-5])", text.strip().lower())
    names = {_name(cell, position): cell for cell in range(position.size**2)}
    if not found or found[1] not in names or found[2] not in names:
        raise NotationError(f"hexapawn move {text!r}: expected two cells of the board such as 'a1-a2'")
    return joined((names[found[1]], names[found[2]]))


def parts(move: Move) -> tuple[int, int]:
    return move // CELLS, move % CELLS


def joined(numbers: tuple[int, ...]) -> Move:
    origin, to = numbers
    return origin * CELLS + to


def class_cells(position: Hexapawn, part: int) -> list[int | None]:
    """Return the cell of the board that each class of a part stands for: Black sees the board from its side."""
    size = position.size
    cells = np.arange(size * size).reshape(size, size)
    seen = cells if position.ply % 2 == 0 else cells[::-1]
    return [*seen.ravel().tolist(), *[None] * (CELLS - size * size)]


def drawn(position: Hexapawn) -> str | None:
    return None


def symmetries(position: Hexapawn) -> NDArray[np.int64]:
    """Return the board as it is, and left and right exchanged; cells beyond the board stay."""
    cells, size = np.arange(64), position.size
    on = cells < size * size
    return np.stack([cells, np.where(on, cells // size * size + size - 1 - cells % size, cells)])


def permuted(position: Hexapawn, permutation: NDArray[np.int64]) -> Hexapawn:
    mine, theirs = (_sent(side, permutation) for side in (position.mine, position.theirs))
    return position._replace(mine=mine, theirs=theirs)


def _sent(mask: Mask, permutation: NDArray[np.int64]) -> Mask:
    return np.uint64(sum(1 << int(permutation[cell]) for cell in range(CELLS) if int(mask) >> cell & 1))


def permuted_move(move: Move, permutation: NDArray[np.int64]) -> Move:
    origin, to = parts(move)
    return joined((int(permutation[origin]), int(permutation[to])))
