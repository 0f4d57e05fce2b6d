"""The lines of the board of Morris as arrays, in the papers' order of cells: what inputs are counted with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games import batches
from understudy.games.morris.notation import BIT

_PLACES = np.array(BIT[1:]) - 1
"""The bit of each cell, in the papers' order."""

_CELL_LINES = (
    (1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12), (13, 14, 15), (16, 17, 18), (19, 20, 21), (22, 23, 24),
    (1, 10, 22), (4, 11, 19), (7, 12, 16), (2, 5, 8), (17, 20, 23), (9, 13, 18), (6, 14, 21), (3, 15, 24),
)  # fmt: skip
LINES = np.array(_CELL_LINES) - 1
"""The sixteen lines where mills can stand, rows first, as places in the papers' order of cells."""


def _on_line() -> NDArray[np.int8]:
    on_line = np.zeros((len(LINES), len(_PLACES)), np.int8)
    on_line[np.arange(len(LINES))[:, None], LINES] = 1
    return on_line


def _neighbours() -> NDArray[np.int8]:
    """Return which cells lie beside each other: neighbours on some line."""
    beside = np.zeros((len(_PLACES), len(_PLACES)), np.int8)
    for first, middle, last in LINES:
        beside[first, middle] = beside[middle, last] = 1
    return beside | beside.T


ON_LINE = _on_line()
"""[16, 24]: which cells each line has."""
NEIGHBOURS = _neighbours()
"""[24, 24]: between which cells stones slide."""


def occupied(masks: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return which cells are in each mask [masks, 24], in the papers' order."""
    return batches.occupied(masks, len(_PLACES))[:, _PLACES]
