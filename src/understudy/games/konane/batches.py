"""Many boards of Konane at once: names by which equal and symmetric ones are found, and images."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import joined, sent_rows
from understudy.games.konane.notation import symmetries

ONE = np.uint64(1)


def names(batch: Any) -> NDArray[np.uint64]:
    """Return a number for each position, the same where the same stones stand and the same side is to move."""
    return _named(np.asarray(batch.mine | batch.theirs), batch)


def class_names(first: Any, batch: Any) -> NDArray[np.uint64]:
    """Return a number for each position, the same for its images; *first* is any position of the board."""
    stones = np.asarray(batch.mine | batch.theirs)
    images = [sent_rows(stones, permutation) for permutation in symmetries(first)]
    return _named(np.min(images, axis=0), batch)


def unknown(found: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return where each name stands first, in order, of those that are not known."""
    _, places = np.unique(found, return_index=True)
    return np.sort(places[~np.isin(found[places], known)])


def images(first: Any, batch: Any) -> Any:
    """Return every position in all its images, image after image."""
    turned = [
        batch._replace(mine=sent_rows(batch.mine, permutation), theirs=sent_rows(batch.theirs, permutation))
        for permutation in symmetries(first)
    ]
    return joined(turned)


def _named(stones: NDArray[np.uint64], batch: Any) -> NDArray[np.uint64]:
    return (stones << ONE) | (np.asarray(batch.ply) & 1).astype(np.uint64)
