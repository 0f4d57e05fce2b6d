"""Evaluators for Lines of Action: the heuristic of ALoA, and counts of quads.

Both are differences, own minus enemy, so each side sees the other's value with its sign changed. The terms follow
Miller (2010), whose list follows Winands; the weights are ours, found by play. Nonads, which only networks use, are
here too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.games.lines_of_action.rules import advances, connected, spread, targets
from understudy.kernels import kernel


class Aloa(NamedTuple):
    """Weights of the heuristic of ALoA (AFIT Lines of Action); each is good for its side."""

    centrality: float
    """For each king step that the mean distance between two own stones is shorter."""
    edge: float
    """For each own stone that is not on the edge of the board."""
    quads: float
    """For each window of 2 x 2 cells near the own centre of mass that holds three or four own stones."""
    mobility: float
    """For each move; costs time if it is not zero."""
    scale: float


class Quads(NamedTuple):
    """A weight for each of the six kinds of windows of 2 x 2 cells."""

    weights: NDArray[np.float64]
    """[6], in the order of `quad_counts`."""
    scale: float


@kernel
def aloa_value(evaluator: Aloa, position: LinesOfAction, own: bool) -> float:
    """Return the value for the side to move; who judges makes no difference."""
    mine, theirs, size = position.mine, position.theirs, position.size
    value = evaluator.centrality * (mean_distance(theirs) - mean_distance(mine))
    value += evaluator.edge * (edge_stones(theirs, size) - edge_stones(mine, size))
    value += evaluator.quads * (solid_quads(mine) - solid_quads(theirs))
    if evaluator.mobility != 0.0:
        value += evaluator.mobility * (advances(mine, theirs, size) - advances(theirs, mine, size))
    return value


@kernel
def quads_value(evaluator: Quads, position: LinesOfAction, own: bool) -> float:
    """Return the value for the side to move; who judges makes no difference."""
    mine, theirs = quad_counts(position.mine, position.size), quad_counts(position.theirs, position.size)
    value = 0.0
    for kind in range(6):
        value += evaluator.weights[kind] * (mine[kind] - theirs[kind])
    return value


# Distance: king steps are half of |dx + dy| + |dx - dy|, and a sum of such differences over all pairs of stones is the
# sum, over all cuts across the board, of how many stones are on one side times how many are on the other.


def _cut(slope: int, below: int) -> int:
    return sum(1 << 8 * row + column for row in range(8) for column in range(8) if row + slope * column < below)


CUTS = np.array([_cut(1, below) for below in range(1, 15)] + [_cut(-1, below) for below in range(-6, 8)], np.uint64)
"""The cells on one side of each of the 28 cuts between neighbouring diagonals."""


@kernel
def mean_distance(stones: Mask) -> float:
    """Return the mean distance in king steps between two different stones; 0 for a single one."""
    total, crossings = popcount(stones), 0
    for cut in range(28):
        before = popcount(stones & CUTS[cut])
        crossings += before * (total - before)
    return crossings / (total * (total - 1)) if total > 1 else 0.0


@kernel
def edge_stones(stones: Mask, size: int) -> int:
    """Return how many stones are on the edge of the board."""
    return popcount(stones & EDGES[size])


EDGES = np.array(
    [sum(1 << 8 * r + c for r in range(n) for c in range(n) if r in (0, n - 1) or c in (0, n - 1)) for n in range(9)],
    np.uint64,
)
"""[size]: the cells on the edge of the board."""

# Quads: a window is named by its lower left cell.

_1 = np.uint64(1)
_8 = np.uint64(8)
_9 = np.uint64(9)
_A = np.uint64(0x0101010101010101)
_ROW_1 = np.uint64(0xFF)
_NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)
_255 = np.uint64(255)
_FAN = np.uint64(0x0002040810204081)
_COLUMN_BITS = (np.uint64(0xAAAAAAAAAAAAAAAA), np.uint64(0xCCCCCCCCCCCCCCCC), np.uint64(0xF0F0F0F0F0F0F0F0))
_ROW_BITS = (np.uint64(0xFF00FF00FF00FF00), np.uint64(0xFFFF0000FFFF0000), np.uint64(0xFFFFFFFF00000000))

REACH = 2
"""A window is near a centre of mass if its middle is at most this far from it, in columns and in rows."""


def _near(stones: int, total: int) -> int:
    windows = [c for c in range(7) if abs((2 * c + 1) * stones - 2 * total) <= 2 * REACH * stones]
    return sum(1 << c for c in windows)


NEAR = np.array([[_near(stones, total) for total in range(85)] for stones in range(13)], np.uint8)
"""[stones, sum of their columns (or rows)]: a bit for each column (or row) of windows near the centre of mass."""


@kernel
def solid_quads(stones: Mask) -> int:
    """Return how many windows near the centre of mass of *stones* hold three or four of them."""
    southeast, north, northeast = (stones >> _1) & _NOT_H, stones >> _8, (stones >> _9) & _NOT_H
    below, above = stones & southeast, north & northeast
    solid = (below & (north | northeast)) | (above & (stones | southeast))
    total, columns, rows = popcount(stones), 0, 0
    for power in range(3):
        columns += popcount(stones & _COLUMN_BITS[power]) << power
        rows += popcount(stones & _ROW_BITS[power]) << power
    near = (np.uint64(NEAR[total, columns]) * _A) & (((np.uint64(NEAR[total, rows]) * _FAN) & _A) * _255)
    return popcount(solid & near)


@kernel
def quad_counts(stones: Mask, size: int) -> tuple[int, int, int, int, int, int]:
    """Return how many windows hold no stone, one, two side by side, three, four, two across; the border is empty.

    Windows with their lower left cell on the board are counted together; those over the left and the lower border,
    which have no such cell, hold the pairs along column a and along row 1.
    """
    southeast, north, northeast = (stones >> _1) & _NOT_H, stones >> _8, (stones >> _9) & _NOT_H
    below, above = stones & southeast, north & northeast
    one_below, one_above = stones ^ southeast, north ^ northeast
    three = popcount((below & one_above) | (above & one_below))
    four = popcount(below & above)
    across = popcount(one_below & one_above & ~(stones ^ northeast))
    side = (
        popcount((below | above) & ~(one_below | one_above))
        - four
        + popcount(one_below & one_above & (stones ^ northeast))
    )
    one = popcount(one_below ^ one_above) - three
    left, lower = stones & _A, stones & _ROW_1
    pairs = popcount(left & (left >> _8)) + popcount(lower & (lower >> _1))
    one += 2 * (popcount(left) + popcount(lower) - pairs) - popcount(left & lower)
    side += pairs
    return (size + 1) * (size + 1) - one - side - three - four - across, one, side, three, four, across


# Nonads.


def nonad_matrix(size: int) -> NDArray[np.float64]:
    """Return [nonads, 64]: times the own stones, as 64 zeros and ones, it gives the value of each 3 x 3 window.

    Nonads run row by row from the lower left; a stone counts 1 in the centre, 0.8 at a side, 0.75 in a corner.
    """
    weights = ((0.75, 0.8, 0.75), (0.8, 1.0, 0.8), (0.75, 0.8, 0.75))
    matrix = np.zeros((size - 2, size - 2, 8, 8))
    for row in range(size - 2):
        for column in range(size - 2):
            matrix[row, column, row : row + 3, column : column + 3] = weights
    return matrix.reshape(-1, 64)


# Numbers about a side that are no sums over its stones, for networks. They are scaled to be about 1.

QUADS, SHAPE, MOBILITY, THREATS, TURN = 1, 2, 4, 8, 16
COUNTED = {"quads": QUADS, "shape": SHAPE, "mobility": MOBILITY, "threats": THREATS, "turn": TURN}
COUNTED_WIDTHS = {QUADS: 6, SHAPE: 4, MOBILITY: 1, THREATS: 2, TURN: 1}
MANY = 4
"""More threats than this are no more dangerous."""
FEW_GROUPS = 4
"""With more groups than this no move is taken to connect them all: it would have to join five."""
_TENTH = np.float32(0.1)
_QUARTER = np.float32(0.25)


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
        found = min(threats(mine, theirs, size), MANY)
        out[total] = np.float32(1.0 if moving and found > 0 else 0.0)
        out[total + 1] = np.float32(0 if moving else found) * _QUARTER
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


EVALUATORS: dict[str, NamedTuple] = {
    "aloa": Aloa(centrality=1.0, edge=0.02, quads=0.02, mobility=0.0, scale=1.3),
    "quads": Quads(weights=np.array([0.0, -0.25, 0.0, 0.25, 0.0, 0.5]), scale=12.4),
}
