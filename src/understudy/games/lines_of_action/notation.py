"""Lines of Action as text, with the board's shape and symmetries; moves as `d1-b3`, `g4xg1` or `pass`.

Here is also the position type, because both the text and the kernels need it. Rules are in `rules.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import NotationError
from understudy.games.bits import Mask, sent
from understudy.protocols import Board, Move

SIZES = range(4, 9)
"""Above 8 a board does not fit a word; on 3 x 3 a side would have two stones. The lower end was chosen by hand."""

PASS = 0
"""The move of a side that cannot move: from a1 to a1, which no stone can do."""


class LinesOfAction(NamedTuple):
    """A position seen by the side to move: stones, rows of the board, rule switches."""

    mine: Mask
    theirs: Mask
    size: int
    switches: int
    ply: int


CELLS = tuple(f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")
"""The cells of the large board by their number."""


def write(position: LinesOfAction) -> str:
    """Return the rows from the top, joined by slashes, of B, W or a dot for empty, then the side to move."""
    letters = {"black": "B", "white": "W", "": "."}
    cells, size = [letters[stone] for stone in stones(position)], position.size
    rows = ["".join(cells[row * size : row * size + size]) for row in reversed(range(size))]
    return "/".join(rows) + (" B" if position.ply % 2 == 0 else " W")


def read(text: str, start: LinesOfAction) -> LinesOfAction:
    """Return the position written in *text*, with the size and the switches of *start*."""
    text, size = text.strip(), start.size
    if not re.fullmatch(rf"(?:[BW.]{{{size}}}/){{{size - 1}}}[BW.]{{{size}}} [BW]", text):
        raise NotationError(
            f"lines_of_action position {text!r}: expected {size} rows of {size} letters B, W or '.', joined by '/', "
            "then a space and B or W"
        )
    rows = text[:-2].split("/")[::-1]
    black, white = (
        sum(1 << 8 * row + column for row in range(size) for column in range(size) if rows[row][column] == letter)
        for letter in "BW"
    )
    for name, mask in (("Black", black), ("White", white)):
        if not 1 <= mask.bit_count() <= 2 * size - 4:
            raise NotationError(
                f"lines_of_action position {text!r}: {name} has {mask.bit_count()} stones, not 1 to {2 * size - 4}"
            )
    mine, theirs, ply = (black, white, 0) if text.endswith("B") else (white, black, 1)
    return LinesOfAction(np.uint64(mine), np.uint64(theirs), size, start.switches, ply)


def write_move(position: LinesOfAction, move: Move) -> str:
    """Return a move as `d1-b3`, a capture as `g4xg1`, a pass as `pass`."""
    if move == PASS:
        return "pass"
    origin, to = parts(move)
    return CELLS[origin] + ("x" if int(position.theirs) >> to & 1 else "-") + CELLS[to]


def read_move(position: LinesOfAction, text: str) -> Move:
    """Return the code of a written move, legal or not; the sign between the cells may be missing or wrong."""
    match = re.fullmatch(r"([a-h][1-8])[-x]?([a-h][1-8])|pass", text.strip().lower())
    if not match:
        raise NotationError(f"lines_of_action move {text!r}: expected two cells such as 'd1-b3' or 'g4xg1', or 'pass'")
    if not match[1]:
        return PASS
    origin, to = CELLS.index(match[1]), CELLS.index(match[2])
    for cell in (origin, to):
        if max(cell // 8, cell % 8) >= position.size:
            board_size = f"{position.size}x{position.size}"
            raise NotationError(f"lines_of_action move {text!r}: the {board_size} board has no cell {CELLS[cell]}")
    if origin == to:
        raise NotationError(f"lines_of_action move {text!r}: a stone cannot move to its own cell")
    return joined((origin, to))


def parts(move: Move) -> tuple[int, int]:
    """Return FROM and TO, as cells of the large board; both are 0 in a pass."""
    return move >> 6, move & 63


def joined(numbers: tuple[int, ...]) -> Move:
    """Return the code of the move with these parts."""
    origin, to = numbers
    return origin << 6 | to


def path(position: LinesOfAction, move: Move) -> tuple[tuple[int, ...], str]:
    """Return where a stone stands and where it goes, as cells of the board in use; a pass points at nothing."""
    if move == PASS:
        return (), "pass"
    return tuple(cell // 8 * position.size + cell % 8 for cell in parts(move)), ""


def class_cells(position: LinesOfAction, part: int) -> list[int | None]:
    """Return the cell of the board in use that each class of a part stands for; those beyond it stand for none."""
    size = position.size
    return [cell // 8 * size + cell % 8 if max(cell // 8, cell % 8) < size else None for cell in range(64)]


def name_class(part: int, number: int) -> str:
    """Return the name of a cell that only larger boards have."""
    return CELLS[number]


SETUP = ("black", "white")


def arrange(stones: Sequence[str], turn: int, extras: Mapping[str, int], start: LinesOfAction) -> str:
    """Return the text of the position with these stones."""
    letters, size = "".join({"black": "B", "white": "W", "": "."}[stone] for stone in stones), start.size
    rows = [letters[cell : cell + size] for cell in range(0, len(letters), size)]
    return f"{'/'.join(reversed(rows))} {'BW'[turn]}"


def drawn(position: LinesOfAction) -> str | None:
    """Return why a match would call this position a draw without looking at the history: never."""
    return None


REASONS = {"connection": "all stones of a side are one group", "no move": "who cannot move has lost"}
"""What the reasons for which a game ends mean, for people."""


def stones(position: LinesOfAction) -> tuple[str, ...]:
    """Return the colour of the stone on each cell, in the order of the board's cells."""
    first, second = (position.mine, position.theirs) if position.ply % 2 == 0 else (position.theirs, position.mine)
    return tuple(
        "black" if int(first) >> cell & 1 else "white" if int(second) >> cell & 1 else ""
        for cell in _cells(position.size)
    )


