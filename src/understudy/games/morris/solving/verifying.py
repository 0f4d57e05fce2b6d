"""Tables of endgames verified by the rules: forwards, where they were made by looking back.

A position must be worth what its moves lead to: a win one ply longer than the shortest loss of the other side, else a
draw if there is one, else a loss one ply longer than the longest win. If that holds everywhere, every win and loss is
right by induction over its plies, and what is left is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.morris.notation import STONES, Morris
from understudy.games.morris.solving.spaces import Space, Stones, make_space, position
from understudy.games.morris.solving.tables import Moves, Tables
from understudy.kernels import kernel

CHUNK = 1 << 16
"""Positions that are looked at at once."""


def verify(tables: Tables, stones: Stones, count: int, *, seed: int = 0) -> int:
    """Return how many of *count* random positions of a space are not worth what their moves lead to."""
    places = np.random.default_rng(seed).integers(len(tables.plies(stones)), size=count)
    return sum(_count_wrong(tables, stones, places[start : start + CHUNK]) for start in range(0, count, CHUNK))


def _count_wrong(tables: Tables, stones: Stones, places: NDArray[np.int64]) -> int:
    expected = np.zeros(len(places), np.int64)
    _derive(tables.weigh(positions_at(stones, places)), expected)
    return int((expected != tables.plies(stones)[places]).sum())


def positions_at(stones: Stones, places: NDArray[np.int64]) -> Any:
    """Return the positions at places of a space as a batch, as late in a game as all stones are on the board."""
    mine, theirs = np.zeros(len(places), np.uint64), np.zeros(len(places), np.uint64)
    _place_stones(make_space(stones), stones[1], places, mine, theirs)
    nobody = np.zeros(len(places), np.int64)
    return Morris(mine, theirs, nobody, nobody, np.full(len(places), 2 * STONES))  # type: ignore[arg-type]


@kernel
def _place_stones(
    space: Space, theirs: int, places: NDArray[np.int64], mine: NDArray[np.uint64], others: NDArray[np.uint64]
) -> None:
    for row in range(len(places)):
        mine[row], others[row], _ = position(space, theirs, places[row])


@kernel
def _derive(told: Moves, out: NDArray[np.int64]) -> None:
    """Write what positions are worth by what their moves lead to; -1 where that is not known."""
    for row in range(len(out)):
        lost, won, drawn = 0, 0, False
        out[row] = 1
        for at in range(told.first[row], told.first[row + 1]):
            plies = told.plies[at]
            if plies < 0:
                out[row] = -1
            elif plies == 0:
                drawn = True
            elif plies & 1:
                lost = plies if lost == 0 else min(lost, plies)
            else:
                won = max(won, plies)
        if out[row] > 0:
            out[row] = lost + 1 if lost else 0 if drawn else won + 1
