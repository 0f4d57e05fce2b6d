"""What networks see of Lines of Action: the focused heuristics of Miller (2010, chapter III).

Networks inside the search choose their inputs by name. Most are sums over stones, rows with a weight for each feature
(`LINEAR`); quads, distances, mobility and threats are numbers that a kernel counts, about my stones and about theirs
(`NUMBERS`). Students that value boards see them whole, relative to the side that judges (`REPRESENTATIONS`): these
functions have the names and forms of those for Konane, so that whoever values boards need not know the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.lines_of_action.evaluators import edge_stones, mean_distance, quad_counts, solid_quads
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.games.lines_of_action.rules import advances, connected, spread, targets
from understudy.kernels import kernel

# Numbers about a side that are no sums over its stones: bits that choose them, and how many each kind has.

QUADS, SHAPE, MOBILITY, THREATS, TURN = 1, 2, 4, 8, 16
COUNTED = {"quads": QUADS, "shape": SHAPE, "mobility": MOBILITY, "threats": THREATS, "turn": TURN}
COUNTED_WIDTHS = {QUADS: 6, SHAPE: 4, MOBILITY: 1, THREATS: 2, TURN: 1}
"""Six kinds of quads; distance, edge, solid quads and stones; one; to win now, to win next; one."""
MANY = 4
"""More threats than this are no more dangerous: one reply stops at most one or two. Chosen by hand."""
FEW_GROUPS = 4
"""With more groups than this no move is taken to connect them all: it would have to join five."""
_TENTH = np.float32(0.1)
_QUARTER = np.float32(0.25)
"""Factors that bring counts to about 1, where units of tanh tell them apart best. Chosen by hand."""

NONAD = (1.0, 0.8, 0.75)
"""Of a stone in a window of 3 x 3 cells, by its steps along rows and columns from the centre: Miller's (2010)."""

