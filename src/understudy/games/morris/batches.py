"""Many Nine Men's Morris positions at once: images, orbits, expansion, and positions that are drawn to start from.

The board has 16 symmetries everywhere and 48 where both sides have three stones and none in hand (all fly, so the
three rings are alike). `authors_images` repeats what the papers' authors did instead: it counts by stones on the board
alone, adds one ring exchange, and keeps duplicates between rows; only so do the published figures come out again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import NO_MOVE, joined, sent_rows, size, taken
from understudy.games.images import find_firsts
from understudy.games.kind import ONGOING
from understudy.games.morris.notation import (
    BIT,
    CELLS,
    NUMBER,
    RING_SYMMETRIES,
    START,
    STONES,
    SYMMETRIES,
    Morris,
    permuted,
)
from understudy.games.morris.rules import MOST_MOVES, moves, outcome, play
from understudy.kernels import kernel

_TO_NUMBER = np.array(NUMBER)
_TO_BIT = np.array(BIT)
OUTER_FOR_MIDDLE = np.array([(8, 0, 16)[bit // 8] + bit % 8 for bit in range(24)])
"""Where each cell goes when the outer and the middle ring change places: the one exchange that the authors made."""


def permute(batch: Morris, permutation: NDArray[np.int64]) -> Morris:
    """Return positions with the stone of each cell moved to where *permutation* sends it."""
    return batch._replace(mine=sent_rows(batch.mine, permutation), theirs=sent_rows(batch.theirs, permutation))  # type: ignore[arg-type]


def groups(batch: Morris) -> list[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Return the symmetries that positions have, with the rows that have them."""
    flying = flown(batch)
    return [(SYMMETRIES, ~flying), (RING_SYMMETRIES, flying)]