def _cells(size: int) -> list[int]:
    return [8 * row + column for row in range(size) for column in range(size)]


# Symmetries, as permutations of the 64 cells: where each cell goes; cells off a small board stay.


def _symmetries(size: int) -> NDArray[np.int64]:
    last = size - 1
    images = np.tile(np.arange(64), (8, 1))
    for cell in _cells(size):
        row, column = divmod(cell, 8)
        for swap, (r, c) in enumerate(((row, column), (column, row))):
            mirrored = ((r, c), (r, last - c), (last - r, c), (last - r, last - c))
            images[4 * swap : 4 * swap + 4, cell] = [8 * r + c for r, c in mirrored]
    return images


SYMMETRIES = {size: _symmetries(size) for size in SIZES}


def symmetries(position: LinesOfAction) -> NDArray[np.int64]:
    """Return the eight symmetries of the board [symmetries, cells], identity first."""
    return SYMMETRIES[position.size]


def permuted(position: LinesOfAction, permutation: NDArray[np.int64]) -> LinesOfAction:
    """Return the position with the stone of each cell moved to where *permutation* sends it."""
    return position._replace(
        mine=np.uint64(sent(position.mine, permutation)), theirs=np.uint64(sent(position.theirs, permutation))
    )


def permuted_move(move: Move, permutation: NDArray[np.int64]) -> Move:
    """Return the same move after *permutation*; a pass stays a pass."""
    if move == PASS:
        return PASS
    origin, to = parts(move)
    return joined((int(permutation[origin]), int(permutation[to])))


def board(size: int) -> Board:
    """Return the board of *size* rows, from a1 row by row."""
    cells = _cells(size)
    return Board(tuple(CELLS[cell] for cell in cells), tuple((float(cell % 8), float(cell // 8)) for cell in cells), ())
