"""Players that choose a Nine Men's Morris move part by part: what judges ask of them, and the check of legality.

Three networks decide in cascade, each seeing what the earlier ones chose. Because a chooser of parts may choose
nonsense, `checked_parts` takes from each network the best class that still leads to a legal move.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import size, taken
from understudy.games.morris.legality import OPEN, allowed, unpacked


class PartScorer(Protocol):
    """A cascade of three networks; parts are to=0, from=1, remove=2."""

    @property
    def name(self) -> str: ...

    @property
    def order(self) -> tuple[int, ...]:
        """Which part each network decides: (0, 1, 2) for TFR."""
        ...

    def score_parts(
        self, batch: Any, given: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return log-probabilities [n, 3, 25] of the networks in cascade order, and the chosen TO, FROM, REMOVE [n, 3].

        *given* [n, 2] holds what the first and the second network must be taken to have chosen, -1 where they choose
        themselves; what the parts hold there is up to the player. Of equal scores the lowest class is chosen.
        """
        ...


def checked_parts(scorer: PartScorer, batch: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return legal TO, FROM, REMOVE [n, 3], and which networks had to be corrected [n, 3], in cascade order.

    Each network's best class that still leads to a legal move counts; later networks are asked again where an earlier
    one was corrected. Where no move is legal the networks' own choice stays.
    """
    scores, parts = scorer.score_parts(batch)
    chosen = parts[:, list(scorer.order)]
    corrected = np.zeros_like(chosen, np.bool_)
    for place in range(3):
        masks = allowed(batch.mine, batch.theirs, batch.hand, order=scorer.order, given=chosen[:, :place])
        open_classes = unpacked(masks)
        own = np.take_along_axis(open_classes, chosen[:, place, None], axis=1)[:, 0]
        corrected[:, place] = wrong = ~own & (masks != 0)
        best = np.where(open_classes[wrong], scores[wrong, place], -np.inf).argmax(axis=1)
        chosen[wrong, place] = best
        if place < 2 and wrong.any():
            scores[wrong], chosen[wrong] = _asked_again(scorer, taken(batch, wrong), chosen[wrong], place + 1)
    return in_part_order(chosen, scorer.order), corrected


def in_part_order(chosen: NDArray[np.int64], order: tuple[int, ...]) -> NDArray[np.int64]:
    """Return parts given in cascade order as TO, FROM, REMOVE."""
    parts = np.empty_like(chosen)
    parts[:, list(order)] = chosen
    return parts


def _asked_again(
    scorer: PartScorer, batch: Any, chosen: NDArray[np.int64], known: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return scores and choices in cascade order once the first *known* choices are settled."""
    given = np.full((size(batch), 2), OPEN)
    given[:, :known] = chosen[:, :known]
    scores, parts = scorer.score_parts(batch, given)
    again = parts[:, list(scorer.order)]
    again[:, :known] = chosen[:, :known]
    return scores, again
