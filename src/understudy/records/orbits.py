"""Positions that are the same up to symmetry, in any game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import unstacked
from understudy.records.store import Records


def orbit_names(game: CompiledGame, positions: Any) -> NDArray[np.uint64]:
    """Return a number for each position of a batch, equal for all its images."""
    if orbit_keys := game.at_once("orbit_keys"):
        names: NDArray[np.uint64] = orbit_keys(positions)
        return names
    return np.array([_name(game, position) for position in unstacked(positions)], np.uint64)


def distinct(records: Records) -> Records:
    """Return the records without those whose position, or an image of it, came before."""
    _, first = np.unique(orbit_names(records.game, records.positions), return_index=True)
    return records.taken(np.sort(first))


def _name(game: CompiledGame, position: Any) -> int:
    notation = game.notation
    return min(game.key(notation.permuted(position, permutation)) for permutation in notation.symmetries(position))
