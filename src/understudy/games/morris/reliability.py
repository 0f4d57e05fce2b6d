"""How well a ranking of classes puts the legal ones first: precision at 25 points of recall.

Of the classes of a part, ranked by a student's preference, some are legal. The precision when the j-th legal class is
reached is j divided by its rank; with l legal classes the recall is then j / l. The papers read precision at recalls
k / 25, each time at the smallest j that reaches it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import popcount
from understudy.games.morris.legality import CLASSES
from understudy.kernels import kernel

POINTS = 25
RECALLS = tuple(f"{k / POINTS:.2f}" for k in range(1, POINTS + 1))
"""The points of recall by name: 0.04 to 1.00."""


def ranked(scores: Any) -> NDArray[np.uint8]:
    """Return the classes [n, 25] by falling score; of equal ones the lowest class first."""
    order = np.empty(scores.shape, np.uint8)
    _ranked(np.ascontiguousarray(scores, np.float32), order)
    return order


def precision_sums(order: NDArray[np.uint8], masks: NDArray[np.uint32], kept: Any) -> NDArray[np.float64]:
    """Return sums of precisions and of their squares [2, 25] over the rows kept; all of these have a legal class."""
    sums = np.zeros((2, POINTS))
    _precision_sums(order, np.ascontiguousarray(masks, np.uint32), np.ascontiguousarray(kept, np.bool_), sums)
    return sums


@kernel
def _ranked(scores: NDArray[np.float32], out: NDArray[np.uint8]) -> None:
    for row in range(len(scores)):
        for kind in range(CLASSES):
            place = kind
            while place > 0 and scores[row, out[row, place - 1]] < scores[row, kind]:
                out[row, place] = out[row, place - 1]
                place -= 1
            out[row, place] = kind


@kernel
def _precision_sums(
    order: NDArray[np.uint8], masks: NDArray[np.uint32], kept: NDArray[np.bool_], sums: NDArray[np.float64]
) -> None:
    for row in range(len(order)):
        if not kept[row]:
            continue
        mask, point, found = np.int64(masks[row]), 1, 0
        legal = popcount(np.uint64(masks[row]))
        for place in range(CLASSES):
            if (mask >> np.int64(order[row, place])) & 1 == 0:
                continue
            found += 1
            precision = found / (place + 1)
            while point <= POINTS and point * legal <= found * POINTS:
                sums[0, point - 1] += precision
                sums[1, point - 1] += precision * precision
                point += 1
