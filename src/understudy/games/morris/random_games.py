"""Random games of Nine Men's Morris, many at once: positions that can occur, without a teacher's taste."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.kind import ONGOING
from understudy.games.morris.notation import START, Morris
from understudy.games.morris.rules import MOST_MOVES, moves, outcome, play
from understudy.kernels import kernel

ONE_IN = 4
"""One in so many positions of a game is kept: neighbours are too much alike."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def wander(games: int, *, plies: int, rng: np.random.Generator) -> Morris:
    """Return a batch of positions from *games* random games, each cut at *plies*; none of them is finished."""
    words = rng.integers(0, 1 << 63, (games, plies), dtype=np.uint64)
    found = np.zeros((games * plies, 5), np.int64)
    mine, theirs, *rest = found[: _wander(START, words, found)].T.copy()
    return Morris(mine.astype(np.uint64), theirs.astype(np.uint64), *rest)


@kernel
def _wander(start: Morris, words: NDArray[np.uint64], found: NDArray[np.int64]) -> int:
    """Play one random game for each row of random words: one half picks the move, the other what is kept."""
    out = np.empty(MOST_MOVES, np.int32)
    total = 0
    for game in range(words.shape[0]):
        position = start
        for ply in range(words.shape[1]):
            count = moves(position, out)
            if outcome(position, count) != ONGOING:
                break
            word = words[game, ply]
            if (word >> _HALF) % np.uint64(ONE_IN) == np.uint64(0):
                found[total, 0] = np.int64(position.mine)
                found[total, 1] = np.int64(position.theirs)
                found[total, 2] = position.hand
                found[total, 3] = position.their_hand
                found[total, 4] = position.ply
                total += 1
            position = play(position, out[np.int64((word & _LOW) % np.uint64(count))])
    return total
