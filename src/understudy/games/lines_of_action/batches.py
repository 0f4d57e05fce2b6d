"""Many positions of Lines of Action at once: keys, images, keys that all images share, and which are finished."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import sent_rows
from understudy.games.kind import ONGOING
from understudy.games.lines_of_action.notation import SYMMETRIES, LinesOfAction
from understudy.games.lines_of_action.rules import count, outcome
from understudy.kernels import kernel


def keys(batch: Any) -> NDArray[np.uint64]:
    """Return the key of each position, as the rules give it."""
    return _mixed(_mixed(np.asarray(batch.mine)) ^ np.asarray(batch.theirs))


def permute(batch: Any, permutation: NDArray[np.int64]) -> Any:
    """Return boards with each stone moved to where *permutation* sends it."""
    return batch._replace(mine=sent_rows(batch.mine, permutation), theirs=sent_rows(batch.theirs, permutation))


def groups(batch: Any) -> list[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Return the symmetries of each size of board, with the rows that have it."""
    return [(SYMMETRIES[rows], np.asarray(batch.size) == rows) for rows in np.unique(batch.size).tolist()]


def images(batch: Any) -> list[Any]:
    """Return the batch under each of the eight symmetries of its board, identity first."""
    permutations = SYMMETRIES[int(batch.size[0])] if len(batch.size) else [np.arange(64)] * 8
    return [permute(batch, permutation) for permutation in permutations]


def orbit_keys(batch: Any) -> NDArray[np.uint64]:
    """Return a number for each position, equal for all its images: the least of their keys."""
    least: NDArray[np.uint64] = np.min([keys(image) for image in images(batch)], axis=0)
    return least


def finished(batch: Any) -> NDArray[np.bool_]:
    """Tell of each position whether the game is over there."""
    out = np.zeros(len(batch.mine), np.bool_)
    _finished(batch, out)
    return out


@kernel
def _finished(batch: Any, out: NDArray[np.bool_]) -> None:
    for i in range(len(out)):
        position = LinesOfAction(batch.mine[i], batch.theirs[i], batch.size[i], batch.switches[i], batch.ply[i])
        out[i] = outcome(position, count(position)) != ONGOING


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return `bits.mixed` of each word."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
