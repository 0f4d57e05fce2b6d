"""The moves a cascade likes best: the best classes of each network combined, ranked by their joint probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import size, taken
from understudy.games.morris.batches import moves_of
from understudy.players.parts import PartScorer, in_part_order
from understudy.protocols import Move


def proposals(scorer: PartScorer, batch: Any, best: int) -> list[dict[Move, float]]:
    """Return up to *best* cubed moves for each position with log-probabilities, the likeliest first, legal or not."""
    rows = np.arange(size(batch))
    chosen = np.zeros((len(rows), 0), np.int64)
    likely = np.zeros(len(rows))
    for place in range(3):
        scores = _scores(scorer, taken(batch, rows), chosen)[:, place]
        classes = np.argsort(-scores, axis=1, kind="stable")[:, :best]
        likely = (likely[:, None] + np.take_along_axis(scores, classes, axis=1)).ravel()
        chosen = np.concatenate([np.repeat(chosen, best, axis=0), classes.reshape(-1, 1)], axis=1)
        rows = np.repeat(rows, best)
    moves = moves_of(in_part_order(chosen, scorer.order))
    return [_ranked(moves[rows == row], likely[rows == row]) for row in range(size(batch))]


def _scores(scorer: PartScorer, batch: Any, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    given = np.full((len(chosen), 2), -1, np.int64)
    given[:, : chosen.shape[1]] = chosen
    return scorer.score_parts(batch, given)[0]


def _ranked(moves: NDArray[np.int32], likely: NDArray[np.float64]) -> dict[Move, float]:
    order = np.argsort(-likely, kind="stable")
    return {int(moves[place]): float(likely[place]) for place in order}
