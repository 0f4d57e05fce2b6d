"""Images of many positions at once, in any game: positions and moves under the symmetries that the rules allow.

Which symmetries a position has, its game says (`symmetries` of its notation); chess has a mirror only where nobody may
castle, Morris has more where all stones fly. A game that can move many boards at once names `permute` and `groups` in
its batches; else positions are taken one by one.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import NO_MOVE, joined, size, stacked, taken, unstacked
from understudy.games.game import CompiledGame
from understudy.games.rows import keys_of

Permutation: TypeAlias = NDArray[np.int64]
"""Where each cell goes."""


def expand(
    game: CompiledGame, batch: Any, moves: NDArray[np.int32]
) -> tuple[Any, NDArray[np.int32], NDArray[np.int64]]:
    """Return all different images of every row, and the row each comes from; rows in order, the row itself first.

    Of several moves for each row [rows, moves] the first tells which images are different.
    """
    copies = [
        (permute(game, some, permutation), permute_moves(game, moves[rows], permutation), rows)
        for permutations, rows in _group_rows(game, batch)
        for some in [taken(batch, rows)]
        for permutation in permutations
    ]
    if not copies:
        return batch, moves, np.zeros(0, np.int64)
    positions = joined([copy[0] for copy in copies])
    codes, origins = (np.concatenate([copy[place] for copy in copies]) for place in (1, 2))
    kept = find_firsts(origins, keys_of(positions), codes if codes.ndim == 1 else codes[:, 0])
    return taken(positions, kept), codes[kept], origins[kept]


def draw_images(game: CompiledGame, batch: Any, rng: np.random.Generator) -> Any:
    """Return one image of every row, drawn among those that the rules allow."""
    drawn = [
        (permute(game, taken(batch, some), permutation), some)
        for permutations, rows in _group_rows(game, batch)
        for lots in [rng.integers(len(permutations), size=len(rows))]
        for number, permutation in enumerate(permutations)
        for some in [rows[lots == number]]
        if len(some)
    ]
    if not drawn:
        return batch
    return taken(joined([images for images, _ in drawn]), np.argsort(np.concatenate([rows for _, rows in drawn])))


def name_orbits(game: CompiledGame, batch: Any) -> NDArray[np.uint64]:
    """Return a number for each position, equal for all its images: the least of their keys."""
    least = np.full(size(batch), np.iinfo(np.uint64).max, np.uint64)
    for permutations, rows in _group_rows(game, batch):
        some = taken(batch, rows)
        least[rows] = np.min([keys_of(permute(game, some, permutation)) for permutation in permutations], axis=0)
    return least


def turn_boards(game: CompiledGame, batch: Any) -> list[Any]:
    """Return the batch under each symmetry that the board always has, identity first: as parts have their images."""
    if own := game.at_once("turned"):
        return list(own(batch))
    permutations = game.notation.symmetries(game.start())
    return [permute(game, batch, permutation) for permutation in permutations]


def permute(game: CompiledGame, batch: Any, permutation: Permutation) -> Any:
    """Return positions with what stands on each cell moved to where *permutation* sends it."""
    if own := game.at_once("permute"):
        return own(batch, permutation)
    rows = [game.notation.permuted(position, permutation) for position in unstacked(batch)]
    return stacked(rows) if rows else batch


def permute_moves(game: CompiledGame, moves: NDArray[np.int32], permutation: Permutation) -> NDArray[np.int32]:
    """Return the same moves after *permutation*; where nobody moved, nobody does."""
    different, places = np.unique(moves, return_inverse=True)
    images = [
        move if move == NO_MOVE else game.notation.permuted_move(move, permutation) for move in different.tolist()
    ]
    return np.array(images, np.int32)[places].reshape(moves.shape)


def find_firsts(origins: NDArray[np.int64], names: NDArray[np.uint64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the places of the first of each set of equal rows, ordered by origin."""
    order = np.lexsort((np.arange(len(origins)), codes, names, origins))
    a, b = order[:-1], order[1:]
    repeated = (origins[a] == origins[b]) & (names[a] == names[b]) & (codes[a] == codes[b])
    first = np.sort(order[np.concatenate([[True], ~repeated])])
    return first[np.argsort(origins[first], kind="stable")]


def _group_rows(game: CompiledGame, batch: Any) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return groups of symmetries [symmetries, cells] with the rows that have them; none where there are no rows."""
    if not size(batch):
        return []
    if own := game.at_once("groups"):
        return [(group, np.flatnonzero(rows)) for group, rows in own(batch) if rows.any()]
    groups: dict[bytes, tuple[NDArray[np.int64], list[int]]] = {}
    for row, position in enumerate(unstacked(batch)):
        group = game.notation.symmetries(position)
        groups.setdefault(group.tobytes(), (group, []))[1].append(row)
    return [(group, np.array(rows)) for group, rows in groups.values()]
