"""Many texts at once: their bytes one after another, and where each begins, as Arrow keeps columns of strings.

So a kernel can read or write a million texts, and none of them becomes an object of Python on the way.
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
