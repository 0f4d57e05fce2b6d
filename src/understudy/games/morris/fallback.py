"""The check in play of the authors of Neural Nine Men's Morris: which classes of a part pass, one after another (M-37).

The first choice must be possible by itself; the second, too, and together with the first where both are TO and FROM;
only the third asks whether the whole move is legal. Their checker decides, which never lets a stone be taken from a
mill. So choices may pass after which no class is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import OPEN, size, taken
from understudy.games.morris.legality import CLASSES, REMOVE, grade, whole
from understudy.games.morris.notation import Morris

FROM_TO = 3
"""The flag of `grade` that tells whether FROM and TO fit together; the flags before it are of single parts."""


def find_passing(batch: Morris, *, order: tuple[int, ...], chosen: NDArray[np.int64], place: int) -> NDArray[np.bool_]:
    """Return which classes [n, 25] pass at a *place* of *order*, after what was *chosen* [n, 3] at those before it."""
    rows = size(batch)
    every = taken(batch, np.repeat(np.arange(rows), CLASSES))
    tried = np.repeat(chosen, CLASSES, axis=0)
    tried[:, place] = np.tile(np.arange(CLASSES), rows)
    parts = np.empty_like(tried)
    parts[:, list(order)] = np.where(tried == OPEN, 0, tried)
    flags = grade(every.mine, every.theirs, every.hand, parts, legacy=True)
    return _pass(flags, order, place).reshape(rows, CLASSES)


def _pass(flags: NDArray[np.bool_], order: tuple[int, ...], place: int) -> NDArray[np.bool_]:
    """Return which moves pass the test of a place: of themselves, of FROM and TO together, of the whole."""
    if place == len(order) - 1:
        return whole(flags)["whole"]
    passing: NDArray[np.bool_] = np.logical_and.reduce(flags[:, list(order[: place + 1])], axis=1)
    together = place == 1 and REMOVE not in order[:2]
    return passing & flags[:, FROM_TO] if together else passing
