"""Every placement of 4x4 solved by looking back from the ends: who wins, and in how many plies.

A placement is the mover's stones and the others', one to four each, packed into sixteen cells. Worths count plies:
n + 1 if the mover wins in n, -(n + 1) if it loses in n, 0 for a draw; endless play is a draw. Every round decides what
ends one ply later than what the round before has decided, so when one decides nothing, all that is left is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask
from understudy.games.kind import ONGOING
from understudy.games.lines_of_action.notation import SYMMETRIES, LinesOfAction
from understudy.games.lines_of_action.rules import MOST_MOVES, count, moves, outcome, play
from understudy.kernels import kernel

SIDE = 4
"""Rows of the board. On 5x5 there are twelve thousand million placements instead of two million."""
MOST_STONES = 2 * SIDE - 4
"""Stones of a side at the start; captures only take away."""
FORBIDDEN = -128
"""The worth of two sides that share a cell: the least of eight bits, out of reach of any game."""
DRAWN = 127
"""While a table is made: the game is over here, and drawn; as far out of reach."""
_ROW = np.uint64((1 << SIDE) - 1)
_SIDE, _8 = np.uint64(SIDE), np.uint64(8)

PATTERNS = np.array([mask for mask in range(1 << SIDE * SIDE) if 1 <= mask.bit_count() <= MOST_STONES], np.uint64)
"""The cells that a side may hold, packed."""


def _rank_patterns() -> NDArray[np.int16]:
    ranks = np.full(1 << SIDE * SIDE, -1, np.int16)
    ranks[PATTERNS] = np.arange(len(PATTERNS))
    return ranks


def _turn_patterns() -> NDArray[np.int16]:
    """Return [symmetry, pattern] -> the pattern's image."""
    cells = [8 * row + column for row in range(SIDE) for column in range(SIDE)]
    turned = np.zeros((len(SYMMETRIES[SIDE]), len(PATTERNS)), np.int64)
    for symmetry, permutation in enumerate(SYMMETRIES[SIDE]):
        for cell, large in enumerate(cells):
            turned[symmetry] |= (PATTERNS.astype(np.int64) >> cell & 1) << cells.index(permutation[large])
    return RANKS[turned]


RANKS = _rank_patterns()
"""Where each pattern stands among them."""
IMAGES = _turn_patterns()
FIRST = IMAGES.min(axis=0) == np.arange(len(PATTERNS))
"""Whether a pattern comes before its images: only with such a pattern of the mover a placement is looked at."""

SHARED = int(((PATTERNS[:, None] & PATTERNS) != 0).sum())
"""Pairs of patterns that share a cell, and so are no placement."""

Worths = NDArray[np.int8]
"""[the mover's pattern, the others'] -> the worth."""


def make_worths() -> Worths:
    """Return a table of which nothing is known yet."""
    return np.zeros((len(PATTERNS), len(PATTERNS)), np.int8)


def read_worth(worths: Worths, position: LinesOfAction) -> tuple[int, int | None]:
    """Return 1, 0 or -1 if the side to move wins, draws or loses, and in how many plies."""
    worth = int(worths[place_of(position)])
    return (worth > 0) - (worth < 0), abs(worth) - 1 if worth else None


@kernel
def place_of(position: LinesOfAction) -> tuple[int, int]:
    """Return where a position stands in the table."""
    return int(RANKS[np.int64(_packed(position.mine))]), int(RANKS[np.int64(_packed(position.theirs))])


def solve(switches: int) -> Iterator[Worths]:
    """Look back from the ends until nothing changes; yield the table after every round, and when it is done."""
    worths, plies = make_worths(), 1
    begin(worths, switches)
    yield worths
    while settle(worths, switches, plies):
        plies += 1
        yield worths
    worths[worths == DRAWN] = 0
    yield worths


@kernel
def begin(worths: Worths, switches: int) -> None:
    """Write the worths of positions in which the game is over."""
    for mine in range(len(worths)):
        if not FIRST[mine]:
            continue
        for theirs in range(len(worths)):
            position = placed(mine, theirs, switches)
            result = outcome(position, count(position))
            if position.mine & position.theirs != NONE:
                _write(worths, mine, theirs, FORBIDDEN)
            elif result != ONGOING:
                _write(worths, mine, theirs, result if result != 0 else DRAWN)


@kernel
def settle(worths: Worths, switches: int, plies: int) -> int:
    """Decide what ends so many plies from now, all that ends earlier being decided; return how many positions did."""
    legal, total = np.zeros(MOST_MOVES, np.int32), 0
    for mine in range(len(worths)):
        if not FIRST[mine]:
            continue
        for theirs in range(len(worths)):
            if worths[mine, theirs] == 0:
                worth = _look(worths, placed(mine, theirs, switches), legal, plies)
                if worth != 0:
                    _write(worths, mine, theirs, worth)
                    total += 1
    return total


@kernel
def _write(worths: Worths, mine: int, theirs: int, worth: int) -> None:
    """Write the worth of a placement and of all its images."""
    for symmetry in range(len(IMAGES)):
        worths[IMAGES[symmetry, mine], IMAGES[symmetry, theirs]] = worth


@kernel
def _look(worths: Worths, position: LinesOfAction, legal: NDArray[np.int32], plies: int) -> int:
    """Return the worth of a position if it ends so many plies from now, else 0.

    What this round itself has written ends too late to count.
    """
    lost = True
    for i in range(moves(position, legal)):
        theirs = worths[place_of(play(position, legal[i]))]
        if theirs == -plies:
            return plies + 1
        lost = lost and 0 < theirs <= plies
    return -(plies + 1) if lost else 0


@kernel
def placed(mine: int, theirs: int, switches: int) -> LinesOfAction:
    """Return the position of two patterns; whose turn it is does not matter."""
    return LinesOfAction(_unpacked(PATTERNS[mine]), _unpacked(PATTERNS[theirs]), SIDE, switches, 0)


@kernel
def _packed(mask: Mask) -> Mask:
    """Return a mask of eight cells a row as one of four."""
    packed = NONE
    for row in range(SIDE):
        packed |= ((mask >> (_8 * np.uint64(row))) & _ROW) << (_SIDE * np.uint64(row))
    return packed


@kernel
def _unpacked(packed: Mask) -> Mask:
    """Return a mask of four cells a row as one of eight."""
    mask = NONE
    for row in range(SIDE):
        mask |= ((packed >> (_SIDE * np.uint64(row))) & _ROW) << (_8 * np.uint64(row))
    return mask
