"""Other starts of Nine Men's Morris: unequal material, the papers' random positions, random play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.kind import ONGOING
from understudy.games.morris.notation import BIT, CELLS, START, STONES, SYMMETRIES, Morris, permuted
from understudy.games.morris.rules import MOST_MOVES, moves, outcome, play
from understudy.kernels import kernel

ADVANTAGES = (
    ("b6 b4 b2", "d7 d1", 6),
    ("d7 d6 d5 f4", "b4 d2", 5),
    ("a4 b4 c4 d6 d2", "e4 g4 d1", 4),
    ("b4 d6 f4 d2", "a7 g1 c3", 3),
    ("b2 d2 f2 b4 d6 f4", "a1 c5 e3 g7", 2),
    ("b4 d6 f4 d2 b6 f2 d7 g4 a4", "a1 d1 g1 c3 e3 c5", 0),
    ("a7 d7 g7 b6 f6 b4 d2", "a1 d1 g4 c4 e4 c3", 0),
    ("a4 d6 b4 f4 d2 c5", "a7 d7 g7 c4 d1", 0),
    ("b4 d6 f4 d2 e5 c3 a7", "a1 g7 d3 e4", 0),
    ("b6 d6 f6 b2 d1", "g7 g1 c4 d3", 0),
    ("b4 d6 f4 d2 b2 f6 d1", "a7 g1 c3", 0),
    ("d6 b4 f4 d2 b6", "a1 g7 d3", 0),
    ("a7 d7 b6 f2", "c3 g1 e4", 0),
    ("d6 d5 b2", "a1 g1 c4", 0),
)
"""Stones of the better side, of the worse, and how many each has in hand: placing, sliding, flying."""

MOST_MOVED = 2
"""So many stones of an unequal start may stand elsewhere than in the table."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def draw_unequal(rng: np.random.Generator) -> Morris:
    """Return a position with an advantage for one side, who may be either, varied by symmetry and by moved stones."""
    better, worse, hand = ADVANTAGES[rng.integers(len(ADVANTAGES))]
    stones = [_number(name) for name in f"{better} {worse}".split()]
    for _ in range(rng.integers(MOST_MOVED + 1)):
        empty = [cell for cell in range(24) if cell not in stones]
        stones[rng.integers(len(stones))] = empty[rng.integers(len(empty))]
    strong = len(better.split())
    mine, theirs = stones[:strong], stones[strong:]
    position = _position(mine, theirs, hand) if rng.integers(2) else _position(theirs, mine, hand)
    return permuted(position, SYMMETRIES[rng.integers(len(SYMMETRIES))])


def draw_random(rng: np.random.Generator) -> Morris:
    """Return a random position: White to move, 3 to 9 stones each with those in hand, equal hands (M-24)."""
    owned, their_owned = rng.integers(3, STONES + 1, 2)
    hand = int(rng.integers(min(owned, their_owned) + 1))
    cells = rng.permutation(24)[: owned + their_owned - 2 * hand].tolist()
    return _position(cells[: owned - hand], cells[owned - hand :], hand)


STARTS = {"custom": draw_unequal, "random": draw_random}
"""Kinds of starts; what is drawn may leave the mover without a move."""


def _position(mine: list[int], theirs: list[int], hand: int) -> Morris:
    mask, their_mask = (np.uint64(sum(1 << cell for cell in side)) for side in (mine, theirs))
    return Morris(mask, their_mask, hand, hand, 2 * (STONES - hand))


def _number(name: str) -> int:
    return BIT[CELLS.index(name) + 1] - 1


def wander(games: int, *, plies: int, one_in: int, rng: np.random.Generator) -> Morris:
    """Return about one in so many positions of random games, each cut at *plies*; none of them is finished."""
    words = rng.integers(0, 1 << 63, (games, plies), dtype=np.uint64)
    found = np.zeros((games * plies, 5), np.int64)
    mine, theirs, *rest = found[: _wander(START, words, one_in, found)].T.copy()
    return Morris(mine.astype(np.uint64), theirs.astype(np.uint64), *rest)


@kernel
def _wander(start: Morris, words: NDArray[np.uint64], one_in: int, found: NDArray[np.int64]) -> int:
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
            if (word >> _HALF) % np.uint64(one_in) == np.uint64(0):
                found[total, 0] = np.int64(position.mine)
                found[total, 1] = np.int64(position.theirs)
                found[total, 2] = position.hand
                found[total, 3] = position.their_hand
                found[total, 4] = position.ply
                total += 1
            position = play(position, out[np.int64((word & _LOW) % np.uint64(count))])
    return total
