"""The rules of Hexapawn as kernels: boards of 3 x 3 to 5 x 5 cells, row by row from the mover's lower left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.bits import NONE, Mask, bit, lowest, mixed, rest
from understudy.games.kind import ONGOING, Variant, check_rules
from understudy.kernels import kernel
from understudy.protocols import Board, Conventions

MOST_MOVES = 15
"""Five pawns, each with one step and two captures."""
CELLS = 25
FEATURES = 2 * CELLS


class Hexapawn(NamedTuple):
    """A position seen by the side to move, whose pawns go up."""

    mine: Mask
    theirs: Mask
    size: int
    ply: int


@kernel
def moves(position: Hexapawn, out: NDArray[np.int32]) -> int:
    total, size, pawns = 0, position.size, position.mine
    taken = position.mine | position.theirs
    while pawns != NONE:
        cell = lowest(pawns)
        pawns = rest(pawns)
        if cell >= size * (size - 1):
            continue
        for step in range(-1, 2):  # to the left, straight on, to the right: codes ascend
            column = cell % size + step
            if column < 0 or column >= size:
                continue
            target = bit(cell + size + step)
            if (step == 0 and target & taken == NONE) or (step != 0 and target & position.theirs != NONE):
                out[total] = cell * CELLS + cell + size + step
                total += 1
    return total


@kernel
def count(position: Hexapawn) -> int:
    return moves(position, np.empty(MOST_MOVES, np.int32))


@kernel
def movable(position: Hexapawn) -> bool:
    return count(position) > 0


@kernel
def play(position: Hexapawn, move: int) -> Hexapawn:
    origin, to = bit(move // CELLS), bit(move % CELLS)
    mine, theirs = (position.mine ^ origin) | to, position.theirs & ~to
    return Hexapawn(turned(theirs, position.size), turned(mine, position.size), position.size, position.ply + 1)


@kernel
def turned(pawns: Mask, size: int) -> Mask:
    """Return a side's pawns as the other side sees them: rows upside down."""
    seen = NONE
    while pawns != NONE:
        cell = lowest(pawns)
        pawns = rest(pawns)
        seen |= bit((size - 1 - cell // size) * size + cell % size)
    return seen


@kernel
def outcome(position: Hexapawn, count: int) -> int:
    """Return a loss if the other side is across, or nothing can move; nobody moves into a win of its own."""
    if position.theirs & (bit(position.size) - bit(0)) != NONE or count == 0:
        return -1
    return ONGOING


@kernel
def turn(position: Hexapawn) -> Hexapawn:
    size = position.size
    return Hexapawn(turned(position.theirs, size), turned(position.mine, size), size, position.ply + 1)


@kernel
def key(position: Hexapawn) -> Mask:
    return mixed(position.mine | (position.theirs << np.uint64(CELLS)))


@kernel
def features(position: Hexapawn, out: NDArray[np.int32]) -> int:
    total = 0
    for cell in range(CELLS):
        if position.mine & bit(cell) != NONE:
            out[total] = cell
            total += 1
    for cell in range(CELLS):
        if position.theirs & bit(cell) != NONE:
            out[total] = CELLS + cell
            total += 1
    return total


@kernel
def promise(position: Hexapawn, move: int) -> int:
    return int(position.theirs & bit(move % CELLS) != NONE)


def reason(position: Hexapawn) -> str:
    return "no move" if int(position.theirs) & ((1 << position.size) - 1) == 0 else "across"


def variant(size: tuple[int, int] | None, rules: Mapping[str, str]) -> Variant:
    rows, columns = size or (5, 5)
    if rows != columns or not 3 <= rows <= 5:
        raise BadOption(f"hexapawn has no board of size {rows}x{columns}; there are 3x3 to 5x5")
    check_rules("hexapawn", rules, {})
    cells = tuple(f"{letter}{row + 1}" for row in range(rows) for letter in "abcde"[:rows])
    places = tuple((float(column), float(row)) for row in range(rows) for column in range(rows))
    home = (1 << rows) - 1
    return Variant(
        title="Hexapawn",
        first=Hexapawn(np.uint64(home), np.uint64(home << rows * (rows - 1)), rows, 0),
        board=Board(cells, places, ()),
        size=(rows, rows),
        colours=("white", "black"),
        part_names=("from", "to"),
        part_sizes=(CELLS, CELLS),
        conventions=Conventions(repetition=None, ply_limit=60, opening_plies=1),
        sizes="3x3 to 5x5",
    )
