"""Many positions at once: a batch is the game's own NamedTuple with an array in every field.

What is said of one position can so be said of a million without a loop: the fields keep their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.rules import sealed

NO_MOVE = -1
"""Stands for the move of a position in which nobody moved."""

OPEN = -1
"""Stands for a part of a move that is not chosen yet."""


def stacked(positions: Sequence[Any]) -> Any:
    """Return the batch of one or more positions of one type."""
    return type(positions[0])(*(np.asarray(field) for field in zip(*positions, strict=True)))


def unstacked(batch: Any) -> list[Any]:
    """Return the positions of a batch one by one, as kernels take them."""
    rows = zip(*(field.tolist() for field in batch), strict=True)
    return [sealed(type(batch)(*row)) for row in rows]


def taken(batch: Any, index: Any) -> Any:
    """Return the rows of a batch that *index* names: numbers, a mask or a slice."""
    return type(batch)(*(field[index] for field in batch))


def joined(batches: Sequence[Any]) -> Any:
    """Return one batch of all rows, in order."""
    return type(batches[0])(*(np.concatenate(fields) for fields in zip(*batches, strict=True)))


def size(batch: Any) -> int:
    """Return how many positions a batch holds."""
    return len(batch[0])


def sent_rows(masks: NDArray[np.uint64], permutation: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return every mask with each bit moved to where *permutation* sends it."""
    result = np.zeros_like(masks)
    one = np.uint64(1)
    for origin, target in enumerate(permutation):
        result |= ((masks >> np.uint64(origin)) & one) << np.uint64(target)
    return result


def unknown(found: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return where each name stands first, in order, of those that are not known."""
    _, places = np.unique(found, return_index=True)
    return np.sort(places[~np.isin(found[places], known)])