def image(batch: Morris, moves: NDArray[np.int32], permutation: NDArray[np.int64]) -> tuple[Morris, NDArray[np.int32]]:
    """Return positions and moves with the stone of each cell moved to where *permutation* sends it."""
    turned = permute(batch, permutation)
    cells = np.concatenate([[0], permutation + 1])
    to, origin, removed = (cells[part] for part in (moves // 625, moves // 25 % 25, moves % 25))
    codes = ((to * 25 + origin) * 25 + removed).astype(np.int32)
    return turned, np.where(moves == NO_MOVE, moves, codes)


def keys(batch: Morris) -> NDArray[np.uint64]:
    """Return a number for each position, equal for equal placements and hands alone."""
    hands = (np.asarray(batch.hand, np.uint64) << np.uint64(48)) | (
        np.asarray(batch.their_hand, np.uint64) << np.uint64(52)
    )
    placed: NDArray[np.uint64] = batch.mine | (batch.theirs << np.uint64(24)) | hands
    return placed


def orbit_keys(batch: Morris) -> NDArray[np.uint64]:
    """Return a number for each position, equal for all its images and for them alone."""
    least = np.full(size(batch), np.iinfo(np.uint64).max, np.uint64)
    for group, rows in groups(batch):
        some = taken(batch, members := np.flatnonzero(rows))
        for permutation in group:
            least[members] = np.minimum(least[members], keys(permute(some, permutation)))
    return least


def images(batch: Morris, moves: NDArray[np.int32]) -> tuple[Morris, NDArray[np.int32], NDArray[np.int64]]:
    """Return all different images of every row, and the row each comes from; rows in order, the row itself first."""
    return _expanded(batch, moves, groups(batch), by_move=True)


def authors_images(batch: Morris, moves: NDArray[np.int32]) -> tuple[Morris, NDArray[np.int32], NDArray[np.int64]]:
    """Return the images that the papers' authors made, duplicates between rows and wrong ring exchanges included."""
    three = (np.bitwise_count(batch.mine) == 3) & (np.bitwise_count(batch.theirs) == 3)
    exchanged = OUTER_FOR_MIDDLE[SYMMETRIES[1:]]
    return _expanded(batch, moves, [(SYMMETRIES, np.ones(len(three), bool)), (exchanged, three)], by_move=False)


def turned(batch: Morris) -> list[Morris]:
    """Return the batch under each symmetry of the board, identity first: as parts have their images."""
    return [permute(batch, permutation) for permutation in SYMMETRIES]


EXPANSIONS = {"authors": authors_images, "proper": images}
"""How records become examples in all their images."""


def flown(batch: Morris) -> NDArray[np.bool_]:
    """Tell where both sides have three stones and none in hand."""
    three = (np.bitwise_count(batch.mine) == 3) & (np.bitwise_count(batch.theirs) == 3)
    return np.asarray(three & (np.asarray(batch.hand) == 0) & (np.asarray(batch.their_hand) == 0))


def parts_of(moves: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return TO, FROM and REMOVE of each move [moves, 3] as the papers number them; zeros where nobody moved."""
    codes = np.where(moves == NO_MOVE, 0, moves)
    parts: NDArray[np.int64] = _TO_NUMBER[np.stack([codes // 625, codes // 25 % 25, codes % 25], axis=1)]
    return parts


def moves_of(parts: NDArray[Any]) -> NDArray[np.int32]:
    """Return the codes of moves given by TO, FROM and REMOVE [moves, 3]."""
    bits = _TO_BIT[parts]
    codes: NDArray[np.int32] = ((bits[:, 0] * 25 + bits[:, 1]) * 25 + bits[:, 2]).astype(np.int32)
    return codes


def _expanded(
    batch: Morris,
    moves: NDArray[np.int32],
    groups: list[tuple[NDArray[np.int64], NDArray[np.bool_]]],
    *,
    by_move: bool,
) -> tuple[Morris, NDArray[np.int32], NDArray[np.int64]]:
    """Apply each group of symmetries to the rows of its mask, then drop what is equal within a row.

    A position that is its own image keeps the images of its move only where moves are told apart too.
    """
    rows = np.arange(len(moves))
    copies = [
        (*image(taken(batch, members), moves[members], permutation), rows[members])
        for group, members in groups
        for permutation in group
    ]
    positions = joined([part[0] for part in copies])
    codes, origin = (np.concatenate([part[place] for part in copies]) for place in (1, 2))
    kept = find_firsts(origin, keys(positions), codes if by_move else np.zeros_like(codes))
    return taken(positions, kept), codes[kept], origin[kept]


# Other starts: unequal material, the papers' random positions, random play.

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
"""Stones of the better side, of the worse, and how many each has in hand: placing, sliding, flying. Chosen by hand."""

MOST_MOVED = 2
"""So many stones of an unequal start may stand elsewhere than in the table. Chosen by hand: its point remains."""

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


def draw_solved(rng: np.random.Generator) -> Morris:
    """Return an endgame that tables know, in which it matters what is chosen."""
    from understudy.games.morris.truth import draw_endgame  # which needs tables, and this module

    return draw_endgame(rng)


STARTS = {"custom": draw_unequal, "random": draw_random, "endgames": draw_solved}
"""Kinds of starts; what is drawn may leave the mover without a move."""


def _position(mine: list[int], theirs: list[int], hand: int) -> Morris:
    mask, their_mask = (np.uint64(sum(1 << cell for cell in side)) for side in (mine, theirs))
    return Morris(mask, their_mask, hand, hand, 2 * (STONES - hand))


def _number(name: str) -> int:
    return BIT[CELLS.index(name) + 1] - 1


def wander(games: int, *, plies: int, one_in: int, rng: np.random.Generator) -> Morris:
    """Return about one in so many positions of random games, each cut at *plies*; none of them is finished."""
    words = rng.integers(0, 1 << 63, (games, plies), dtype=np.uint64)
    kept = np.zeros((games * plies, 5), np.int64)
    mine, theirs, *rest = kept[: _wander(START, words, one_in, kept)].T.copy()
    return Morris(mine.astype(np.uint64), theirs.astype(np.uint64), *rest)


@kernel
def _wander(start: Morris, words: NDArray[np.uint64], one_in: int, kept: NDArray[np.int64]) -> int:
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
                kept[total, 0] = np.int64(position.mine)
                kept[total, 1] = np.int64(position.theirs)
                kept[total, 2] = position.hand
                kept[total, 3] = position.their_hand
                kept[total, 4] = position.ply
                total += 1
            position = play(position, out[np.int64((word & _LOW) % np.uint64(count))])
    return total
