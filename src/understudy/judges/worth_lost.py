"""How much players throw away by the teacher's own account: in positions whose moves it has weighed, all of them.

Agreement counts every other choice as a fault; here a move that is worth as much as the teacher's costs nothing, and
one that loses costs what it loses. Worths are from -1, lost, to 1, won; an illegal choice counts as lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.batches import NO_MOVE, size, unstacked
from understudy.judges.measures import Verdict, share, spread
from understudy.protocols import Player
from understudy.records.examples import split_examples
from understudy.records.store import Records

ALIKE = 1e-6
"""Worths that differ by less are the same: they are kept as single floats."""
BLUNDER = 0.5
"""Who loses a quarter of the way from won to lost by one move has blundered."""
LOST = -1.0
CHUNK = 4096
"""Positions that a player is asked about at once: what a network handles well."""


def choose_weighed(
    records: Records, *, split: str = "all", part: str | None = None, seed: int = 0, limit: int | None = None
) -> Records:
    """Return the records whose moves were weighed, all or those on one side of a split; at most *limit*, evenly."""
    if records.weighed is None or not (records.weighed.moves != NO_MOVE).any():
        raise BadOption("these records do not tell what moves are worth, as the judge worth_lost needs: watch.weighed")
    if split != "all":
        records = records.taken(np.unique(split_examples(records, split=split, seed=seed)[part or "test"].origins))
    assert records.weighed is not None
    rows = np.flatnonzero(records.weighed.moves[:, 0] != NO_MOVE)
    if limit is not None and limit < len(rows):
        rows = rows[np.linspace(0, len(rows) - 1, limit).astype(np.int64)]
    return records.taken(rows)


def judge_worths(player: Player, records: Records, progress: Callable[[int], None] = lambda rows: None) -> Verdict:
    """Return how much the choices of a player are worth less than the best ones."""
    lost = [np.zeros(0)]
    for first in range(0, len(records), CHUNK):
        some = records.taken(slice(first, first + CHUNK))
        choices = player.choose(unstacked(some.positions))
        lost.append(find_lost(some, [NO_MOVE if choice.fault else choice.move for choice in choices]))
        progress(size(some.positions))
    return grade_lost(np.concatenate(lost))


def find_lost(records: Records, moves: Sequence[int]) -> NDArray[np.float64]:
    """Return by how much each of *moves* is worth less than the best one of its position."""
    assert records.weighed is not None
    weighed = records.weighed
    chosen = weighed.moves == np.asarray(moves)[:, None]
    worths = np.where(chosen.any(axis=1), np.where(chosen, weighed.worths, LOST).max(axis=1), LOST)
    return np.asarray(np.nanmax(weighed.worths, axis=1) - worths, np.float64)


def grade_lost(lost: NDArray[np.float64]) -> Verdict:
    """Return the measures of what was lost in each position: the mean, how often nothing, how often much."""
    if not len(lost):
        return {}
    return {
        "worth_lost.mean": spread(lost),
        "worth_lost.best": share(float((lost < ALIKE).sum()), len(lost)),
        "worth_lost.blunders": share(float((lost > BLUNDER).sum()), len(lost)),
    }
