"""Evaluators for Lines of Action: the heuristic of ALoA, and counts of quads.

Both are differences, own minus enemy, so each side sees the other's value with its sign changed. The terms follow
Miller (2010), whose list follows Winands; the weights are ours, found by play.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import Mask, popcount
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.games.lines_of_action.rules import advances
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
"""Times a byte, it has bit r of the byte as the lowest bit of row r."""
# By bit of their number, the columns and the rows in which it is set: so coordinates are added up by counting bits.
_COLUMN_BITS = (np.uint64(0xAAAAAAAAAAAAAAAA), np.uint64(0xCCCCCCCCCCCCCCCC), np.uint64(0xF0F0F0F0F0F0F0F0))
_ROW_BITS = (np.uint64(0xFF00FF00FF00FF00), np.uint64(0xFFFF0000FFFF0000), np.uint64(0xFFFFFFFF00000000))

REACH = 2
"""A window is near a centre of mass if its middle is at most this far from it, in columns and in rows. Chosen by
hand: the source says only "near"."""


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


# The weights of `aloa` are ours, chosen by matches of 1500 games at three plies: distance alone decides, edge and quads
# are not shown to help and stay because Miller has them, mobility helps but costs four times the time, so it is off.
# The weights of `quads` are minus the Euler number, groups less holes: (Q1 - Q3 - 2 Qd) / 4. Scales were fitted to the
# results of self-play at three plies. All of it: docs/games/lines_of_action.md, "Evaluators".
EVALUATORS: dict[str, NamedTuple] = {
    "aloa": Aloa(centrality=1.0, edge=0.02, quads=0.02, mobility=0.0, scale=1.3),
    "quads": Quads(weights=np.array([0.0, -0.25, 0.0, 0.25, 0.0, 0.5]), scale=12.4),
}
