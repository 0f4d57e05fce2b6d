"""Konane on boards of at most 64 cells: position and kernels; larger boards are in `large.py`.

Rules after Thompson (2005), doubtful points as in docs/games/konane.md. Black and White stand on cells of opposite
parity and a jump keeps the parity, so the cell next to a stone can only hold an enemy: whether a cell is one to jump
from is asked of all cells of both colours at once. A cell is a bit, row by row from the lower left; a1 is Black's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.bits import NONE, WORD, Mask, bit, listed, lowest, mixed, popcount, rest
from understudy.games.kind import ONGOING, Variant, check_rules
from understudy.games.konane import large as konane_large
from understudy.games.konane.notation import board, colour_masks
from understudy.kernels import kernel
from understudy.protocols import Conventions

CELLS = 64
"""Bits of a word; larger boards have rules of their own (`large.py`)."""
LONGEST = 32
"""The most rows or columns: two rows of 32 fill a word."""

MOST_MOVES = 128
"""Into an empty cell at most one stone can jump from each side, and at most 32 cells are of its colour."""

FEATURES = 2 * CELLS
"""My cells, their cells."""


class Konane(NamedTuple):
    """A position seen by the side to move; how many cells are empty tells whether stones are removed or jump."""

    mine: Mask
    theirs: Mask
    rows: int
    columns: int
    ply: int


def start(rows: int, columns: int) -> Konane:
    """Return the full board."""
    black, white = colour_masks(rows, columns)
    return Konane(np.uint64(black), np.uint64(white), rows, columns, 0)


def _table(chosen: list[list[int]]) -> NDArray[np.uint64]:
    return np.array([sum(1 << cell for cell in cells) for cells in chosen], np.uint64)


COLUMN = _table([[], *(list(range(0, CELLS, columns)) for columns in range(1, LONGEST + 1))])
"""For each number of columns the cells of the first one."""

ROOM = _table([[], *([i for i in range(CELLS) if i % columns < columns - 2] for columns in range(1, LONGEST + 1))])
"""For each number of columns the cells that have two cells to their right."""

_ALL = np.uint64(WORD)
_1 = np.uint64(1)
_2 = np.uint64(2)
_64 = np.uint64(64)
_WHITE = np.uint64(0x9E3779B97F4A7C15)
"""Tells White's keys from Black's; the top bit is set, so on boards below 64 cells no two positions share a key."""


@kernel
def vacant(position: Konane) -> Mask:
    """Return the empty cells."""
    return (_ALL >> (_64 - np.uint64(position.rows * position.columns))) & ~(position.mine | position.theirs)


@kernel
def takeoffs(position: Konane, empty: Mask) -> tuple[Mask, Mask, Mask, Mask]:
    """Return the cells to jump from, down, left, right and up: the next one is taken, the one behind it empty."""
    taken = position.mine | position.theirs
    step, room = np.uint64(position.columns), ROOM[position.columns]
    down = (taken << step) & (empty << step << step)  # two shifts: twice the columns can be 64
    left = (taken << _1) & (empty << _2) & (room << _2)
    right = (taken >> _1) & (empty >> _2) & room
    up = (taken >> step) & (empty >> step >> step)
    return down, left, right, up


@kernel
def moves(position: Konane, out: NDArray[np.int32]) -> int:
    """Write the codes of all legal moves, ascending; return how many."""
    empty = vacant(position)
    if rest(empty) == NONE:
        return _write_removals(removals(position, empty), out)
    down, left, right, up = takeoffs(position, empty)
    step = np.uint64(position.columns)
    origins = position.mine & (down | left | right | up)
    total = 0
    while origins != NONE:
        origin = lowest(origins)
        origins = rest(origins)
        reach = NONE
        stone = bit(origin)
        while stone & down:
            stone = stone >> step >> step
            reach |= stone
        stone = bit(origin)
        while stone & left:
            stone = stone >> _2
            reach |= stone
        stone = bit(origin)
        while stone & right:
            stone = stone << _2
            reach |= stone
        stone = bit(origin)
        while stone & up:
            stone = stone << step << step
            reach |= stone
        while reach != NONE:
            out[total] = origin << 8 | lowest(reach)
            reach = rest(reach)
            total += 1
    return total


@kernel
def _write_removals(chosen: Mask, out: NDArray[np.int32]) -> int:
    total = 0
    while chosen != NONE:
        out[total] = lowest(chosen) * 257  # the same cell as origin and as goal
        chosen = rest(chosen)
        total += 1
    return total


@kernel
def removals(position: Konane, empty: Mask) -> Mask:
    """Return the stones that the side to move may remove in the opening: *empty* is at most one cell."""
    if empty == NONE:
        return position.mine & first_cells(position.rows, position.columns)
    return position.mine & neighbours(empty, position.columns)


@kernel
def first_cells(rows: int, columns: int) -> Mask:
    """Return the corners and the middle one, two or four cells of a board."""
    top = (rows - 1) * columns
    cells = bit(0) | bit(columns - 1) | bit(top) | bit(top + columns - 1)
    for row in range((rows - 1) // 2, rows // 2 + 1):
        for column in range((columns - 1) // 2, columns // 2 + 1):
            cells |= bit(row * columns + column)
    return cells


@kernel
def neighbours(cells: Mask, columns: int) -> Mask:
    """Return the cells next to *cells*; above the topmost row it does not stop."""
    step = np.uint64(columns)
    first: Mask = COLUMN[columns]
    last = first << (step - _1)
    return (cells << step) | (cells >> step) | ((cells << _1) & ~first) | ((cells >> _1) & ~last)


@kernel
def count(position: Konane) -> int:
    """Return how many moves are legal, without listing them."""
    empty = vacant(position)
    if rest(empty) == NONE:
        return popcount(removals(position, empty))
    return _jumps(position, empty, position.mine)


@kernel
def _jumps(position: Konane, empty: Mask, chosen: Mask) -> int:
    """Return how many jumps *chosen* have: those of one jump, of two in a row, and so on."""
    down, left, right, up = takeoffs(position, empty)
    return jumps_from(chosen, down, left, right, up, position.columns)


@kernel
def jumps_from(chosen: Mask, down: Mask, left: Mask, right: Mask, up: Mask, columns: int) -> int:
    """Return how many jumps *chosen* have, given the cells to jump from."""
    step = np.uint64(columns)
    downs, lefts, rights, ups = chosen & down, chosen & left, chosen & right, chosen & up
    total = 0
    while downs | lefts | rights | ups:
        total += popcount(downs) + popcount(lefts) + popcount(rights) + popcount(ups)
        downs = (downs >> step >> step) & down
        lefts = (lefts >> _2) & left
        rights = (rights << _2) & right
        ups = (ups << step << step) & up
    return total


@kernel
def movable(position: Konane) -> bool:
    """Tell whether the side to move has a move; in the opening there always is one."""
    empty = vacant(position)
    if rest(empty) == NONE:
        return True
    down, left, right, up = takeoffs(position, empty)
    return bool(position.mine & (down | left | right | up) != NONE)


@kernel
def play(position: Konane, move: int) -> Konane:
    """Return the position after a legal move, seen by the other side."""
    origin, to = move >> 8, move & 255
    low, high = min(origin, to), max(origin, to)
    line = COLUMN[position.columns] << np.uint64(low) if high - low >= position.columns else _ALL
    mine = position.mine ^ (bit(origin) | bit(to))  # a removal names its cell twice
    theirs = position.theirs & ~(line & (bit(high) - bit(low)))
    return Konane(theirs, mine, position.rows, position.columns, position.ply + 1)


@kernel
def outcome(position: Konane, count: int) -> int:
    """Return -1 if the side to move has lost, else ONGOING; *count* tells how many moves there are."""
    return -1 if count == 0 else ONGOING


@kernel
def turn(position: Konane) -> Konane:
    """Return the same stones seen by the other side, as if the side to move had passed."""
    return Konane(position.theirs, position.mine, position.rows, position.columns, position.ply + 1)


@kernel
def key(position: Konane) -> Mask:
    """Return a key equal for equal placements with the same side to move, on boards of one size."""
    taken = position.mine | position.theirs
    return mixed(taken ^ _WHITE if position.ply & 1 else taken)


@kernel
def features(position: Konane, out: NDArray[np.int32]) -> int:
    """Write which of the binary features hold: my cells, then their cells."""
    return listed(position.theirs, CELLS, out, listed(position.mine, 0, out, 0))


@kernel
def changes(position: Konane, move: int, gone: NDArray[np.int32], come: NDArray[np.int32]) -> tuple[int, int]:
    """Write which features a move takes away and which it brings, both seen by who moves; return how many."""
    origin, to = move >> 8, move & 255
    gone[0], come[0] = origin, to
    if to == origin:  # a removal
        return 1, 0
    left, step = 1, position.columns if abs(to - origin) >= position.columns else 1
    for cell in range(min(origin, to) + step, max(origin, to), 2 * step):
        gone[left] = CELLS + cell
        left += 1
    return left, 1


@kernel
def mirrored(feature: int) -> int:
    """Return under which number the other side sees a feature."""
    return feature + CELLS if feature < CELLS else feature - CELLS


@kernel
def mark(position: Konane, kinds: int, out: NDArray[Mask]) -> None:
    """Write masks of what the board shows to both sides alike, as many *kinds* as are asked for, a word each.

    The cells that hold a stone; those whose stone can move; those whose stone can jump down, left, right and up.
    """
    taken = position.mine | position.theirs
    out[0] = taken
    if kinds == 1:
        return
    empty = vacant(position)
    down, left, right, up = takeoffs(position, empty)
    out[1] = taken & (down | left | right | up)
    if rest(empty) == NONE:
        down, left, right, up = NONE, NONE, NONE, NONE
        out[1] = removals(position, empty) | removals(turn(position), empty)
    if kinds > 2:
        out[2], out[3], out[4], out[5] = taken & down, taken & left, taken & right, taken & up


@kernel
def promise(position: Konane, move: int) -> int:
    """Return how early a search should try *move*: no kind of move stands out."""
    return 0


# Counters for evaluators; *side* 0 is the side to move, 1 the other.


@kernel
def pieces(position: Konane, side: int) -> int:
    """Return how many stones a side has."""
    return popcount(position.mine if side == 0 else position.theirs)


@kernel
def jumps(position: Konane, side: int) -> int:
    """Return how many jumps a side would have, were it to move; removals of the opening do not count."""
    return _jumps(position, vacant(position), position.mine if side == 0 else position.theirs)


@kernel
def movable_stones(position: Konane, side: int) -> int:
    """Return how many stones of a side can jump."""
    down, left, right, up = takeoffs(position, vacant(position))
    return popcount((position.mine if side == 0 else position.theirs) & (down | left | right | up))


@kernel
def template_removals(position: Konane, side: int) -> int:
    """Return the removals the source's program sees for a side while at most one cell is empty, later -1.

    For Black all first removals, even after one is made; for White the neighbours of the hole, or of the upper centre.
    """
    empty = vacant(position)
    if rest(empty) != NONE:
        return -1
    if (position.ply + side) & 1 == 0:
        black = position.mine if side == 0 else position.theirs
        return popcount((black | empty) & first_cells(position.rows, position.columns))
    centre = bit(position.rows // 2 * position.columns + position.columns // 2)
    around = neighbours(empty if empty != NONE else centre, position.columns)
    return popcount(around & (position.mine | position.theirs))


def reason(position: Konane) -> str:
    """Return why a finished game ended."""
    return "no move"


def variant(size: tuple[int, int] | None, rules: Mapping[str, str]) -> Variant:
    """Return Konane on a board of *size* rows and columns, 8x8 unless told; it has no switches."""
    check_rules("konane", rules, {})
    rows, columns = size or (8, 8)
    if not _playable(rows, columns):
        raise BadOption(
            f"konane has no board of size {rows}x{columns}; it has squares of even side 4 to 14, "
            f"and other boards of 2 to {LONGEST} rows and columns with at most {CELLS} cells"
        )
    first = start(rows, columns) if rows * columns <= CELLS else konane_large.start(rows, columns)
    return Variant(
        title="Konane",
        first=first,
        board=board(rows, columns),
        size=(rows, columns),
        colours=("black", "white"),
        part_names=("from", "to"),
        part_sizes=(rows * columns, rows * columns),
        conventions=Conventions(repetition=None, ply_limit=rows * columns),
        sizes="even squares 4x4 to 14x14; other boards up to 64 cells",
    )


def _playable(rows: int, columns: int) -> bool:
    if rows == columns and rows % 2 == 0:
        return 4 <= rows <= 14
    return min(rows, columns) >= 2 and max(rows, columns) <= LONGEST and rows * columns <= CELLS
