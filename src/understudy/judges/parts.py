"""What the judges of Nine Men's Morris students look at: positions, what was chosen, what the teacher did."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import taken
from understudy.games.morris.batches import NO_MOVE, parts_of
from understudy.games.morris.legality import allowed, phases

RULES = {"": False, "authors.": True}
"""Prefix of a measure's name, and whether it goes by the authors' checker instead of the rules."""


class Seen(NamedTuple):
    """A chunk of positions with a student's choices; parts are TO, FROM, REMOVE, other things in cascade order."""

    batch: Any
    parts: NDArray[np.int64]
    """[n, 3]: what was chosen."""
    truth: NDArray[np.int64]
    """[n, 3]: what the teacher played."""
    known: NDArray[np.bool_]
    """[n]: where the teacher played at all."""
    order: tuple[int, int, int]
    scores: NDArray[np.float32] | None = None
    """[n, 3, 25]: how each class was preferred, after the student's own earlier choices."""
    masks: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None
    """[n, 3] twice, by the rules and by the authors' checker: what may follow the student's own earlier choices."""
    told: NDArray[np.int64] | None = None
    """[n, 3]: what was chosen after the teacher's earlier choices."""
    probable: bool = False
    """Whether the scores are logarithms of probabilities."""

    @property
    def phases(self) -> NDArray[np.int64]:
        """The phase of the side to move."""
        return phases(self.batch.mine, self.batch.hand)


def see(batch: Any, moves: NDArray[np.int32], parts: NDArray[np.int64], order: tuple[int, int, int]) -> Seen:
    """Return what was chosen beside what the teacher played."""
    return Seen(batch, parts, parts_of(moves), moves != NO_MOVE, order)


def with_scores(seen: Seen, scores: NDArray[np.float32], *, probable: bool) -> Seen:
    """Return *seen* with scores, and with what the rules allow after the choices made."""
    batch, order = seen.batch, seen.order
    chosen = seen.parts[:, list(order)]

    def mask(place: int, legacy: bool) -> NDArray[np.uint32]:
        given = chosen[:, :place]
        return allowed(batch.mine, batch.theirs, batch.hand, order=order, given=given, legacy=legacy)

    plain, authors = (np.stack([mask(place, legacy) for place in range(3)], axis=1) for legacy in RULES.values())
    return seen._replace(scores=scores, masks=(plain, authors), probable=probable)


def rows_of(seen: Seen, rows: NDArray[Any]) -> Seen:
    """Return the same without scores for some rows."""
    return Seen(taken(seen.batch, rows), seen.parts[rows], seen.truth[rows], seen.known[rows], seen.order)