Rows = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Inputs that are sums over stones: [inputs, features], and what they are on an empty board."""


def _cells(size: int) -> list[int]:
    """Return the cells of a board as words stand on a page, from the upper left."""
    return [8 * row + column for row in range(size - 1, -1, -1) for column in range(size)]


def _shown(cells: Sequence[int], values: tuple[float, float, float]) -> Rows:
    """Return an input for each cell."""
    own, enemy, empty = values
    rows = np.zeros((len(cells), 128))
    rows[range(len(cells)), cells] = own - empty
    rows[range(len(cells)), [64 + cell for cell in cells]] = enemy - empty
    return rows, np.full(len(cells), empty)


def _lines(size: int) -> list[list[int]]:
    rows = [[8 * row + column for column in range(size)] for row in range(size - 1, -1, -1)]
    return rows + [[8 * row + column for row in range(size - 1, -1, -1)] for column in range(size)]


def _diagonals(size: int) -> list[list[int]]:
    """Return those from north-west to south-east, then the others, each kind in the order of its first cells."""
    lines: dict[tuple[int, int], list[int]] = {}
    for slope in (1, -1):
        for cell in _cells(size):
            lines.setdefault((slope, cell // 8 + slope * (cell % 8)), []).append(cell)
    return list(lines.values())


def _counts(lines: list[list[int]]) -> Rows:
    """Return an input for each line: how many stones of both sides are on it."""
    rows = np.zeros((len(lines), 128))
    for row, line in zip(rows, lines, strict=True):
        row[line] = row[[64 + cell for cell in line]] = 1.0
    return rows, np.zeros(len(lines))


def _sides(size: int, values: tuple[float, float, float]) -> Rows:
    """Return two boards, one that shows my stones alone and one that shows theirs."""
    cells = _cells(size)
    return np.eye(128)[[*cells, *(64 + cell for cell in cells)]], np.zeros(2 * len(cells))


def nonad_matrix(size: int) -> NDArray[np.float64]:
    """Return [nonads, 64]: times the own stones, as 64 zeros and ones, it gives the value of each 3 x 3 window.

    Nonads run row by row from the lower left; a stone counts 1 in the centre, 0.8 at a side, 0.75 in a corner.
    """
    weights = [[NONAD[abs(row) + abs(column)] for column in (-1, 0, 1)] for row in (-1, 0, 1)]
    matrix = np.zeros((size - 2, size - 2, 8, 8))
    for row in range(size - 2):
        for column in range(size - 2):
            matrix[row, column, row : row + 3, column : column + 3] = weights
    return matrix.reshape(-1, 64)


def _windows(size: int) -> NDArray[np.float64]:
    """Return the nonads from the upper left."""
    inner = size - 2
    return nonad_matrix(size).reshape(inner, inner, 64)[::-1].reshape(-1, 64)


def _nonads(size: int, values: tuple[float, float, float]) -> Rows:
    windows = _windows(size)
    return np.hstack([windows, np.zeros_like(windows)]), np.zeros(len(windows))


def _enemy_nonads(size: int, values: tuple[float, float, float]) -> Rows:
    windows = _windows(size)
    return np.hstack([np.zeros_like(windows), windows]), np.zeros(len(windows))


LINEAR: dict[str, Callable[[int, tuple[float, float, float]], Rows]] = {
    "board": lambda size, values: _shown(_cells(size), values),
    "lines": lambda size, values: _shown([cell for line in _lines(size) for cell in line], values),
    "line_counts": lambda size, values: _counts(_lines(size)),
    "diagonals": lambda size, values: _shown([cell for line in _diagonals(size) for cell in line], values),
    "diagonal_counts": lambda size, values: _counts(_diagonals(size)),
    "nonads": _nonads,
    "enemy_nonads": _enemy_nonads,
    "sides": _sides,
}
"""Inputs that are sums over stones."""

GRIDS = {"board": 1, "nonads": 1, "enemy_nonads": 1, "sides": 2}
"""Inputs of which each is a place on a square grid, row by row from the upper left, and on how many grids they lie."""

NUMBERS = {
    "quads": ("quads", (0,)),
    "enemy_quads": ("quads", (1,)),
    "shape": ("shape", (0, 1)),
    "mobility": ("mobility", (0, 1)),
    "threats": ("threats", (0, 1)),
    "turn": ("turn", (0,)),
}
"""Inputs that are counted: which numbers, and about which sides (0: mine)."""


@cache
def turns(size: int) -> list[NDArray[np.int64]]:
    """Return the eight symmetries of the board as rearrangements of the features."""
    cells = np.arange(64).reshape(8, 8)
    turns = []
    for flipped in (False, True):
        for quarter in range(4):
            board = cells[:size, :size].T if flipped else cells[:size, :size]
            turned = cells.copy()
            turned[:size, :size] = np.rot90(board, quarter)
            turns.append(np.concatenate([turned.reshape(-1), 64 + turned.reshape(-1)]))
    return turns


@kernel
def count_all(
    mine: NDArray[np.uint64], theirs: NDArray[np.uint64], size: int, kinds: int, out: NDArray[np.float32]
) -> None:
    """Write the counted numbers of many positions."""
    for row in range(mine.shape[0]):
        counted(LinesOfAction(mine[row], theirs[row], size, 0, 0), kinds, out[row])


@kernel
def counted(position: LinesOfAction, kinds: int, out: NDArray[np.float32]) -> int:
    """Write the chosen kinds of numbers about my stones, then about theirs; return how many for each side."""
    half = _counted_side(position.mine, position.theirs, position.size, kinds, True, out)
    return _counted_side(position.theirs, position.mine, position.size, kinds, False, out[half:])


@kernel
def _counted_side(mine: Mask, theirs: Mask, size: int, kinds: int, moving: bool, out: NDArray[np.float32]) -> int:
    total = 0
    if kinds & QUADS:
        for count in quad_counts(mine, size):
            out[total] = np.float32(count) * _TENTH
            total += 1
    if kinds & SHAPE:
        out[total] = np.float32(mean_distance(mine)) * _QUARTER
        out[total + 1] = np.float32(edge_stones(mine, size)) * _TENTH
        out[total + 2] = np.float32(solid_quads(mine)) * _TENTH
        out[total + 3] = np.float32(popcount(mine)) * _TENTH
        total += 4
    if kinds & MOBILITY:
        out[total] = np.float32(advances(mine, theirs, size)) * _TENTH * _QUARTER
        total += 1
    if kinds & THREATS:  # to connect with this move wins; to threaten it may be answered
        connecting = min(threats(mine, theirs, size), MANY)
        out[total] = np.float32(1.0 if moving and connecting > 0 else 0.0)
        out[total + 1] = np.float32(0 if moving else connecting) * _QUARTER
        total += 2
    if kinds & TURN:
        out[total] = np.float32(1.0 if moving else 0.0)
        total += 1
    return total


@kernel
def threats(mine: Mask, theirs: Mask, size: int) -> int:
    """Return how many moves of the stones *mine* would connect them."""
    if groups(mine) > FEW_GROUPS:
        return 0
    total, origins = 0, mine
    while origins != NONE:
        origin = lowest(origins)
        origins = rest(origins)
        ends, others = targets(origin, mine, theirs, size), mine & ~bit(origin)
        while ends != NONE:
            if connected(others | bit(lowest(ends))):
                total += 1
            ends = rest(ends)
    return total


@kernel
def groups(stones: Mask) -> int:
    """Return how many groups the stones form, counting no further than one more than a few."""
    total = 0
    while stones != NONE and total <= FEW_GROUPS:
        group = stones ^ rest(stones)
        grown = spread(group) & stones
        while grown != group:
            group = grown
            grown = spread(group) & stones
        stones &= ~group
        total += 1
    return total


REPRESENTATIONS = ("board", "nonads")
"""board: a cell is 1 (own stone), -1 (enemy's) or 0. nonads: as board, then for each window of 3 x 3 cells the own
stones in it, 1 in the centre, 0.8 at a side, 0.75 in a corner. Both run row by row from the lower left."""

BOARD, NONADS = range(2)

_WEIGHTS = np.array(NONAD, np.float32)


def find_representation(name: str, rows: int, columns: int) -> int:
    """Return the number of the representation called *name*."""
    if name not in REPRESENTATIONS:
        raise UnknownName("representation of lines_of_action", name, REPRESENTATIONS)
    return REPRESENTATIONS.index(name)


@kernel
def input_count(representation: int, rows: int, columns: int) -> int:
    """Return how many inputs a board has."""
    return rows * columns + (0 if representation == BOARD else (rows - 2) * (columns - 2))


@kernel
def input_width(representation: int, position: Any) -> int:
    """Return how many inputs the board of a position has."""
    return input_count(representation, position.size, position.size)


@kernel
def encode(representation: int, position: Any, side: int, scratch: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Write the inputs of *position* as *side* sees it: 0 the side to move, 1 the other."""
    own, enemy = (position.mine, position.theirs) if side == 0 else (position.theirs, position.mine)
    for i in range(input_count(representation, position.size, position.size)):
        out[i] = 0.0
    _mark(own, position.size, 1.0, out)
    _mark(enemy, position.size, -1.0, out)
    if representation == NONADS:
        _mark_nonads(own, position.size, out[position.size * position.size :])


@kernel
def _mark(stones: Mask, size: int, number: float, out: NDArray[np.float32]) -> None:
    while stones != NONE:
        cell = lowest(stones)
        out[(cell >> 3) * size + (cell & 7)] = number
        stones = rest(stones)


@kernel
def _mark_nonads(stones: Mask, size: int, out: NDArray[np.float32]) -> None:
    """Add each stone to the windows that hold it; a window is named by its lower left cell."""
    while stones != NONE:
        row, column = lowest(stones) >> 3, lowest(stones) & 7
        for low in range(max(row - 2, 0), min(row, size - 3) + 1):
            for left in range(max(column - 2, 0), min(column, size - 3) + 1):
                out[low * (size - 2) + left] += _WEIGHTS[abs(row - low - 1) + abs(column - left - 1)]
        stones = rest(stones)


@kernel
def encode_boards(representation: int, batch: Any, scratch: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Write the inputs of every board of a batch [boards, inputs] as the side sees it that is not to move."""
    for i in range(out.shape[0]):
        position = LinesOfAction(batch.mine[i], batch.theirs[i], batch.size[i], batch.switches[i], batch.ply[i])
        encode(representation, position, 1, scratch, out[i])
