"""Tables of positions as examples: what is learned from, what is held out, and how a network sees it.

Whether a position is held out is decided by its class of images and the seed alone, so it is the same for a table
after a thousand games and for the same table after ten thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from understudy.games.batches import size, taken
from understudy.games.boards import SCRATCH
from understudy.records.orbits import orbit_names
from understudy.records.tables import Tabled
from understudy.trainers.values import Valued


class Examples(NamedTuple):
    """Positions with what they are worth to who has just moved."""

    turned: Sequence[Any]
    """The batch of positions in each of its images, as it stands first."""
    values: NDArray[np.float32]
    visits: NDArray[np.int64]
    finished: NDArray[np.bool_]


class Sight(NamedTuple):
    """How a network sees boards."""

    boards: ModuleType
    """The encoders of a game."""
    representation: str
    size: tuple[int, int]

    @property
    def number(self) -> int:
        """The number of the representation."""
        return int(self.boards.find_representation(self.representation, *self.size))

    @property
    def inputs(self) -> int:
        """How many inputs a board has."""
        return int(self.boards.input_count(self.number, *self.size))


def split(table: Tabled, *, held_out: float, finished: bool, visits: int, seed: int) -> tuple[Examples, Examples]:
    """Return what is learned from and what is held out; images of one position are on the same side."""
    over = table.game.batches.finished(table.positions)
    kept = (table.visits >= visits) & (finished | ~over)
    apart = _drawn(orbit_names(table.game, table.positions), seed) < held_out
    return _some(table, over, kept & ~apart), _some(table, over, kept & apart)


def valued(examples: Examples, sight: Sight, *, images: Sequence[int] | None = None) -> Valued:
    """Return examples as a network sees them; with *images*, a seed, each in one of its images by chance."""
    positions = examples.turned[0]
    if images is not None:
        rows = np.arange(size(positions))
        chosen = np.random.default_rng([*images, 0x17A6E]).integers(len(examples.turned), size=len(rows))
        mine, theirs = (np.stack([getattr(batch, side) for batch in examples.turned]) for side in ("mine", "theirs"))
        positions = positions._replace(mine=mine[chosen, rows], theirs=theirs[chosen, rows])
    inputs = np.zeros((size(positions), sight.inputs), np.float32)
    sight.boards.encode_boards(sight.number, positions, np.zeros(SCRATCH, np.int32), inputs)
    return Valued(torch.from_numpy(inputs), torch.from_numpy(examples.values))


def _some(table: Tabled, over: NDArray[np.bool_], rows: NDArray[np.bool_]) -> Examples:
    positions = taken(table.positions, rows)
    return Examples(
        table.game.batches.images(positions), table.values[rows].astype(np.float32), table.visits[rows], over[rows]
    )


def _drawn(names: NDArray[np.uint64], seed: int) -> NDArray[np.float64]:
    """Return a number from 0 to 1 for each name, as good as drawn by chance, the same for the same name and seed."""
    words = (names ^ np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    return (words ^ (words >> np.uint64(29))).astype(np.float64) / 2.0**64
