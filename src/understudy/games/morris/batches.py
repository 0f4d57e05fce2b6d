"""Symmetry of many Nine Men's Morris positions at once: images, orbits, expansion.

The board has 16 symmetries everywhere and 48 where both sides have three stones and none in hand (all fly, so the
three rings are alike). `authors_images` repeats what the papers' authors did instead: it counts by stones on the board
alone, adds one ring exchange, and keeps duplicates between rows; only so do the published figures come out again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import NO_MOVE as NO_MOVE
from understudy.games.batches import joined, sent_rows, taken
from understudy.games.morris.notation import BIT, NUMBER, RING_SYMMETRIES, SYMMETRIES, Morris

_TO_NUMBER = np.array(NUMBER)
_TO_BIT = np.array(BIT)
OUTER_FOR_MIDDLE = np.array([(8, 0, 16)[bit // 8] + bit % 8 for bit in range(24)])


def image(batch: Morris, moves: NDArray[np.int32], permutation: NDArray[np.int64]) -> tuple[Morris, NDArray[np.int32]]:
    """Return positions and moves with the stone of each cell moved to where *permutation* sends it."""
    turned = batch._replace(mine=sent_rows(batch.mine, permutation), theirs=sent_rows(batch.theirs, permutation))  # type: ignore[arg-type]
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
    rows = np.arange(len(batch.mine))  # type: ignore[arg-type]
    flying = flown(batch)
    least = np.full(len(rows), np.iinfo(np.uint64).max, np.uint64)
    for group, members in ((SYMMETRIES, rows[~flying]), (RING_SYMMETRIES, rows[flying])):
        some = taken(batch, members)
        for permutation in group:
            turned, _ = image(some, np.full(len(members), NO_MOVE, np.int32), permutation)
            least[members] = np.minimum(least[members], keys(turned))
    return least


def images(batch: Morris, moves: NDArray[np.int32]) -> tuple[Morris, NDArray[np.int32], NDArray[np.int64]]:
    """Return all different images of every row, and the row each comes from; rows in order, the row itself first."""
    flying = flown(batch)
    return _expanded(batch, moves, [(SYMMETRIES, ~flying), (RING_SYMMETRIES, flying)], by_move=True)


def authors_images(batch: Morris, moves: NDArray[np.int32]) -> tuple[Morris, NDArray[np.int32], NDArray[np.int64]]:
    """Return the images that the papers' authors made, duplicates between rows and wrong ring exchanges included."""
    three = (np.bitwise_count(batch.mine) == 3) & (np.bitwise_count(batch.theirs) == 3)
    exchanged = OUTER_FOR_MIDDLE[SYMMETRIES[1:]]
    return _expanded(batch, moves, [(SYMMETRIES, np.ones(len(three), bool)), (exchanged, three)], by_move=False)


def class_images() -> NDArray[np.int64]:
    """Return where each symmetry sends each class of a part [16, 25]: cells by the papers' numbers, 0 for none."""
    moved = np.zeros((len(SYMMETRIES), len(NUMBER)), np.int64)
    moved[:, _TO_NUMBER[1:]] = _TO_NUMBER[SYMMETRIES + 1]
    return moved


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
    found = [
        (*image(taken(batch, members), moves[members], permutation), rows[members])
        for group, members in groups
        for permutation in group
    ]
    positions = joined([part[0] for part in found])
    codes, origin = (np.concatenate([part[place] for part in found]) for place in (1, 2))
    kept = _first_of_equals(origin, keys(positions), codes if by_move else np.zeros_like(codes))
    return taken(positions, kept), codes[kept], origin[kept]


def _first_of_equals(
    origin: NDArray[np.int64], names: NDArray[np.uint64], codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the places of the first of each set of equal rows, ordered by origin."""
    order = np.lexsort((np.arange(len(origin)), codes, names, origin))
    a, b = order[:-1], order[1:]
    repeated = (origin[a] == origin[b]) & (names[a] == names[b]) & (codes[a] == codes[b])
    first = np.sort(order[np.concatenate([[True], ~repeated])])
    return first[np.argsort(origin[first], kind="stable")]
