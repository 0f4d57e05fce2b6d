"""Konane in text and in symmetries, for boards of any size: what its two sets of kernels share.

A position is written row by row from the top, `WBWB/BWBW/WBWB/BWBW B`; columns are a, b, ..., z, aa, ..., rows count
from 1 at the bottom. A removal is one cell, `a1`, a jump two, `a1-c1`. Masks are one word or several, the lowest first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from understudy.errors import NotationError
from understudy.games.bits import WORD, sent
from understudy.protocols import Board, Move

P = TypeVar("P", bound=Any)

COLOURS = ("black", "white")
SIDES = "BW"


def write(position: Any) -> str:
    """Return the rows from the top, letters B and W and dots, and who is to move."""
    letters = "".join("BW."[COLOURS.index(colour) if colour else 2] for colour in stones(position))
    columns = position.columns
    rows = [letters[cell : cell + columns] for cell in range(0, len(letters), columns)]
    return f"{'/'.join(reversed(rows))} {SIDES[position.ply % 2]}"


def read(text: str, start: P) -> P:
    """Return the position written in *text*, on the board of *start*."""
    match = re.fullmatch(r"([BW./]+) ([BW])", text.strip())
    if not match:
        _refuse(text, "expected rows of B, W and '.' separated by '/', a space, and B or W to move")
    rows = match[1].split("/")[::-1]
    if [len(row) for row in rows] != [start.columns] * start.rows:
        _refuse(text, f"expected {start.rows} rows of {start.columns} cells")
    letters = "".join(rows)
    black, white = (sum(1 << i for i, letter in enumerate(letters) if letter == side) for side in SIDES)
    side = SIDES.index(match[2])
    if fault := _fault(black, white, side, start.rows, start.columns):
        _refuse(text, fault)
    holes = letters.count(".")
    mine, theirs = (white, black) if side else (black, white)
    fields = {"mine": packed(mine, start.mine), "theirs": packed(theirs, start.theirs)}
    return start._replace(**fields, ply=holes if holes < 2 else 2 + side)  # type: ignore[no-any-return]


def _refuse(text: str, fault: str) -> NoReturn:
    raise NotationError(f"konane position {text!r}: {fault}")


def _fault(black: int, white: int, side: int, rows: int, columns: int) -> str | None:
    """Return why such a position cannot occur, or None."""
    cells, other_cells = colour_masks(rows, columns)
    if black & other_cells or white & cells:
        return "a stone stands on a cell of the other colour (a1 is Black's)"
    gone, other_gone = cells & ~black, other_cells & ~white
    lost, other_lost = gone.bit_count(), other_gone.bit_count()
    if lost + other_lost < 2:
        if side != lost + other_lost:
            return f"with {lost + other_lost} empty cells {COLOURS[1 - side]} is to move"
        return None if not gone | other_gone or _opens(gone, rows, columns) else "no stone may be removed there first"
    if lost == other_lost == 1 and not (_opens(gone, rows, columns) and other_gone & _next(gone, rows, columns)):
        return "the two empty cells cannot be the first two removed"
    if not _reachable(lost - 1, other_lost - 1, side, (max(rows, columns) - 1) // 2):
        return f"black cannot have lost {lost} stones and white {other_lost} with {COLOURS[side]} to move"
    return None


def _opens(gone: int, rows: int, columns: int) -> bool:
    """Tell whether the one cell *gone* is a corner or a middle one, and Black's."""
    row, column = divmod(gone.bit_length() - 1, columns)
    corner = row in (0, rows - 1) and column in (0, columns - 1)
    middle = row in ((rows - 1) // 2, rows // 2) and column in ((columns - 1) // 2, columns // 2)
    return (row + column) % 2 == 0 and (corner or middle)


def _next(gone: int, rows: int, columns: int) -> int:
    row, column = divmod(gone.bit_length() - 1, columns)
    steps = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return sum(1 << r * columns + c for r, c in steps if 0 <= r < rows and 0 <= c < columns)


def _reachable(taken: int, other_taken: int, side: int, most: int) -> bool:
    """Tell whether some number of jumps, each taking one to *most* stones, takes so many of Black's and of White's."""
    return any(
        turns <= other_taken <= most * turns and turns - side <= taken <= most * (turns - side)
        for turns in range(side, other_taken + 1)
    )


def write_move(position: Any, move: Move) -> str:
    """Return a removal as `a1`, a jump as `a1-c1`."""
    names = cell_names(position.rows, position.columns)
    origin, to = parts(move)
    return names[origin] if origin == to else f"{names[origin]}-{names[to]}"


def read_move(position: Any, text: str) -> Move:
    """Return the code of a written move, legal or not: `a1`, `a1-c1`, `a1c1` or `a1xc1`."""
    match = re.fullmatch(r"(a?[a-z][0-9]+)(?:[-x]?(a?[a-z][0-9]+))?", text.strip().lower())
    if not match or match[1] == match[2]:
        raise NotationError(f"konane move {text!r}: expected a removal such as 'a1' or a jump such as 'a1-c1'")
    names = cell_names(position.rows, position.columns)
    for name in match.groups(match[1]):
        if name not in names:
            raise NotationError(
                f"konane move {text!r}: the board of {position.rows}x{position.columns} has no cell {name}"
            )
    return joined((names.index(match[1]), names.index(match[2] or match[1])))


def parts(move: Move) -> tuple[int, int]:
    """Return from and to; a removal has the same cell twice."""
    return move >> 8, move & 255


def joined(numbers: tuple[int, ...]) -> Move:
    """Return the code of the move with these parts."""
    origin, to = numbers
    return origin << 8 | to


def path(position: Any, move: Move) -> tuple[tuple[int, ...]]:
    """Return where a stone stands and where it lands; a removal points at one cell."""
    return (tuple(dict.fromkeys(parts(move))),)


SETUP = COLOURS


def arrange(stones: Sequence[str], turn: int, extras: Mapping[str, int], start: Any) -> str:
    """Return the text of the position with these stones."""
    letters = "".join("BW."[COLOURS.index(stone) if stone else 2] for stone in stones)
    rows = [letters[cell : cell + start.columns] for cell in range(0, len(letters), start.columns)]
    return f"{'/'.join(reversed(rows))} {SIDES[turn]}"


def drawn(position: Any) -> str | None:
    """Return why a match would call this position a draw without looking at the history: never."""
    return None


REASONS = {"no move": "who cannot jump has lost"}
"""What the reasons for which a game ends mean, for people."""


def stones(position: Any) -> tuple[str, ...]:
    """Return the colour of the stone on each cell."""
    mine, theirs = _whole(position.mine), _whole(position.theirs)
    side = position.ply % 2
    return tuple(
        COLOURS[side] if mine >> cell & 1 else COLOURS[1 - side] if theirs >> cell & 1 else ""
        for cell in range(position.rows * position.columns)
    )


# Symmetries, as permutations of cells: where each cell goes.


def symmetries(position: Any) -> NDArray[np.int64]:
    """Return the symmetries of the board that keep the colours [symmetries, cells], identity first."""
    return _symmetries(position.rows, position.columns)


@cache
def _symmetries(rows: int, columns: int) -> NDArray[np.int64]:
    cells = np.arange(rows * columns).reshape(rows, columns)
    colours = np.add.outer(np.arange(rows), np.arange(columns)) % 2
    boards = (cells, cells.T) if rows == columns else (cells,)
    images = [image[::down, ::across] for image in boards for down in (1, -1) for across in (1, -1)]
    return np.array([image.ravel() for image in images if (colours.ravel()[image] == colours).all()])


def permuted(position: P, permutation: NDArray[np.int64]) -> P:
    """Return the position with the stone of each cell moved to where *permutation* sends it."""
    mine, theirs = (packed(sent(_whole(mask), permutation), mask) for mask in (position.mine, position.theirs))
    return position._replace(mine=mine, theirs=theirs)  # type: ignore[no-any-return]


def permuted_move(move: Move, permutation: NDArray[np.int64]) -> Move:
    """Return the same move after *permutation*."""
    origin, to = parts(move)
    return joined((int(permutation[origin]), int(permutation[to])))


def board(rows: int, columns: int) -> Board:
    """Return the board as a person draws it."""
    places = tuple((float(column), float(row)) for row in range(rows) for column in range(columns))
    return Board(cell_names(rows, columns), places, ())


@cache
def cell_names(rows: int, columns: int) -> tuple[str, ...]:
    """Return the names of the cells, a1 first; the column after z is aa."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [*letters, *("a" + letter for letter in letters)][:columns]
    return tuple(f"{name}{row + 1}" for row in range(rows) for name in names)


def colour_masks(rows: int, columns: int) -> tuple[int, int]:
    """Return the cells of Black and those of White."""
    black = sum(
        1 << row * columns + column for row in range(rows) for column in range(columns) if (row + column) % 2 == 0
    )
    return black, (1 << rows * columns) - 1 - black


def _whole(mask: Any) -> int:
    """Return a mask of one or several words as one number."""
    words = mask if isinstance(mask, tuple) else (mask,)
    return sum(int(word) << 64 * i for i, word in enumerate(words))


def packed(value: int, like: Any) -> Any:
    """Return a number as a mask of as many words as *like*."""
    if isinstance(like, tuple):
        return tuple(np.uint64(value >> 64 * i & WORD) for i in range(len(like)))
    return np.uint64(value)
