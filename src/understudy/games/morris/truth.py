"""What every move of an endgame of Morris is truly worth: by tables that `understudy solve morris` makes.

They know endgames without stones in hand. For exams positions are drawn in which it matters what is chosen. A tenth of
all classes is kept for exams: whoever learns from endgames drawn to learn from has seen none of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.batches import joined, stacked, taken, unstacked
from understudy.games.morris.notation import FLYING, Morris
from understudy.games.morris.solving.spaces import Stones, read_stones
from understudy.games.morris.solving.tables import Moves, Tables, group, shared_tables
from understudy.games.morris.solving.verifying import positions_at
from understudy.protocols import Move
from understudy.solve import Truths, Worth

EXAMS = 10
"""One in so many classes is for exams alone."""
ROUNDS = 400
"""Chunks of random positions of a space that are looked at before there are too few in which it matters."""
CHUNK = 20_000
USUAL = "usual"


def find_tables(folder: str = "") -> Tables:
    """Return the tables of a folder, of the usual one if it is not named."""
    return shared_tables("" if folder == USUAL else folder)


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
    """Return positions kept for exams in which it matters what is chosen, as many of each endgame, or of one alone."""
    found = find_tables(tables)
    spaces = [read_stones(stones)] if stones else found.every()
    if not spaces:
        raise BadOption(f"the truth of morris is not known: {found.explain_missing((FLYING, FLYING))}")
    rng = np.random.default_rng(seed)
    shares = [count // len(spaces) + (place < count % len(spaces)) for place in range(len(spaces))]
    return [one for space, share in zip(spaces, shares, strict=True) for one in _draw(found, space, share, rng)]


def _draw(tables: Tables, stones: Stones, count: int, rng: np.random.Generator, *, exam: bool = True) -> list[Morris]:
    """Return positions of a space in which it matters what is chosen; fewer if they are rare."""
    places, parts = len(tables.plies(stones)), list[Any]()
    for _ in range(ROUNDS):
        drawn = rng.integers(places, size=CHUNK)
        batch = positions_at(stones, drawn[is_for_exams(drawn) == exam])
        truths = _read(tables.weigh(batch))
        parts.append(taken(batch, truths.matters))
        if sum(len(part.mine) for part in parts) >= count:
            break
    return unstacked(taken(joined(parts), slice(0, count)))


def is_for_exams(places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which places of a space are kept for exams."""
    words: NDArray[np.uint64] = places.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # as far apart as can be
    kept: NDArray[np.bool_] = (words >> np.uint64(32)) % np.uint64(EXAMS) == np.uint64(0)
    return kept


def draw_endgame(rng: np.random.Generator) -> Morris:
    """Return an endgame to learn from in which it matters what is chosen; none of those kept for exams."""
    found = find_tables()
    spaces = found.every()
    if not spaces:
        raise BadOption(f"there are no endgames to start from: {found.explain_missing((FLYING, FLYING))}")
    return _draw(found, spaces[rng.integers(len(spaces))], 1, rng, exam=False)[0]
