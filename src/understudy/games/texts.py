"""Many texts at once: their bytes one after another, and where each begins, as Arrow keeps columns of strings.

So a kernel can read or write a million texts, and none of them becomes an object of Python on the way. Texts of one
width are a matrix of characters, for which NumPy is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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
