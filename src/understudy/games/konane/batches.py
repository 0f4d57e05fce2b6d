"""Many boards of Konane at once: names that equal and symmetric ones share, images, successors, random games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import joined, occupied, sent_rows, size, stacked, taken, unknown
from understudy.games.konane.notation import symmetries
from understudy.games.konane.rules import MOST_MOVES, Konane, count, moves, play, start
from understudy.kernels import kernel

ONE = np.uint64(1)


def names(batch: Any) -> NDArray[np.uint64]:
    """Return a number for each position, the same where the same stones stand and the same side is to move."""
    return _named(np.asarray(batch.mine | batch.theirs), batch)


def class_names(first: Any, batch: Any) -> NDArray[np.uint64]:
    """Return a number for each position, the same for its images; *first* is any position of the board."""
    stones = np.asarray(batch.mine | batch.theirs)
    images = [sent_rows(stones, permutation) for permutation in symmetries(first)]
    return _named(np.min(images, axis=0), batch)


def images(first: Any, batch: Any) -> Any:
    """Return every position in all its images, image after image."""
    turned = [
        batch._replace(mine=sent_rows(batch.mine, permutation), theirs=sent_rows(batch.theirs, permutation))
        for permutation in symmetries(first)
    ]
    return joined(turned)


def permute(batch: Any, permutation: NDArray[np.int64]) -> Any:
    """Return boards of one size, large ones too, with each stone moved to where *permutation* sends it."""
    return batch._replace(mine=_sent(batch.mine, permutation), theirs=_sent(batch.theirs, permutation))


def _sent(masks: NDArray[np.uint64], permutation: NDArray[np.int64]) -> NDArray[np.uint64]:
    if masks.ndim == 1:
        return sent_rows(masks, permutation)
    cells = np.zeros((len(masks), masks.shape[1] * 64), np.uint8)
    cells[:, permutation] = occupied(masks, len(permutation))
    return np.packbits(cells, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def groups(batch: Any) -> list[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Return the symmetries of the board, which all positions of a batch share, and that all have them."""
    rows, columns = int(batch.rows[0]), int(batch.columns[0])
    return [(symmetries(batch._replace(rows=rows, columns=columns)), np.ones(size(batch), np.bool_))]


def _named(stones: NDArray[np.uint64], batch: Any) -> NDArray[np.uint64]:
    return (stones << ONE) | (np.asarray(batch.ply) & 1).astype(np.uint64)


class Successors(NamedTuple):
    """The moves of the i-th position are those from `first[i]` up to `first[i + 1]`."""

    first: NDArray[np.int64]
    moves: NDArray[np.int32]
    after: Any
    """A batch of the positions after each move, seen by the other side."""


def successors(batch: Any) -> Successors:
    """Return every legal move of every position of a batch, and where it leads."""
    first = np.zeros(len(batch.mine) + 1, np.int64)
    _count(batch, first)
    first = first.cumsum()
    codes = np.zeros(first[-1], np.int32)
    after = Konane._make(np.zeros(first[-1], field.dtype) for field in batch)
    _write(batch, codes, after)
    return Successors(first, codes, after)


def every_position(game: CompiledGame) -> Any:
    """Return all positions that can be reached and have a move."""
    fresh, seen = stacked([game.start()]), np.zeros(0, np.uint64)
    parts = []
    while size(fresh):
        seen = np.concatenate([seen, names(fresh)])
        first, _, after = successors(fresh)
        parts.append(taken(fresh, np.diff(first) > 0))
        fresh = taken(after, unknown(names(after), seen))
    return joined(parts)


@kernel
def _at(batch: Any, row: int) -> Konane:
    return Konane(batch.mine[row], batch.theirs[row], batch.rows[row], batch.columns[row], batch.ply[row])


@kernel
def _count(batch: Any, out: NDArray[np.int64]) -> None:
    for row in range(len(batch.mine)):
        out[row + 1] = count(_at(batch, row))


@kernel
def _write(batch: Any, codes: NDArray[np.int32], after: Any) -> None:
    out = np.empty(MOST_MOVES, np.int32)
    total = 0
    for row in range(len(batch.mine)):
        position = _at(batch, row)
        for i in range(moves(position, out)):
            following = play(position, out[i])
            codes[total] = out[i]
            after.mine[total], after.theirs[total] = following.mine, following.theirs
            after.rows[total], after.columns[total] = following.rows, following.columns
            after.ply[total] = following.ply
            total += 1


def wander(rows: int, columns: int, games: int, *, rng: np.random.Generator) -> Any:
    """Return a batch with one position of each of *games* random games; every ply that has a move is as likely."""
    words = rng.integers(0, 1 << 63, (games, rows * columns + 1), dtype=np.uint64)
    drawn = np.zeros((3, games), np.int64)
    _wander(start(rows, columns), words, drawn)
    mine, theirs, ply = drawn
    fields = mine.astype(np.uint64), theirs.astype(np.uint64), np.full(games, rows), np.full(games, columns), ply
    return Konane._make(fields)


@kernel
def _wander(first: Konane, words: NDArray[np.uint64], drawn: NDArray[np.int64]) -> None:
    """Play one random game for each row of random words, the last of which picks the position."""
    out = np.empty(MOST_MOVES, np.int32)
    line = np.zeros((2, words.shape[1]), np.int64)
    for game in range(words.shape[0]):
        position = first
        plies = 0
        width = moves(position, out)
        while width > 0:
            line[0, plies], line[1, plies] = np.int64(position.mine), np.int64(position.theirs)
            position = play(position, out[np.int64(words[game, plies] % np.uint64(width))])
            plies += 1
            width = moves(position, out)
        ply = np.int64(words[game, -1] % np.uint64(plies))
        drawn[0, game], drawn[1, game], drawn[2, game] = line[0, ply], line[1, ply], ply
