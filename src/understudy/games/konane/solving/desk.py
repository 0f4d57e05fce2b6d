"""What a solver writes on: the line of play it looks at, the moves not yet tried, and the images of the board.

One record of arrays, which compiled code passes as one pointer; it also keeps a search that was interrupted.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import Mask, sent
from understudy.games.konane.notation import colour_masks
from understudy.kernels import kernel

MOST_CELLS = 36
HEIGHTS = MOST_CELLS + 1
"""Every ply takes a stone away."""
MOST_MOVES = MOST_CELLS * 2
"""Into an empty cell at most one stone jumps from each side, and half the cells are of its colour."""

RECENT = 1 << 12
"""As much as the processor has next to it."""

IDLE = -1
"""The height when nothing is being searched."""

CHUNK_BITS = 9
CHUNKS = MOST_CELLS // CHUNK_BITS
_CHUNK = np.uint64((1 << CHUNK_BITS) - 1)
_SHIFT = np.uint64(CHUNK_BITS)
_1 = np.uint64(1)
_ALL = np.uint64((1 << 64) - 1)

Desk: TypeAlias = Any
"""A record of arrays (see LAYOUT)."""

LAYOUT = np.dtype(
    (
        np.record,
        [
            ("mine", np.uint64, (HEIGHTS,)),  # the line of play
            ("theirs", np.uint64, (HEIGHTS,)),
            ("key", np.uint64, (HEIGHTS,)),  # what the position is called in its table
            ("left", np.int64, (HEIGHTS,)),  # how many moves are not yet tried
            ("next_mine", np.uint64, (HEIGHTS, MOST_MOVES)),  # the positions after them
            ("next_theirs", np.uint64, (HEIGHTS, MOST_MOVES)),
            ("rank", np.int32, (HEIGHTS, MOST_MOVES)),  # the lowest is tried first
            ("recent", np.uint64, (RECENT,)),  # as the table, for positions of few stones: new ones replace old ones
            ("rows", np.int64),
            ("columns", np.int64),
            ("side", np.int64),  # who is to move at the root: 0 the first player
            ("height", np.int64),  # of the position to be looked at next, or IDLE
            ("nodes", np.int64),  # positions looked at so far
            ("entries", np.int64),  # places of the table in use
            (
                "images",
                np.uint64,
                (2, 8, CHUNKS, 1 << CHUNK_BITS),
            ),  # by side and symmetry, a part of the board each
            ("symmetries", np.int64),
            ("sided", np.uint64),  # 1 where no symmetry swaps the colours, so that a key must tell the side
        ],
    )
)


def make_desk(rows: int, columns: int) -> Desk:
    """Return the desk of a board."""
    desk: Desk = np.zeros(1, LAYOUT)[0]
    keeping, swapping = _symmetries(rows, columns)
    for side, permutations in enumerate((keeping, swapping or keeping)):
        for place, permutation in enumerate(permutations):
            desk["images"][side, place] = _image(permutation)
    desk["symmetries"], desk["sided"] = len(keeping), not swapping
    desk["rows"], desk["columns"], desk["height"] = rows, columns, IDLE
    return desk


@kernel
def canonical(desk: Desk, taken: Mask, side: int) -> Mask:
    """Return the key that all images of a position share.

    A symmetry that swaps the colours makes the second player's position one of the first player's, so on most boards
    a key need not tell the side.
    """
    least = _ALL
    for place in range(desk.symmetries):
        image, left = np.uint64(0), taken
        for chunk in range(CHUNKS):
            image |= desk.images[side, place, chunk, np.int64(left & _CHUNK)]
            left >>= _SHIFT
        least = min(least, image)
    return np.uint64((least << _1) | (desk.sided & np.uint64(side)))


def _symmetries(rows: int, columns: int) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return where each cell goes under the symmetries that keep the colours, and under those that swap them."""
    cells = np.arange(rows * columns).reshape(rows, columns)
    boards = (cells, cells.T) if rows == columns else (cells,)
    images = [image[::down, ::across].ravel() for image in boards for down in (1, -1) for across in (1, -1)]
    black, white = colour_masks(rows, columns)
    keeping = [image for image in images if sent(black, image) == black]
    return keeping, [image for image in images if sent(black, image) == white]


def _image(permutation: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return where every pattern of nine cells in a row of numbers goes."""
    words = np.arange(1 << CHUNK_BITS, dtype=np.uint64)
    images = np.zeros((CHUNKS, 1 << CHUNK_BITS), np.uint64)
    for cell, to in enumerate(permutation):
        chunk, place = divmod(cell, CHUNK_BITS)
        images[chunk] |= ((words >> np.uint64(place)) & _1) << np.uint64(to)
    return images
