"""What every move of an endgame of Morris is truly worth: by tables that `understudy solve morris` makes.

They know endgames without stones in hand. For exams positions are drawn in which it matters what is chosen. A tenth of
all classes is kept for exams: whoever learns from endgames drawn to learn from has seen none of them.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.batches import stacked, taken, unstacked
from understudy.games.morris.notation import FLYING, Morris
from understudy.games.morris.solving.spaces import Stones, read_stones
from understudy.games.morris.solving.tables import Moves, Tables, find_tables, group, shared_tables
from understudy.games.morris.solving.verifying import positions_at
from understudy.protocols import Move
from understudy.solve import Truths, Worth

EXAMS = 10
"""One in so many classes is for exams alone."""
ENOUGH = 24_000
"""Positions of an endgame in which it matters: more are looked for only if very many are asked."""
CHUNK = 100_000
"""Random places that are looked at together."""
ROUNDS = {True: 40, False: 10}
"""So many times, for exams and to learn from: in 4v4 it matters in one of seven thousand positions. Chosen so that all
endgames up to 5v5 take some ten seconds."""


def know(position: Morris, tables: str = "") -> dict[Move, Worth]:
    """Return what every legal move is truly worth; refused where no table knows it."""
    return weigh(stacked([position]), tables).of(0)


def weigh(batch: Any, tables: str = "") -> Truths:
    """Return what every move of each position of a batch is worth; refused where no table knows it."""
    unknown = np.flatnonzero(~knows(batch, tables))
    if len(unknown):
        raise BadOption(_explain(unstacked(taken(batch, unknown[:1]))[0], find_tables(tables)))
    return _read(find_tables(tables).weigh(batch))


def _read(told: Moves) -> Truths:
    """Return plies of the positions after moves as worths of these moves."""
    values = np.where(told.plies & 1, 1, np.where(told.plies > 0, -1, 0)).astype(np.int8)
    return Truths(told.first, told.moves, values, np.where(told.plies > 0, told.plies, -1))


def _explain(position: Morris, tables: Tables) -> str:
    """Return why nobody knows a position."""
    if position.hand or position.their_hand:
        return "the truth of morris is known in endgames, when no stones are in hand"
    stones = int(position.mine).bit_count(), int(position.theirs).bit_count()
    return f"the truth of this position is not known: {tables.explain_missing(stones)}"


def knows(batch: Any, tables: str = "") -> NDArray[np.bool_]:
    """Tell of which positions of a batch the truth is known."""
    known, found = np.zeros(len(batch.mine), np.bool_), find_tables(tables)
    for stones, rows in group(batch):
        known[rows] = found.has(stones) and found.has(stones[::-1])
    return known


def name_spaces(batch: Any) -> NDArray[Any]:
    """Return which endgame each position is, such as 4v3."""
    mine, theirs = (np.bitwise_count(side).astype(np.int64) for side in (batch.mine, batch.theirs))
    return np.array([f"{a}v{b}" for a, b in zip(mine.tolist(), theirs.tolist(), strict=True)])


def draw(game: CompiledGame, count: int, seed: int, *, stones: str = "", tables: str = "") -> list[Morris]:
    """Return positions kept for exams in which it matters what is chosen, as many of each endgame as there are."""
    pools = _list_pools(tables, exam=True, stones=stones, enough=ENOUGH * (1 + count // (2 * ENOUGH)))
    rng, positions = np.random.default_rng(seed), list[Morris]()
    for (space, places), share in zip(pools, _share_out(count, [len(places) for _, places in pools]), strict=True):
        positions += unstacked(positions_at(space, np.sort(rng.permutation(places)[:share])))
    return positions


def draw_endgame(rng: np.random.Generator) -> Morris:
    """Return an endgame to learn from in which it matters what is chosen; none of those kept for exams."""
    pools = _list_pools("", exam=False)
    number = int(rng.integers(sum(len(places) for _, places in pools)))
    pool = 0
    while number >= len(pools[pool][1]):
        number, pool = number - len(pools[pool][1]), pool + 1
    space, places = pools[pool]
    drawn: Morris = unstacked(positions_at(space, places[number : number + 1]))[0]
    return drawn


def _list_pools(
    tables: str, *, exam: bool, stones: str = "", enough: int = ENOUGH
) -> list[tuple[Stones, NDArray[np.int64]]]:
    """Return places of every solved endgame, or of one, in which it matters what is chosen."""
    found = find_tables(tables)
    spaces = [read_stones(stones)] if stones else found.every()
    if not spaces:
        raise BadOption(f"the truth of morris is not known: {found.explain_missing((FLYING, FLYING))}")
    for space in spaces:
        found.values(space)  # which says so where there is no table
    with _looking:
        return [(space, _find_critical(str(found.folder), space, exam, enough)) for space in spaces]


_looking = threading.Lock()


@cache
def _find_critical(folder: str, stones: Stones, exam: bool, enough: int) -> NDArray[np.int64]:
    """Return random places of a space in which it matters what is chosen, *enough* unless they are rare."""
    tables, rng = shared_tables(folder), np.random.default_rng([exam, *stones])
    parts = [np.zeros(0, np.int64)]
    for _ in range(ROUNDS[exam]):
        drawn = np.unique(rng.integers(len(tables.plies(stones)), size=CHUNK))
        some = drawn[is_for_exams(drawn) == exam]
        parts.append(some[_read(tables.weigh(positions_at(stones, some))).matters])
        if sum(map(len, parts)) >= enough:
            break
    return rng.permutation(np.unique(np.concatenate(parts)))[:enough]


def _share_out(count: int, sizes: list[int]) -> list[int]:
    """Return how many of *count* each pool gives: as many as any other, or all that it has."""
    shares = [0] * len(sizes)
    for left, place in zip(range(len(sizes), 0, -1), np.argsort(sizes).tolist(), strict=True):
        shares[place] = min(sizes[place], (count - sum(shares)) // left)
    return shares


def is_for_exams(places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which places of a space are kept for exams."""
    words: NDArray[np.uint64] = places.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # neighbours go far apart
    kept: NDArray[np.bool_] = (words >> np.uint64(32)) % np.uint64(EXAMS) == np.uint64(0)
    return kept
