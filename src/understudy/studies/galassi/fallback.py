"""The authors' own check in play: each network's next best class, by tests that may end in a dead end (M-37).

The first choice must be possible by itself; the second, too, and together with the first where both are TO and FROM;
only the third asks whether the whole move is legal. Their checker decides, which never lets a stone be taken from a
mill. Where no class is left their program ends; here the player has lost that game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import OPEN, size, taken
from understudy.games.morris.legality import CLASSES, REMOVE, grade, whole
from understudy.players.parts import PartScorer, in_part_order

FROM_TO = 3
"""The flag of `grade` that tells whether FROM and TO fit together; the flags before it are of single parts."""


class Fallen(NamedTuple):
    """What the check made of the networks' choices."""

    parts: NDArray[np.int64]
    """[n, 3]: TO, FROM, REMOVE"""
    corrected: NDArray[np.bool_]
    """[n, 3], in cascade order: whose first choice was not taken."""
    stuck: NDArray[np.bool_]
    """[n]: where no class was left."""


def fall_back(scorer: PartScorer, batch: Any) -> Fallen:
    """Return each network's best class that passes the authors' tests; later networks see what was taken."""
    rows, order = size(batch), scorer.order
    chosen, corrected = np.full((rows, 3), OPEN, np.int64), np.zeros((rows, 3), np.bool_)
    stuck = np.zeros(rows, np.bool_)
    for place in range(3):
        given = np.where(np.arange(2) < place, chosen[:, :2], OPEN)
        scores = scorer.score_parts(batch, given)[0][:, place]
        passing = _find_passing(batch, order, chosen, place)
        own, left = scores.argmax(axis=1), passing.any(axis=1)
        best = np.where(passing, scores, -np.inf).argmax(axis=1)
        chosen[:, place] = np.where(left, best, own)
        corrected[:, place] = left & (best != own)
        stuck |= ~left
    return Fallen(in_part_order(chosen, order), corrected, stuck)


def _find_passing(batch: Any, order: tuple[int, ...], chosen: NDArray[np.int64], place: int) -> NDArray[np.bool_]:
    """Return which classes [n, 25] at a place pass the tests, after what was chosen before."""
    rows = size(batch)
    every = taken(batch, np.repeat(np.arange(rows), CLASSES))
    tried = np.repeat(chosen, CLASSES, axis=0)
    tried[:, place] = np.tile(np.arange(CLASSES), rows)
    parts = in_part_order(np.where(tried == OPEN, 0, tried), order)
    flags = grade(every.mine, every.theirs, every.hand, parts, legacy=True)
    return _pass(flags, order, place).reshape(rows, CLASSES)


def _pass(flags: NDArray[np.bool_], order: tuple[int, ...], place: int) -> NDArray[np.bool_]:
    """Return which moves pass the test of a place: of themselves, of FROM and TO together, of the whole."""
    if place == len(order) - 1:
        return whole(flags)["whole"]
    passing: NDArray[np.bool_] = np.logical_and.reduce(flags[:, list(order[: place + 1])], axis=1)
    together = place == 1 and REMOVE not in order[:2]
    return passing & flags[:, FROM_TO] if together else passing
