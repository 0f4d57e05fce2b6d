"""The transposition table: what a search found where, and when that answers a later question."""

from __future__ import annotations

import numpy as np

from understudy.games.bits import Mask
from understudy.kernels import kernel
from understudy.search.desk import AT_LEAST, AT_MOST, DEEPER, EXACT, GENERATION, NO_MOVE, TABLE_BITS, Desk, Table
from understudy.search.leaves import PROVEN

LAST_ENTRY = np.uint64((1 << TABLE_BITS) - 1)


@kernel
def remembered(
    name: Mask, depth: int, alpha: float, beta: float, height: int, desk: Desk, table: Table
) -> tuple[int, float, bool]:
    """Return the table's move, its value, and whether that value answers the question."""
    entry, tally = table[name & LAST_ENTRY], desk.tally
    if entry.key != name or entry.generation != tally[GENERATION]:
        return NO_MOVE, 0.0, False
    known = _nearer(entry.value, height)
    deep = entry.depth == depth or (tally[DEEPER] != 0 and entry.depth > depth)
    exact = entry.bound == EXACT or (entry.bound == AT_LEAST and known >= beta)
    return int(entry.move), known, deep and (exact or (entry.bound == AT_MOST and known <= alpha))


@kernel
def remember(
    name: Mask,
    depth: int,
    value: float,
    alpha: float,
    beta: float,
    move: int,
    height: int,
    generation: int,
    table: Table,
) -> None:
    """Store a result unless a deeper one of the same search is in its place."""
    entry = table[name & LAST_ENTRY]
    if entry.generation == generation and entry.depth > depth and entry.key != name:
        return
    entry.key = name
    entry.generation = generation
    entry.value = _farther(value, height)
    entry.move = move
    entry.depth = depth
    entry.bound = AT_LEAST if value >= beta else AT_MOST if value <= alpha else EXACT


@kernel
def _farther(value: float, height: int) -> float:
    """Return *value* counted from its own position: a proven win is nearer there than from the root."""
    return value + height if value > PROVEN else value - height if value < -PROVEN else value


@kernel
def _nearer(value: float, height: int) -> float:
    """Return a stored value counted from the root again."""
    return value - height if value > PROVEN else value + height if value < -PROVEN else value
