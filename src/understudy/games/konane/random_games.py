"""Random games of Konane, many at once: one position of each, so that no two of a sample come from one game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.konane.rules import MOST_MOVES, Konane, moves, play, start
from understudy.kernels import kernel


def wander(rows: int, columns: int, games: int, *, rng: np.random.Generator) -> Any:
    """Return a batch with one position of each of *games* random games; every ply that has a move is as likely."""
    words = rng.integers(0, 1 << 63, (games, rows * columns + 1), dtype=np.uint64)
    found = np.zeros((3, games), np.int64)
    _wander(start(rows, columns), words, found)
    mine, theirs, ply = found
    fields = mine.astype(np.uint64), theirs.astype(np.uint64), np.full(games, rows), np.full(games, columns), ply
    return Konane._make(fields)


@kernel
def _wander(first: Konane, words: NDArray[np.uint64], found: NDArray[np.int64]) -> None:
    """Play one random game for each row of random words, the last of which picks the position."""
    out = np.empty(MOST_MOVES, np.int32)
    line = np.zeros((2, words.shape[1]), np.int64)
    for game in range(words.shape[0]):
        position = first
        plies = 0
        count = moves(position, out)
        while count > 0:
            line[0, plies], line[1, plies] = np.int64(position.mine), np.int64(position.theirs)
            position = play(position, out[np.int64(words[game, plies] % np.uint64(count))])
            plies += 1
            count = moves(position, out)
        ply = np.int64(words[game, -1] % np.uint64(plies))
        found[0, game], found[1, game], found[2, game] = line[0, ply], line[1, ply], ply
