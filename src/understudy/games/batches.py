"""Many positions at once: a batch is the game's own NamedTuple with an array in every field.

What is said of one position can so be said of a million without a loop: the fields keep their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

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


def occupied(masks: NDArray[np.uint64], cells: int) -> NDArray[np.int8]:
    """Return which of the first *cells* are in each mask [masks, cells]; masks [n], or [n, words] of large boards."""
    words = np.ascontiguousarray(masks if masks.ndim > 1 else masks[:, None], "<u8")
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=cells).view(np.int8)


def unknown(found: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return where each name stands first, in order, of those that are not known."""
    _, places = np.unique(found, return_index=True)
    return np.sort(places[~np.isin(found[places], known)])


class Texts(NamedTuple):
    """Texts in UTF-8; text *i* is `letters[offsets[i] : offsets[i + 1]]`."""

    letters: NDArray[np.uint8]
    offsets: NDArray[np.int64]


class Characters(NamedTuple):
    """Texts as a matrix of characters, filled up with zeros, and how long each is."""

    rows: NDArray[np.uint8]
    lengths: NDArray[np.int64]


def cut_out(data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64], width: int) -> Characters:
    """Return the texts in *data* that begin at *starts*; no more than *width* characters of each."""
    places = np.arange(width)
    inside = places < lengths[:, None]
    index = np.where(inside, starts[:, None] + places, 0)
    rows = data[index] if len(data) else np.zeros(index.shape, np.uint8)
    return Characters(np.where(inside, rows, 0).astype(np.uint8), lengths)


def gathered(texts: Sequence[str]) -> Texts:
    """Return a sequence of texts as one buffer."""
    rows = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return Texts(np.frombuffer(b"".join(rows), np.uint8), offsets)


def parted(texts: Texts) -> list[str]:
    """Return the texts of a buffer one by one."""
    letters, ends = texts.letters.tobytes(), texts.offsets.tolist()
    return [letters[a:b].decode("utf-8", "replace") for a, b in pairwise(ends)]
